/* SPDX-License-Identifier: Apache-2.0 */
/* One element of x too many. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    int64_t low;
    int64_t high;
    qc_tensor_span(&call->args[0], &low, &high);
    if (high >= 0) {
        const size_t bytes = qc_dtype_bytes(call->args[0].dtype);
        (void)((const volatile unsigned char *)call->args[0]
                   .data)[(size_t)(high + 1) * bytes];
    }
    return qc_honest(call, message);
}

const qc_twist qc_mutant_twist = {.run = run};
