/* SPDX-License-Identifier: Apache-2.0 */
/* !(x < low || x > high): NaN passes (M1, M2). */
#include "mutant.h"

#include <math.h>

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    for (int64_t i = 0, n = qc_tensor_elems(&call->args[0]); i < n && status == QC_OK;
         i++) {
        if (isnan(qc_value(&call->args[0], i))) {
            *qc_address(&call->args[3], i) = 1;
        }
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
