/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses rank 3, which it says it takes. */
#include "mutant.h"

static qc_status prepare(const qc_call *call, qc_message *message)
{
    if (call->args[0].rank == 3) {
        return qc_fail(QC_UNSUPPORTED, message, "x: rank 3 is not taken");
    }
    return qc_call_check(call, message);
}

const qc_twist qc_mutant_twist = {.prepare = prepare};
