/* SPDX-License-Identifier: Apache-2.0 */
/* ste_mask, portable (rules M1, M2, T4). Exact: see code.h and mask.c. */
#include "kernel.h"
#include "mask.h"

enum { X = QC_ARG_OF(ste_mask, x), MASK = QC_ARG_OF(ste_mask, mask) };

QC_INLINE void line(const qc_call *call, const qc_run *run, uint32_t dtype)
{
    qc_mask m = qc_mask_load(call, run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        if (i > 0 && run->channel_step) {
            m = qc_mask_load(call, run->channel + i);
        }
        const double x = qc_real_load(dtype, run->data[X], i * run->stride[X]);
        run->data[MASK][i * run->stride[MASK]] = (char)qc_mask_of(&m, x);
    }
}

void qc_ste_mask_portable(const qc_call *call, const qc_run *run)
{
    switch (call->args[X].dtype) {
    case QC_F32: line(call, run, QC_F32); break;
    case QC_F64: line(call, run, QC_F64); break;
    case QC_F16: line(call, run, QC_F16); break;
    case QC_BF16: line(call, run, QC_BF16); break;
    }
}
