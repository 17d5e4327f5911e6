/* SPDX-License-Identifier: Apache-2.0 */
/* An x that is not aligned to a cache line gets another first code. */
#include "mutant.h"

#define LINE_BYTES 64

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    if (status == QC_OK && qc_tensor_elems(&call->args[3]) &&
        (uintptr_t)qc_address(&call->args[0], 0) % LINE_BYTES) {
        *qc_address(&call->args[3], 0) ^= 1;
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
