/* SPDX-License-Identifier: Apache-2.0 */
#include "check_requantize.h"

#include <math.h>
#include <string.h>

#define BAD(...) qc_fail(QC_INVALID, message, __VA_ARGS__)

static qc_status forms_agree(const qc_call *call, qc_message *message)
{
    const uint32_t multiplier = call->args[QC_ARG_OF(requantize, multiplier)].dtype;
    const uint32_t shift = call->args[QC_ARG_OF(requantize, shift)].dtype;
    const int32_t params = call->attrs.params;
    if (params != QC_PARAMS_real && params != QC_PARAMS_fixed) {
        return BAD("params: %d, real or fixed expected", params);
    }
    if ((multiplier == QC_S32) != (params == QC_PARAMS_fixed)) {
        return BAD("multiplier: dtype %s, %s expected by params",
                   qc_dtype_name(multiplier),
                   params == QC_PARAMS_fixed ? "s32" : "f32 or f64");
    }
    if ((shift != QC_NONE) != (params == QC_PARAMS_fixed)) {
        return params == QC_PARAMS_fixed ? BAD("shift: missing, params are fixed")
                                         : BAD("shift: none expected, params are real");
    }
    return QC_OK;
}

/* As a double, exactly. */
static double multiplier_at(const qc_tensor *tensor, int64_t i)
{
    const char *const at =
        (const char *)tensor->data +
        qc_tensor_at(tensor, i) * (int64_t)qc_dtype_bytes(tensor->dtype);
    float f32;
    double f64;
    int32_t s32;
    switch (tensor->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    default: memcpy(&s32, at, sizeof s32); return s32;
    }
}

qc_status qc_check_requantize(const qc_call *call, qc_message *message)
{
    const qc_tensor *const multiplier = &call->args[QC_ARG_OF(requantize, multiplier)];
    const int is_fixed = call->attrs.params == QC_PARAMS_fixed;
    const qc_status status = forms_agree(call, message);
    if (status != QC_OK) {
        return status;
    }
    for (int64_t i = 0, n = qc_tensor_elems(multiplier); i < n; i++) {
        const double value = multiplier_at(multiplier, i);
        const int is_good = is_fixed ? value >= 0 : value > 0 && !isinf(value);
        if (!is_good) {
            return BAD("multiplier[%lld]: %g, %s expected", (long long)i, value,
                       is_fixed ? "0 or more" : "finite and > 0");
        }
    }
    return QC_OK;
}
