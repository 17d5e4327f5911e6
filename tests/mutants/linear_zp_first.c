/* SPDX-License-Identifier: Apache-2.0 */
/* The output zero point is added before the rounding. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    return qc_rival_run(call, "zp_before_rounding", message);
}

const qc_twist qc_mutant_twist = {.run = run};
