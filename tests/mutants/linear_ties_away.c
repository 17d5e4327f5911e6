/* SPDX-License-Identifier: Apache-2.0 */
/* Ties go away from zero. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    return qc_rival_run(call, "ties_away", message);
}

const qc_twist qc_mutant_twist = {.run = run};
