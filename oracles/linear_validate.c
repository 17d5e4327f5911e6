/* SPDX-License-Identifier: Apache-2.0 */
/* Rules V11 to V14 once more, from semantics.md alone; contract/check_linear.c is the
   other reading. Values are judged on their bits. */
#include "linear.h"

#include <string.h>

#define REFUSE(...) qc_fail(QC_INVALID, message, __VA_ARGS__)

static const qc_tensor *at(const qc_call *call, uint32_t a)
{
    return &call->args[a];
}

/* V11 */
static qc_status dims(const qc_call *call, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(call->op);
    const int64_t *const x = at(call, QC_ARG_OF(linear_s32, x_q))->dims;
    const int64_t *const w = at(call, QC_ARG_OF(linear_s32, w_q))->dims;
    for (uint32_t a = 0; a < info->arg_count; a++) {
        const qc_tensor *const t = at(call, a);
        const uint32_t rule = info->args[a].shape;
        int fits = 1;
        switch (t->dtype == QC_NONE ? QC_SHAPE_BODY : rule) {
        case QC_SHAPE_MK:
        case QC_SHAPE_NK: fits = t->rank == 2 && t->dims[1] == x[1]; break;
        case QC_SHAPE_MN:
            fits = t->rank == 2 && t->dims[0] == x[0] && t->dims[1] == w[0];
            break;
        case QC_SHAPE_N: fits = t->rank == 1 && t->dims[0] == w[0]; break;
        case QC_SHAPE_N1:
            fits = t->rank == 0 || (t->rank == 1 && t->dims[0] == w[0]);
            break;
        case QC_SHAPE_SCALAR: fits = t->rank == 0; break;
        default: break;
        }
        if (!fits) {
            return REFUSE("%s does not fit x_q [M,K] and w_q [N,K]", info->args[a].name);
        }
    }
    return QC_OK;
}

/* V14, as what stands where: one letter for each of x_scale w_scale out_scale multiplier
   shift, f a float, i an integer, - nothing. */
static qc_status presence(const qc_call *call, qc_message *message)
{
    static const char *const wanted[] = {[QC_PARAMS_scales] = "fff--",
                                         [QC_PARAMS_multiplier] = "---f-",
                                         [QC_PARAMS_fixed] = "---ii"};
    char found[6] = "-----";
    if (call->attrs.params < 0 || call->attrs.params > QC_PARAMS_fixed) {
        return REFUSE("params %d is none of linear", (int)call->attrs.params);
    }
    for (uint32_t a = 0; a < 5; a++) {
        const uint32_t dtype = at(call, QC_ARG_OF(quantized_linear, x_scale) + a)->dtype;
        if (dtype != QC_NONE) {
            found[a] = QC_SET_FLOATS >> dtype & 1 ? 'f' : 'i';
        }
    }
    if (strcmp(found, wanted[call->attrs.params])) {
        return REFUSE("scales, multiplier and shift do not fit params (%s, expected %s)",
                      found, wanted[call->attrs.params]);
    }
    return call->attrs.params == QC_PARAMS_fixed &&
                   at(call, QC_ARG_OF(quantized_linear, bias))->dtype == QC_F32
               ? REFUSE("bias must be s32 with params=fixed")
               : QC_OK;
}

/* V12 and V13 on one element's bits. */
static int is_sound(const qc_call *call, const char *name, const qc_tensor *t, int64_t i)
{
    const uint64_t bits = qc_arg_bits(t, i);
    const int is_f64 = t->dtype == QC_F64;
    int32_t low;
    int32_t high;
    if (QC_SET_FLOATS >> t->dtype & 1) {
        const uint64_t top = is_f64 ? bits >> 52 : bits >> 23;
        const uint64_t ones = is_f64 ? 0x7ff : 0xff;
        const int is_positive = bits != 0 && top <= ones;
        return (top & ones) != ones && (!strcmp(name, "bias") || is_positive);
    }
    if (!strcmp(name, "multiplier")) {
        return qc_arg_integer(t, i) >= 0;
    }
    if (!strstr(name, "zero_point")) {
        return 1; /* codes, shifts and integer biases: all values */
    }
    qc_call_grid(call, &low, &high);
    if (name[0] != 'o') {
        const uint32_t side = name[0] == 'w'; /* argument 1, else 0 */
        low = at(call, side)->dtype == QC_U8 ? 0 : -128;
        high = low + 255;
    }
    return qc_arg_integer(t, i) >= low && qc_arg_integer(t, i) <= high;
}

qc_status qc_linear_validate(const qc_call *call, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(call->op);
    qc_status status = dims(call, message);
    if (status == QC_OK && call->op == QC_OP_quantized_linear) {
        status = presence(call, message);
    }
    for (uint32_t a = 2; a < info->arg_count && status == QC_OK; a++) {
        const qc_tensor *const t = at(call, a);
        const int64_t elems =
            t->dtype == QC_NONE || info->args[a].is_output ? 0 : qc_tensor_elems(t);
        for (int64_t i = 0; i < elems && status == QC_OK; i++) {
            status =
                is_sound(call, info->args[a].name, t, i)
                    ? QC_OK
                    : REFUSE("%s %lld is out of range", info->args[a].name, (long long)i);
        }
    }
    return status;
}
