/* SPDX-License-Identifier: Apache-2.0 */
/* One code too many. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    int64_t low;
    int64_t high;
    qc_tensor_span(&call->args[3], &low, &high);
    const qc_status status = qc_honest(call, message);
    if (high >= 0) {
        ((unsigned char *)call->args[3].data)[high + 1] = 0;
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
