/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions: arguments become a call record, which is checked before
   anything. */
#include "quantcert/kernels.h"
#include "kernel.h"

#include <string.h>

#define THE_ARGUMENT(tensor) (tensor ? *(tensor) : (qc_tensor){.dtype = QC_NONE})

/* An unknown word of an option is the caller's error, as any other argument's. */
static qc_status options_apply(const qc_kernel_options *options, qc_call *call,
                               qc_message *message)
{
    static const qc_kernel_options defaults = {0};
    const qc_kernel_options *const o = options ? options : &defaults;
    call->profile = o->profile ? o->profile : "ideal";
    call->attrs.axis = o->per_channel ? o->axis : QC_AXIS_NONE;
    if (o->narrow) {
        call->attrs.qmin = o->qmin;
        call->attrs.qmax = o->qmax;
    }
    call->attrs.scale_form = o->scale_form;
    call->attrs.threads = o->threads;
    call->attrs.mask_form = o->mask_form;
    if (call->op == QC_OP_choose_qparams && o->per_channel) {
        return qc_fail(QC_INVALID, message,
                       "per_channel: 1, 0 expected: ranges are one an element");
    }
    if (qc_profile_check(call, message) != QC_OK) {
        return QC_INVALID; /* with the same message */
    }
    const int may_multiply = qc_op_has_key(call->op, QC_ATTR_scale_form);
    if (o->scale_form != QC_SCALE_FORM_divide &&
        !(may_multiply && o->scale_form == QC_SCALE_FORM_multiply)) {
        return qc_fail(QC_INVALID, message, "scale_form: %d, %s expected", o->scale_form,
                       may_multiply ? "0 (divide) or 1 (multiply)" : "0 (divide)");
    }
    const int has_masks = qc_op_has_key(call->op, QC_ATTR_mask_form);
    if (o->mask_form != QC_MASK_FORM_grid &&
        !(has_masks && o->mask_form == QC_MASK_FORM_real)) {
        return qc_fail(QC_INVALID, message, "mask_form: %d, %s expected", o->mask_form,
                       has_masks ? "0 (grid) or 1 (real)" : "0");
    }
    return QC_OK;
}

static qc_status call_run(qc_call *call, const qc_kernel_options *options,
                          qc_message *message)
{
    uint32_t rung;
    qc_status status = options_apply(options, call, message);
    if (status == QC_OK) {
        status = qc_call_check(call, message);
    }
    if (status == QC_OK) {
        status = qc_rung_top(&rung, message);
    }
    if (status == QC_OK) {
        qc_walk(call, qc_kernel_find(call->op, rung));
    }
    return status;
}

qc_status qc_quantize(const qc_tensor *x, const qc_tensor *scale,
                      const qc_tensor *zero_point, const qc_tensor *q,
                      const qc_kernel_options *options, qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_quantize);
    call.args[QC_ARG_OF(quantize, x)] = THE_ARGUMENT(x);
    call.args[QC_ARG_OF(quantize, scale)] = THE_ARGUMENT(scale);
    call.args[QC_ARG_OF(quantize, zero_point)] = THE_ARGUMENT(zero_point);
    call.args[QC_ARG_OF(quantize, q)] = THE_ARGUMENT(q);
    return call_run(&call, options, message);
}

qc_status qc_dequantize(const qc_tensor *q, const qc_tensor *scale,
                        const qc_tensor *zero_point, const qc_tensor *y,
                        const qc_kernel_options *options, qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_dequantize);
    call.args[QC_ARG_OF(dequantize, q)] = THE_ARGUMENT(q);
    call.args[QC_ARG_OF(dequantize, scale)] = THE_ARGUMENT(scale);
    call.args[QC_ARG_OF(dequantize, zero_point)] = THE_ARGUMENT(zero_point);
    call.args[QC_ARG_OF(dequantize, y)] = THE_ARGUMENT(y);
    return call_run(&call, options, message);
}

qc_status qc_fake_quantize(const qc_tensor *x, const qc_tensor *scale,
                           const qc_tensor *zero_point, const qc_tensor *y,
                           const qc_tensor *mask, const qc_kernel_options *options,
                           qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_fake_quantize);
    call.args[QC_ARG_OF(fake_quantize, x)] = THE_ARGUMENT(x);
    call.args[QC_ARG_OF(fake_quantize, scale)] = THE_ARGUMENT(scale);
    call.args[QC_ARG_OF(fake_quantize, zero_point)] = THE_ARGUMENT(zero_point);
    call.args[QC_ARG_OF(fake_quantize, y)] = THE_ARGUMENT(y);
    call.args[QC_ARG_OF(fake_quantize, mask)] = THE_ARGUMENT(mask);
    return call_run(&call, options, message);
}

/* The word of an op's choice, as any other argument's. */
static qc_status word_check(const char *name, uint32_t attr, uint32_t word,
                            qc_message *message)
{
    return qc_attr_word(attr, word)
               ? QC_OK
               : qc_fail(QC_INVALID, message, "%s: %u, 0 (%s) or 1 (%s) expected", name,
                         word, qc_attr_word(attr, 0), qc_attr_word(attr, 1));
}

qc_status qc_choose_qparams(const qc_tensor *min, const qc_tensor *max, uint32_t scheme,
                            const qc_tensor *scale, const qc_tensor *zero_point,
                            const qc_kernel_options *options, qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_choose_qparams);
    call.attrs.scheme = (int32_t)scheme;
    call.args[QC_ARG_OF(choose_qparams, min)] = THE_ARGUMENT(min);
    call.args[QC_ARG_OF(choose_qparams, max)] = THE_ARGUMENT(max);
    call.args[QC_ARG_OF(choose_qparams, scale)] = THE_ARGUMENT(scale);
    call.args[QC_ARG_OF(choose_qparams, zero_point)] = THE_ARGUMENT(zero_point);
    const qc_status status = word_check("scheme", QC_ATTR_scheme, scheme, message);
    return status == QC_OK ? call_run(&call, options, message) : status;
}

qc_status qc_observe(const qc_tensor *x, const qc_tensor *old_min,
                     const qc_tensor *old_max, uint32_t observer, double averaging,
                     const qc_tensor *min, const qc_tensor *max,
                     const qc_kernel_options *options, qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_observe);
    call.attrs.observer = (int32_t)observer;
    call.attrs.averaging = averaging;
    call.args[QC_ARG_OF(observe, x)] = THE_ARGUMENT(x);
    call.args[QC_ARG_OF(observe, old_min)] = THE_ARGUMENT(old_min);
    call.args[QC_ARG_OF(observe, old_max)] = THE_ARGUMENT(old_max);
    call.args[QC_ARG_OF(observe, min)] = THE_ARGUMENT(min);
    call.args[QC_ARG_OF(observe, max)] = THE_ARGUMENT(max);
    const qc_status status = word_check("observer", QC_ATTR_observer, observer, message);
    return status == QC_OK ? call_run(&call, options, message) : status;
}

/* Every argument that the struct has and the op does not must be absent. */
static qc_status linear_run(qc_op op, const qc_linear_args *args, const qc_tensor *out,
                            const qc_kernel_options *options, qc_message *message)
{
    if (!args) {
        return qc_fail(QC_INVALID, message, "args: missing");
    }
    const struct {
        const char *name;
        const qc_tensor *tensor;
    } given[] = {{"x_q", args->x_q},
                 {"w_q", args->w_q},
                 {"x_zero_point", args->x_zero_point},
                 {"w_zero_point", args->w_zero_point},
                 {"x_scale", args->x_scale},
                 {"w_scale", args->w_scale},
                 {"out_scale", args->out_scale},
                 {"multiplier", args->multiplier},
                 {"shift", args->shift},
                 {"bias", args->bias},
                 {"out_zero_point", args->out_zero_point}};
    const qc_op_info *const info = qc_op_get(op);
    qc_call call;
    qc_call_init(&call, op);
    call.attrs.params = args->params;
    call.args[info->arg_count - 1] = THE_ARGUMENT(out);
    for (size_t g = 0; g < sizeof given / sizeof given[0]; g++) {
        uint32_t a = 0;
        while (a + 1 < info->arg_count && strcmp(info->args[a].name, given[g].name)) {
            a++;
        }
        if (a + 1 < info->arg_count) {
            call.args[a] = THE_ARGUMENT(given[g].tensor);
        } else if (given[g].tensor) {
            return qc_fail(QC_INVALID, message, "%s: not taken by %s", given[g].name,
                           info->name);
        }
    }
    return call_run(&call, options, message);
}

qc_status qc_linear_s32(const qc_linear_args *args, const qc_tensor *acc,
                        const qc_kernel_options *options, qc_message *message)
{
    return linear_run(QC_OP_linear_s32, args, acc, options, message);
}

qc_status qc_quantized_linear(const qc_linear_args *args, const qc_tensor *q,
                              const qc_kernel_options *options, qc_message *message)
{
    return linear_run(QC_OP_quantized_linear, args, q, options, message);
}

qc_status qc_quantized_linear_f32(const qc_linear_args *args, const qc_tensor *y,
                                  const qc_kernel_options *options, qc_message *message)
{
    return linear_run(QC_OP_quantized_linear_f32, args, y, options, message);
}

qc_status qc_ste_mask(const qc_tensor *x, const qc_tensor *scale,
                      const qc_tensor *zero_point, const qc_tensor *mask,
                      const qc_kernel_options *options, qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_ste_mask);
    call.args[QC_ARG_OF(ste_mask, x)] = THE_ARGUMENT(x);
    call.args[QC_ARG_OF(ste_mask, scale)] = THE_ARGUMENT(scale);
    call.args[QC_ARG_OF(ste_mask, zero_point)] = THE_ARGUMENT(zero_point);
    call.args[QC_ARG_OF(ste_mask, mask)] = THE_ARGUMENT(mask);
    return call_run(&call, options, message);
}

qc_status qc_fake_quantize_grad(const qc_tensor *grad, const qc_tensor *x,
                                const qc_tensor *scale, const qc_tensor *zero_point,
                                const qc_tensor *dx, const qc_kernel_options *options,
                                qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_fake_quantize_grad);
    call.args[QC_ARG_OF(fake_quantize_grad, grad)] = THE_ARGUMENT(grad);
    call.args[QC_ARG_OF(fake_quantize_grad, x)] = THE_ARGUMENT(x);
    call.args[QC_ARG_OF(fake_quantize_grad, scale)] = THE_ARGUMENT(scale);
    call.args[QC_ARG_OF(fake_quantize_grad, zero_point)] = THE_ARGUMENT(zero_point);
    call.args[QC_ARG_OF(fake_quantize_grad, dx)] = THE_ARGUMENT(dx);
    return call_run(&call, options, message);
}

qc_status qc_requantize(const qc_tensor *acc, const qc_tensor *multiplier,
                        const qc_tensor *shift, const qc_tensor *zero_point,
                        const qc_tensor *q, const qc_kernel_options *options,
                        qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_requantize);
    call.attrs.params =
        multiplier && multiplier->dtype == QC_S32 ? QC_PARAMS_fixed : QC_PARAMS_real;
    call.args[QC_ARG_OF(requantize, acc)] = THE_ARGUMENT(acc);
    call.args[QC_ARG_OF(requantize, multiplier)] = THE_ARGUMENT(multiplier);
    call.args[QC_ARG_OF(requantize, shift)] = THE_ARGUMENT(shift);
    call.args[QC_ARG_OF(requantize, zero_point)] = THE_ARGUMENT(zero_point);
    call.args[QC_ARG_OF(requantize, q)] = THE_ARGUMENT(q);
    return call_run(&call, options, message);
}

const char *qc_kernels_rung(void)
{
    uint32_t rung;
    return qc_rung_top(&rung, NULL) == QC_OK ? qc_rung_name(rung) : "none";
}
