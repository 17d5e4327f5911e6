/* SPDX-License-Identifier: Apache-2.0 */
/* A gradient behind real bounds where the rounded code is asked for (M1, M2). */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    return qc_rival_run(call, "mask_real", message);
}

const qc_twist qc_mutant_twist = {.run = run};
