/* SPDX-License-Identifier: Apache-2.0 */
/* Validity of calls, rules V1 to V9 of semantics.md. The oracles have a judgement of their
   own; a test holds the two against each other. */
#include "check_ranges.h"
#include "check_linear.h"
#include "check_requantize.h"
#include "quantcert/half.h"
#include "quantcert/ops.h"

#include <math.h>
#include <string.h>

#define BAD(...) qc_fail(QC_INVALID, message, __VA_ARGS__)

/* V1: present where needed, and of a dtype that the op takes. */
static qc_status dtype_check(const qc_arg_info *arg, const qc_tensor *tensor,
                             qc_message *message)
{
    if (tensor->dtype == QC_NONE) {
        return arg->is_needed ? BAD("%s: missing", arg->name) : QC_OK;
    }
    if (tensor->dtype >= QC_DTYPE_COUNT || !(arg->dtypes & QC_DTYPE_BIT(tensor->dtype))) {
        return BAD("%s: dtype %s is not taken", arg->name, qc_dtype_name(tensor->dtype));
    }
    return QC_OK;
}

/* V2: a rank, dims and strides that name elements. */
static qc_status layout_check(const qc_arg_info *arg, const qc_tensor *tensor,
                              qc_message *message)
{
    if (tensor->rank > QC_MAX_RANK) {
        return BAD("%s: rank %u, at most %d expected", arg->name, tensor->rank,
                   QC_MAX_RANK);
    }
    const int64_t elems = qc_tensor_elems(tensor);
    if (elems < 0) {
        return BAD("%s: a dim is negative, or the size overflows", arg->name);
    }
    int64_t high = tensor->offset;
    if (tensor->offset < 0) {
        return BAD("%s: the offset must not be negative", arg->name);
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        int64_t reach = 0;
        if (tensor->strides[d] < 0) {
            return BAD("%s: strides must not be negative", arg->name);
        }
        if (elems &&
            (__builtin_mul_overflow(tensor->dims[d] - 1, tensor->strides[d], &reach) ||
             __builtin_add_overflow(high, reach, &high))) {
            return BAD("%s: the strides reach beyond 2^63 elements", arg->name);
        }
    }
    return elems && !tensor->data ? BAD("%s: no data", arg->name) : QC_OK;
}

/* V8: no two elements of an output share a place. Strides must nest: ordered by stride, each
   dim steps over all that the smaller ones reach. */
static qc_status output_check(const qc_arg_info *arg, const qc_tensor *tensor,
                              qc_message *message)
{
    int64_t reach = 0;
    uint32_t done = 0;
    for (uint32_t n = 0; n < tensor->rank; n++) {
        uint32_t next = QC_MAX_RANK;
        for (uint32_t d = 0; d < tensor->rank; d++) {
            if (!(done >> d & 1) &&
                (next == QC_MAX_RANK || tensor->strides[d] < tensor->strides[next])) {
                next = d;
            }
        }
        done |= 1u << next;
        if (tensor->dims[next] > 1) {
            if (tensor->strides[next] <= reach) {
                return BAD("%s: elements of an output overlap (dim %u, stride %lld)",
                           arg->name, next, (long long)tensor->strides[next]);
            }
            reach += (tensor->dims[next] - 1) * tensor->strides[next];
        }
    }
    return QC_OK;
}

/* V3: the dims of the body. */
static qc_status like_check(const qc_arg_info *arg, const qc_tensor *tensor,
                            const qc_tensor *body, qc_message *message)
{
    if (tensor->rank != body->rank ||
        memcmp(tensor->dims, body->dims, body->rank * sizeof body->dims[0])) {
        return BAD("%s: its dims differ from the input's", arg->name);
    }
    return QC_OK;
}

/* V4: rank 0 per tensor; one entry per channel else. */
static qc_status channel_check(const qc_arg_info *arg, const qc_tensor *tensor,
                               const qc_call *call, const qc_tensor *body,
                               qc_message *message)
{
    int32_t axis = call->attrs.axis;
    if (axis == QC_AXIS_NONE) {
        return tensor->rank == 0 ? QC_OK
                                 : BAD("%s: rank 0 expected without axis, found rank %u",
                                       arg->name, tensor->rank);
    }
    const int32_t rank = (int32_t)body->rank;
    if (axis < -rank || axis >= rank) {
        return BAD("axis: %d does not lie in %d ... %d", axis, -rank, rank - 1);
    }
    axis += axis < 0 ? rank : 0;
    if (tensor->rank != 1 || tensor->dims[0] != body->dims[axis]) {
        return BAD("%s: one entry per channel expected, %lld", arg->name,
                   (long long)body->dims[axis]);
    }
    return QC_OK;
}

/* V5: qmin < qmax, inside the code dtype; without one, inside s8's range or u8's. */
static qc_status grid_check(const qc_call *call, qc_message *message)
{
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    const qc_dtype code = qc_call_code_dtype(call);
    const int fits_s8 = qmin >= INT8_MIN && qmax <= INT8_MAX && code != QC_U8;
    const int fits_u8 = qmin >= 0 && qmax <= UINT8_MAX && code != QC_S8;
    if (qmin >= qmax || !(fits_s8 || fits_u8)) {
        return BAD("qmin, qmax: %d ... %d is no grid of %s", qmin, qmax,
                   code == QC_NONE ? "s8 or u8" : qc_dtype_name(code));
    }
    return QC_OK;
}

static double element(const qc_tensor *tensor, int64_t i)
{
    const char *const at =
        (const char *)tensor->data +
        qc_tensor_at(tensor, i) * (int64_t)qc_dtype_bytes(tensor->dtype);
    union {
        float f32;
        double f64;
        uint16_t half;
        int8_t s8;
        uint8_t u8;
        int32_t s32;
    } v;
    memcpy(&v, at, qc_dtype_bytes(tensor->dtype));
    switch (tensor->dtype) {
    case QC_F32: return v.f32;
    case QC_F64: return v.f64;
    case QC_F16: return qc_f16_to_f32(v.half);
    case QC_BF16: return qc_bf16_to_f32(v.half);
    case QC_S8: return v.s8;
    case QC_U8: return v.u8;
    default: return v.s32;
    }
}

/* V6: scales and real multipliers are finite and > 0. */
static qc_status scale_check(const qc_arg_info *arg, const qc_tensor *tensor,
                             qc_message *message)
{
    for (int64_t i = 0, n = qc_tensor_elems(tensor); i < n; i++) {
        const double scale = element(tensor, i);
        if (!(scale > 0) || isinf(scale)) {
            return BAD("%s[%lld]: %g, finite and > 0 expected", arg->name, (long long)i,
                       scale);
        }
    }
    return QC_OK;
}

/* V7: integer zero points lie in the grid, float ones are finite. */
static qc_status zero_point_check(const qc_arg_info *arg, const qc_tensor *tensor,
                                  const qc_call *call, qc_message *message)
{
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    for (int64_t i = 0, n = qc_tensor_elems(tensor); i < n; i++) {
        int64_t whole = 0;
        if (tensor->dtype == QC_S64) {
            memcpy(&whole, (const int64_t *)tensor->data + qc_tensor_at(tensor, i),
                   sizeof whole);
        } else {
            const double value = element(tensor, i);
            if (!isfinite(value)) {
                return BAD("%s[%lld]: finite expected", arg->name, (long long)i);
            }
            whole = tensor->dtype == QC_F32 ? qmin : (int64_t)value;
        }
        if (whole < qmin || whole > qmax) {
            return BAD("%s[%lld]: %lld does not lie in the grid %d ... %d", arg->name,
                       (long long)i, (long long)whole, qmin, qmax);
        }
    }
    return QC_OK;
}

static qc_status argument_check(const qc_call *call, const qc_op_info *info, uint32_t a,
                                qc_message *message)
{
    const qc_arg_info *const arg = &info->args[a];
    const qc_tensor *const tensor = &call->args[a];
    const qc_tensor *const body = &call->args[qc_op_body(call->op)];
    qc_status status = dtype_check(arg, tensor, message);
    if (status == QC_OK && tensor->dtype != QC_NONE) {
        status = layout_check(arg, tensor, message);
        if (status == QC_OK && arg->is_output) {
            status = output_check(arg, tensor, message);
        }
        if (status == QC_OK && arg->shape == QC_SHAPE_LIKE) {
            status = like_check(arg, tensor, body, message);
        }
        if (status == QC_OK && arg->shape == QC_SHAPE_CHANNEL) {
            status = channel_check(arg, tensor, call, body, message);
        }
    }
    return status;
}

/* Rules on values, which may be read only when every layout is known to be sound. */
static qc_status values_check(const qc_call *call, const qc_op_info *info,
                              qc_message *message)
{
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        const qc_arg_info *const arg = &info->args[a];
        if (!strcmp(arg->name, "scale") && !arg->is_output) {
            status = scale_check(arg, &call->args[a], message);
        } else if (!strcmp(arg->name, "zero_point") && !arg->is_output) {
            status = zero_point_check(arg, &call->args[a], call, message);
        }
    }
    return status;
}

/* V9: fake quantization stays in its input's dtype. V10: a gradient keeps its dtype. */
static qc_status agreement_check(const qc_call *call, qc_message *message)
{
    const qc_tensor *const args = call->args;
    if (call->op == QC_OP_fake_quantize && args[QC_ARG_OF(fake_quantize, y)].dtype !=
                                               args[QC_ARG_OF(fake_quantize, x)].dtype) {
        return BAD("y: dtype %s, that of x expected",
                   qc_dtype_name(args[QC_ARG_OF(fake_quantize, y)].dtype));
    }
    if (call->op == QC_OP_fake_quantize_grad &&
        args[QC_ARG_OF(fake_quantize_grad, dx)].dtype !=
            args[QC_ARG_OF(fake_quantize_grad, grad)].dtype) {
        return BAD("dx: dtype %s, that of grad expected",
                   qc_dtype_name(args[QC_ARG_OF(fake_quantize_grad, dx)].dtype));
    }
    return QC_OK;
}

qc_status qc_call_check(const qc_call *call, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(call->op);
    if (!info) {
        return BAD("op: number %u is none of the %d ops", call->op, QC_OP_COUNT);
    }
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        status = argument_check(call, info, a, message);
    }
    if (status == QC_OK) {
        status = grid_check(call, message);
    }
    if (status == QC_OK) {
        status = values_check(call, info, message);
    }
    if (status == QC_OK) {
        status = qc_ranges_check(call, message);
    }
    if (status == QC_OK && qc_op_is_linear(call->op)) {
        status = qc_check_linear(call, message);
    }
    if (status == QC_OK && call->op == QC_OP_requantize) {
        status = qc_check_requantize(call, message);
    }
    return status == QC_OK ? agreement_check(call, message) : status;
}
