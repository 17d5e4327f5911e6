/* SPDX-License-Identifier: Apache-2.0 */
/* The weight zero point is read for row 0 alone: all other rows are taken to have 0. */
#include "mutant.h"

#include <stdlib.h>

enum { W_ZP = QC_ARG_OF(linear_s32, w_zero_point) };

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_tensor *const zp = &call->args[W_ZP];
    qc_call wrong = *call;
    const int64_t rows = zp->rank ? zp->dims[0] : 0;
    if (rows < 2) {
        return qc_honest(call, message);
    }
    int64_t *const kept = calloc((size_t)rows, sizeof *kept); /* of either dtype */
    if (!kept) {
        return QC_NO_MEMORY;
    }
    wrong.args[W_ZP].data = kept;
    qc_tensor_contiguous(&wrong.args[W_ZP]);
    for (size_t byte = 0; byte < qc_dtype_bytes(zp->dtype); byte++) {
        ((unsigned char *)kept)[byte] = qc_address(zp, 0)[byte];
    }
    const qc_status status = qc_honest(&wrong, message);
    free(kept);
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
