/* SPDX-License-Identifier: Apache-2.0 */
/* +Inf gives the lowest code, as an unguarded cast does. */
#include "mutant.h"

#include <math.h>

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    for (int64_t i = 0, n = qc_tensor_elems(&call->args[0]); i < n && status == QC_OK;
         i++) {
        if (qc_value(&call->args[0], i) == INFINITY) {
            *qc_address(&call->args[3], i) = (unsigned char)qmin;
        }
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
