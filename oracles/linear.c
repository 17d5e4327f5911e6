/* SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"

#include <string.h>

static const qc_tensor *argument(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    uint32_t a = 0;
    while (a < info->arg_count && strcmp(info->args[a].name, name)) {
        a++;
    }
    return a < info->arg_count && call->args[a].dtype != QC_NONE ? &call->args[a] : NULL;
}

void qc_linear_view(const qc_call *call, qc_linear *linear_ret)
{
    const int has_params = call->op == QC_OP_quantized_linear;
    const int is_scales = !has_params || call->attrs.params == QC_PARAMS_scales;
    *linear_ret = (qc_linear){
        .x = argument(call, "x_q"),
        .w = argument(call, "w_q"),
        .x_zp = argument(call, "x_zero_point"),
        .w_zp = argument(call, "w_zero_point"),
        .factor = {argument(call, is_scales ? "x_scale" : "multiplier"),
                   argument(call, "w_scale"), argument(call, "out_scale")},
        .shift = argument(call, "shift"),
        .bias = argument(call, "bias"),
    };
    linear_ret->bias_is_real =
        is_scales && linear_ret->bias && linear_ret->bias->dtype == QC_F32;
    linear_ret->count = linear_ret->x->dims[1];
    linear_ret->columns = linear_ret->w->dims[0];
}

int32_t qc_linear_code(const qc_tensor *codes, int64_t row, int64_t k)
{
    const uint8_t *const data = codes->data;
    const uint8_t bits =
        data[codes->offset + row * codes->strides[0] + k * codes->strides[1]];
    return codes->dtype == QC_U8 ? bits : (int8_t)bits;
}

uint64_t qc_linear_bits(const qc_tensor *parameter, int64_t n)
{
    return qc_arg_bits(parameter, parameter->rank == 0 ? 0 : n);
}

int32_t qc_linear_integer(const qc_tensor *parameter, int64_t n)
{
    return (int32_t)qc_arg_integer(parameter, parameter->rank == 0 ? 0 : n);
}

int qc_linear_is_ideal(const qc_oracle *oracle)
{
    static const char *const lists[] = {
        [QC_OP_linear_s32] = "acc(exact)",
        [QC_OP_quantized_linear_f32] =
            "acc(exact) multiplier(exact,left) bias(exact) out(own)",
    };
    static const char *const to_codes[] = {
        "acc(exact) multiplier(exact,left) bias(exact) rint(half_even) addzp(exact) "
        "clamp(grid)",
        "acc(exact) bias(exact) multiplier(exact,left) rint(half_even) addzp(exact) "
        "clamp(grid)"};
    const qc_call *const call = oracle->call;
    qc_steps wanted;
    const char *const text = call->op == QC_OP_quantized_linear
                                 ? to_codes[call->attrs.params != QC_PARAMS_scales]
                                 : lists[call->op];
    return qc_steps_parse(text, &wanted, NULL) == QC_OK &&
           wanted.count == oracle->steps.count &&
           !memcmp(wanted.step, oracle->steps.step, wanted.count * sizeof(qc_step));
}
