/* SPDX-License-Identifier: Apache-2.0 */
/* Forward and backward of qc_fake_quantizer: the kernels under its parameters. */
#include "fake_quantizer.h"

/* Under parameters that any x takes: what remains are layouts. */
static qc_status layouts_check(const qc_fake_quantizer *quantizer, const qc_tensor *x,
                               const qc_tensor *y, const qc_tensor *mask,
                               qc_message *message)
{
    const qc_kernel_options *const o = &quantizer->kernel;
    float one = 1;
    int32_t lowest = o->narrow ? o->qmin : INT8_MIN;
    qc_tensor scale = {.dtype = QC_F32, .rank = o->per_channel ? 1 : 0, .data = &one};
    qc_call call;
    qc_call_init(&call, QC_OP_fake_quantize);
    if (x && o->per_channel && x->rank <= QC_MAX_RANK) {
        const int32_t axis = o->axis + (o->axis < 0 ? (int32_t)x->rank : 0);
        scale.dims[0] = axis >= 0 && axis < (int32_t)x->rank ? x->dims[axis] : 0;
    }
    qc_tensor zero_point = scale;
    zero_point.dtype = QC_S32;
    zero_point.data = &lowest;
    call.attrs.axis = o->per_channel ? o->axis : QC_AXIS_NONE;
    call.attrs.qmin = o->narrow ? o->qmin : QC_GRID_DEFAULT;
    call.attrs.qmax = o->narrow ? o->qmax : QC_GRID_DEFAULT;
    call.args[QC_ARG_OF(fake_quantize, scale)] = scale;
    call.args[QC_ARG_OF(fake_quantize, zero_point)] = zero_point;
    if (x) {
        call.args[QC_ARG_OF(fake_quantize, x)] = *x;
    }
    if (y) {
        call.args[QC_ARG_OF(fake_quantize, y)] = *y;
    }
    if (mask) {
        call.args[QC_ARG_OF(fake_quantize, mask)] = *mask;
    }
    return qc_call_check(&call, message);
}

qc_status qc_fake_quantizer_forward(qc_fake_quantizer *quantizer, const qc_tensor *x,
                                    const qc_tensor *y, const qc_tensor *mask,
                                    qc_message *message)
{
    const qc_kernel_options *const o = &quantizer->kernel;
    const int is_real = o->mask_form == QC_MASK_FORM_real;
    qc_kernel_options forward = *o;
    qc_status status = layouts_check(quantizer, x, y, mask, message);
    status = status == QC_OK ? qc_fake_quantizer_record(quantizer, x, message) : status;
    status = status == QC_OK ? qc_fake_quantizer_derive(quantizer, message) : status;
    if (status == QC_OK && mask && is_real) {
        status =
            qc_ste_mask(x, &quantizer->scale, &quantizer->zero_point, mask, o, message);
    }
    forward.mask_form = QC_MASK_FORM_grid; /* the only one that the kernel has */
    if (status == QC_OK) {
        status = qc_fake_quantize(x, &quantizer->scale, &quantizer->zero_point, y,
                                  is_real ? NULL : mask, &forward, message);
    }
    return status;
}

qc_status qc_fake_quantizer_backward(const qc_fake_quantizer *quantizer,
                                     const qc_tensor *grad, const qc_tensor *x,
                                     const qc_tensor *dx, qc_message *message)
{
    if (!quantizer->is_derived) {
        return qc_fail(QC_INVALID, message,
                       "no parameters were derived, a forward expected first");
    }
    return qc_fake_quantize_grad(grad, x, &quantizer->scale, &quantizer->zero_point, dx,
                                 &quantizer->kernel, message);
}
