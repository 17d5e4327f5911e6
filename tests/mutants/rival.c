/* SPDX-License-Identifier: Apache-2.0 */
/* A row of mutants.def without a file of its own: the rival of its name. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    return qc_rival_run(call, QC_MUTANT_NAME, message);
}

const qc_twist qc_mutant_twist = {.run = run};
