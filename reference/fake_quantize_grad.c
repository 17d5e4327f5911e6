/* SPDX-License-Identifier: Apache-2.0 */
/* G1: the gradient's own bits where the mask of x holds, else +0. */
#include <string.h>

#include "op.h"

/* The call less its first argument: x, scale and zero point stand as in ste_mask. */
static qc_call mask_call(const qc_call *call)
{
    qc_call masks = *call;
    masks.op = QC_OP_ste_mask;
    for (uint32_t a = 0; a < QC_ARG_OF(ste_mask, mask); a++) {
        masks.args[a] = call->args[a + QC_ARG_OF(fake_quantize_grad, x)];
    }
    return masks;
}

static char *address(const qc_tensor *tensor, int64_t i)
{
    const int64_t bytes = (int64_t)qc_dtype_bytes(tensor->dtype);
    return (char *)tensor->data + qc_tensor_at(tensor, i) * bytes;
}

void qc_reference_fake_quantize_grad(const qc_call *call, const qc_steps *steps)
{
    static const char zero[sizeof(double)];
    const qc_tensor *const grad = &call->args[QC_ARG_OF(fake_quantize_grad, grad)];
    const qc_tensor *const dx = &call->args[QC_ARG_OF(fake_quantize_grad, dx)];
    const qc_call masks = mask_call(call);
    for (int64_t i = 0, elems = qc_tensor_elems(dx); i < elems; i++) {
        qc_registers r;
        qc_registers_load(&masks, i, &r);
        qc_steps_evaluate(steps, &r);
        if (r.pass_product) {
            const qc_value product = qc_value_of(qc_load(grad, i) * r.mask);
            qc_store_real(dx, i, &product);
        } else {
            memcpy(address(dx, i), r.mask ? address(grad, i) : zero,
                   qc_dtype_bytes(dx->dtype));
        }
    }
}
