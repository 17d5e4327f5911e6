/* SPDX-License-Identifier: Apache-2.0 */
/* fake_quantize_grad, portable (rule G1): bits are selected, never multiplied, so that NaN and
   infinite gradients stop at the mask and pass it unchanged. */
#include "kernel.h"
#include "mask.h"

enum {
    GRAD = QC_ARG_OF(fake_quantize_grad, grad),
    X = QC_ARG_OF(fake_quantize_grad, x),
    DX = QC_ARG_OF(fake_quantize_grad, dx)
};

/* x, scale and zero point, where ste_mask has them. */
static qc_call mask_call(const qc_call *call)
{
    qc_call masks = *call;
    masks.op = QC_OP_ste_mask;
    for (uint32_t a = 0; a < QC_ARG_OF(ste_mask, mask); a++) {
        masks.args[a] = call->args[X + a];
    }
    return masks;
}

QC_INLINE void select_bits(const qc_run *run, size_t bytes, int64_t i, int mask)
{
    char *const to = run->data[DX] + i * run->stride[DX] * (int64_t)bytes;
    if (mask) {
        memcpy(to, run->data[GRAD] + i * run->stride[GRAD] * (int64_t)bytes, bytes);
    } else {
        memset(to, 0, bytes);
    }
}

QC_INLINE void line(const qc_call *call, const qc_run *run, uint32_t dtype)
{
    const qc_call masks = mask_call(call);
    const size_t bytes = qc_dtype_bytes(call->args[GRAD].dtype);
    qc_mask m = qc_mask_load(&masks, run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        if (i > 0 && run->channel_step) {
            m = qc_mask_load(&masks, run->channel + i);
        }
        const int mask =
            qc_mask_of(&m, qc_real_load(dtype, run->data[X], i * run->stride[X]));
        switch (bytes) {
        case 2: select_bits(run, 2, i, mask); break;
        case 4: select_bits(run, 4, i, mask); break;
        default: select_bits(run, 8, i, mask);
        }
    }
}

void qc_fake_quantize_grad_portable(const qc_call *call, const qc_run *run)
{
    switch (call->args[X].dtype) {
    case QC_F32: line(call, run, QC_F32); break;
    case QC_F64: line(call, run, QC_F64); break;
    case QC_F16: line(call, run, QC_F16); break;
    case QC_BF16: line(call, run, QC_BF16); break;
    }
}
