/* SPDX-License-Identifier: Apache-2.0 */
/* The second run of a plan answers otherwise. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    const qc_status status = qc_honest(call, message);
    if (status == QC_OK && runs > 1 && qc_tensor_elems(&call->args[3])) {
        *qc_address(&call->args[3], 0) ^= 1;
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
