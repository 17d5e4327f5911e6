/* SPDX-License-Identifier: Apache-2.0 */
#include "check_linear.h"

#include <math.h>
#include <string.h>

#define BAD(...) qc_fail(QC_INVALID, message, __VA_ARGS__)

static const qc_tensor *named(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name)) {
            return call->args[a].dtype != QC_NONE ? &call->args[a] : NULL;
        }
    }
    return NULL;
}

/* V11: what the shape rule asks of one argument, M, N and K being known. */
static qc_status shape_check(const qc_arg_info *arg, const qc_tensor *t,
                             const int64_t mnk[3], qc_message *message)
{
    const int64_t wanted[][2] = {[QC_SHAPE_MK] = {mnk[0], mnk[2]},
                                 [QC_SHAPE_NK] = {mnk[1], mnk[2]},
                                 [QC_SHAPE_MN] = {mnk[0], mnk[1]},
                                 [QC_SHAPE_N] = {mnk[1], 0},
                                 [QC_SHAPE_N1] = {mnk[1], 0}};
    const uint32_t rank = arg->shape == QC_SHAPE_SCALAR                           ? 0
                          : arg->shape == QC_SHAPE_N || arg->shape == QC_SHAPE_N1 ? 1
                                                                                  : 2;
    if (t->rank == 0 && arg->shape == QC_SHAPE_N1) {
        return QC_OK;
    }
    if (t->rank != rank) {
        return BAD("%s: rank %u, %u%s expected", arg->name, t->rank, rank,
                   arg->shape == QC_SHAPE_N1 ? " or 0" : "");
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (t->dims[d] != wanted[arg->shape][d]) {
            return BAD("%s: dim %u is %lld, %lld expected", arg->name, d,
                       (long long)t->dims[d], (long long)wanted[arg->shape][d]);
        }
    }
    return QC_OK;
}

static qc_status shapes_check(const qc_call *call, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(call->op);
    const qc_tensor *const x = &call->args[QC_ARG_OF(linear_s32, x_q)];
    const qc_tensor *const w = &call->args[QC_ARG_OF(linear_s32, w_q)];
    if (x->rank != 2 || w->rank != 2) {
        return BAD("%s: rank %u, 2 expected", x->rank != 2 ? "x_q" : "w_q",
                   x->rank != 2 ? x->rank : w->rank);
    }
    const int64_t mnk[3] = {x->dims[0], w->dims[0], x->dims[1]};
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (call->args[a].dtype != QC_NONE) {
            status = shape_check(&info->args[a], &call->args[a], mnk, message);
        }
    }
    return status;
}

/* An element as a double: exact but for s64 beyond 2^53, which no rule here takes. */
static double element(const qc_tensor *t, int64_t i)
{
    const char *const at =
        (const char *)t->data + qc_tensor_at(t, i) * (int64_t)qc_dtype_bytes(t->dtype);
    float f32;
    double f64;
    int32_t s32;
    int64_t s64;
    switch (t->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    case QC_S32: memcpy(&s32, at, sizeof s32); return s32;
    default: memcpy(&s64, at, sizeof s64); return (double)s64;
    }
}

/* V12 and V13: every element lies in low ... high; open: low itself does not. */
static qc_status range_check(const qc_call *call, const char *name, double low,
                             double high, int open, qc_message *message)
{
    const qc_tensor *const t = named(call, name);
    for (int64_t i = 0, n = t ? qc_tensor_elems(t) : 0; i < n; i++) {
        const double value = element(t, i);
        if (!(value <= high) || !(open ? value > low : value >= low)) {
            return BAD("%s[%lld]: %g, %s%g ... %g expected", name, (long long)i, value,
                       open ? "above " : "", low, high);
        }
    }
    return QC_OK;
}

static qc_status zero_points_check(const qc_call *call, qc_message *message)
{
    static const char *const names[2] = {"x_zero_point", "w_zero_point"};
    int32_t qmin;
    int32_t qmax;
    qc_status status = QC_OK;
    for (int side = 0; side < 2 && status == QC_OK; side++) {
        const int is_s8 = call->args[side].dtype == QC_S8; /* x_q, w_q */
        status = range_check(call, names[side], is_s8 ? INT8_MIN : 0,
                             is_s8 ? INT8_MAX : UINT8_MAX, 0, message);
    }
    qc_call_grid(call, &qmin, &qmax);
    return status == QC_OK ? range_check(call, "out_zero_point", qmin, qmax, 0, message)
                           : status;
}

/* V13: only floats have a reason to be refused, and a fixed multiplier below 0. */
static qc_status reals_check(const qc_call *call, qc_message *message)
{
    static const char *const scales[4] = {"x_scale", "w_scale", "out_scale",
                                          "multiplier"};
    const qc_tensor *const bias = named(call, "bias");
    qc_status status = QC_OK;
    for (int s = 0; s < 4 && status == QC_OK; s++) {
        const qc_tensor *const t = named(call, scales[s]);
        const int is_fixed = t && t->dtype == QC_S32;
        status =
            range_check(call, scales[s], 0, is_fixed ? INT32_MAX : 0x1.fffffffffffffp1023,
                        !is_fixed, message);
    }
    return status == QC_OK && bias && bias->dtype == QC_F32
               ? range_check(call, "bias", -0x1.fffffep127, 0x1.fffffep127, 0, message)
               : status;
}

/* V14: the arguments that each word of params has and lacks. */
static qc_status params_check(const qc_call *call, qc_message *message)
{
    static const struct {
        const char *name;
        uint32_t words; /* set of 1 << qc_params that have it; others lack it */
    } rows[] = {
        {"x_scale", 1u << QC_PARAMS_scales},
        {"w_scale", 1u << QC_PARAMS_scales},
        {"out_scale", 1u << QC_PARAMS_scales},
        {"multiplier", 1u << QC_PARAMS_multiplier | 1u << QC_PARAMS_fixed},
        {"shift", 1u << QC_PARAMS_fixed},
    };
    const uint32_t params = (uint32_t)call->attrs.params;
    if (params > QC_PARAMS_fixed) {
        return BAD("params: scales, multiplier or fixed expected");
    }
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const int is_there = named(call, rows[r].name) != NULL;
        if (is_there != (int)(rows[r].words >> params & 1)) {
            return BAD("%s: %s with params=%s", rows[r].name,
                       is_there ? "not taken" : "missing",
                       qc_attr_word(QC_ATTR_params, params));
        }
    }
    const qc_tensor *const multiplier = named(call, "multiplier");
    const qc_tensor *const bias = named(call, "bias");
    const uint32_t wanted = params == QC_PARAMS_fixed ? QC_S32 : QC_F32;
    if (multiplier && multiplier->dtype != wanted) {
        return BAD("multiplier: dtype %s, %s expected with params=%s",
                   qc_dtype_name(multiplier->dtype), qc_dtype_name(wanted),
                   qc_attr_word(QC_ATTR_params, params));
    }
    return bias && params == QC_PARAMS_fixed && bias->dtype != QC_S32
               ? BAD("bias: dtype f32, s32 expected with params=fixed")
               : QC_OK;
}

qc_status qc_check_linear(const qc_call *call, qc_message *message)
{
    qc_status status = shapes_check(call, message);
    if (status == QC_OK && call->op == QC_OP_quantized_linear) {
        status = params_check(call, message);
    }
    if (status == QC_OK) {
        status = zero_points_check(call, message);
    }
    return status == QC_OK ? reals_check(call, message) : status;
}
