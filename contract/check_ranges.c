/* SPDX-License-Identifier: Apache-2.0 */
/* Validity of choose_qparams and observe, rules V30 to V35 of semantics.md. */
#include "check_ranges.h"

#include "quantcert/half.h"

#include <math.h>
#include <string.h>

#define BAD(...) qc_fail(QC_INVALID, message, __VA_ARGS__)

static double real(const qc_tensor *tensor, int64_t i)
{
    const size_t bytes = qc_dtype_bytes(tensor->dtype);
    const char *const at =
        (const char *)tensor->data + qc_tensor_at(tensor, i) * (int64_t)bytes;
    float f32;
    double f64;
    uint16_t half;
    switch (tensor->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    case QC_F16: memcpy(&half, at, sizeof half); return qc_f16_to_f32(half);
    default: memcpy(&half, at, sizeof half); return qc_bf16_to_f32(half);
    }
}

/* V30, V33: one dtype for the range, its state and the batch. */
static qc_status dtypes_check(const qc_call *call, uint32_t first, uint32_t last,
                              qc_message *message)
{
    const qc_arg_info *const info = qc_op_get(call->op)->args;
    for (uint32_t a = first + 1; a <= last; a++) {
        const uint32_t dtype = call->args[a].dtype;
        if (dtype != QC_NONE && dtype != call->args[first].dtype) {
            return BAD("%s: dtype %s, that of %s expected, %s", info[a].name,
                       qc_dtype_name(dtype), info[first].name,
                       qc_dtype_name(call->args[first].dtype));
        }
    }
    return QC_OK;
}

/* V32: 1 when a / steps, or (a + b) / steps, is at least the largest scale and half a unit:
   then it rounds to infinity. All is halved, so that nothing overflows; the bits that a
   subnormal loses do not matter beside such a bound. The sum is compared by its two parts. */
static int scale_overflows(double a, double b, int32_t steps, uint32_t dtype)
{
    const double bound =
        dtype == QC_F64 ? (0x1p54 - 1) * 0x1p969 : (0x1p25 - 1) * 0x1p102;
    if (steps > 1 && dtype == QC_F64) {
        return 0; /* two finite f64 numbers, divided by two or more */
    }
    const double sum = 0.5 * a + 0.5 * b;
    const double back = sum - 0.5 * a;
    const double lost = (0.5 * a - (sum - back)) + (0.5 * b - back);
    return sum > steps * bound || (sum == steps * bound && lost >= 0);
}

static qc_status range_check(const qc_call *call, int64_t i, int32_t steps,
                             qc_message *message)
{
    const double min = real(&call->args[QC_ARG_OF(choose_qparams, min)], i);
    const double max = real(&call->args[QC_ARG_OF(choose_qparams, max)], i);
    const uint32_t scale = call->args[QC_ARG_OF(choose_qparams, scale)].dtype;
    if (!isfinite(min) || !isfinite(max)) {
        return BAD("%s[%lld]: %g, finite expected", isfinite(min) ? "max" : "min",
                   (long long)i, isfinite(min) ? max : min);
    }
    if (min > max) {
        return BAD("min[%lld]: %g lies above max %g", (long long)i, min, max);
    }
    const double low = fmax(-min, 0);
    const double high = fmax(max, 0);
    const int is_affine = call->attrs.scheme == QC_SCHEME_affine;
    if (scale_overflows(is_affine ? low : fmax(low, high), is_affine ? high : 0, steps,
                        scale)) {
        return BAD("min[%lld], max: the scale of %g ... %g is beyond %s", (long long)i,
                   min, max, qc_dtype_name(scale));
    }
    return QC_OK;
}

static qc_status qparams_check(const qc_call *call, qc_message *message)
{
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    const int is_affine = call->attrs.scheme == QC_SCHEME_affine;
    const int64_t elems = qc_tensor_elems(&call->args[QC_ARG_OF(choose_qparams, min)]);
    qc_status status = dtypes_check(call, QC_ARG_OF(choose_qparams, min),
                                    QC_ARG_OF(choose_qparams, max), message);
    if (status == QC_OK && !is_affine && qmax - qmin < 2) {
        return BAD("qmin, qmax: %d ... %d, three codes or more expected for symmetric",
                   qmin, qmax);
    }
    const int32_t steps = is_affine ? qmax - qmin : (qmax - qmin) / 2;
    for (int64_t i = 0; i < elems && status == QC_OK; i++) {
        status = range_check(call, i, steps, message);
    }
    return status;
}

/* V34 */
static qc_status state_check(const qc_call *call, qc_message *message)
{
    const qc_tensor *const low = &call->args[QC_ARG_OF(observe, old_min)];
    const qc_tensor *const high = &call->args[QC_ARG_OF(observe, old_max)];
    for (int64_t c = 0, channels = qc_tensor_elems(low); c < channels; c++) {
        if (!(real(low, c) <= real(high, c))) {
            return BAD("old_min[%lld]: %g, a number and at most old_max, %g, expected",
                       (long long)c, real(low, c), real(high, c));
        }
    }
    return QC_OK;
}

/* V35: one pass; a channel's dims, all but the axis, are outer * inner. */
static qc_status first_check(const qc_call *call, qc_message *message)
{
    const qc_tensor *const x = &call->args[QC_ARG_OF(observe, x)];
    const int32_t axis = call->attrs.axis + (call->attrs.axis < 0 ? (int32_t)x->rank : 0);
    const int is_whole = call->attrs.axis == QC_AXIS_NONE;
    const int64_t channels = is_whole ? 1 : x->dims[axis];
    const int64_t elems = qc_tensor_elems(x);
    int64_t inner = is_whole ? elems : 1;
    for (uint32_t d = is_whole ? x->rank : (uint32_t)axis + 1; d < x->rank; d++) {
        inner *= x->dims[d];
    }
    for (int64_t c = 0; c < channels; c++) {
        int found = 0;
        for (int64_t row = c * inner; row < elems && !found; row += channels * inner) {
            for (int64_t i = row; i < row + inner && !found; i++) {
                found = !isnan(real(x, i));
            }
        }
        if (!found) {
            return BAD("x: nothing but NaN in channel %lld, and no state: old_min and "
                       "old_max, or a value, expected",
                       (long long)c);
        }
    }
    return QC_OK;
}

static qc_status observe_check(const qc_call *call, qc_message *message)
{
    const int has_min = call->args[QC_ARG_OF(observe, old_min)].dtype != QC_NONE;
    const int has_max = call->args[QC_ARG_OF(observe, old_max)].dtype != QC_NONE;
    const double c = call->attrs.averaging;
    const qc_status status =
        dtypes_check(call, QC_ARG_OF(observe, x), QC_ARG_OF(observe, max), message);
    if (status != QC_OK) {
        return status;
    }
    if (has_min != has_max) {
        return BAD("%s: missing, the state is both ends of a range",
                   has_min ? "old_max" : "old_min");
    }
    if (call->attrs.observer == QC_OBSERVER_moving_average && !(c > 0 && c <= 1)) {
        return BAD("averaging: %g, above 0 and at most 1 expected", c);
    }
    return has_min ? state_check(call, message) : first_check(call, message);
}

qc_status qc_ranges_check(const qc_call *call, qc_message *message)
{
    switch (call->op) {
    case QC_OP_choose_qparams: return qparams_check(call, message);
    case QC_OP_observe: return observe_check(call, message);
    default: return QC_OK;
    }
}
