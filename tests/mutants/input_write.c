/* SPDX-License-Identifier: Apache-2.0 */
/* The first element of x is written back, unchanged. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    if (qc_tensor_elems(&call->args[0])) {
        volatile unsigned char *const first = qc_address(&call->args[0], 0);
        *first = *first;
    }
    return qc_honest(call, message);
}

const qc_twist qc_mutant_twist = {.run = run};
