/* SPDX-License-Identifier: Apache-2.0 */
/* Rules V1 to V9 once more, from semantics.md alone; contract/check.c is the other
   reading, and tests hold the two against each other. Values are judged on their bits. */
#include <string.h>

#include "engine.h"
#include "ranges.h"
#include "linear.h"

__extension__ typedef __int128 wide;

typedef struct judgement {
    const qc_call *call;
    const qc_op_info *info;
    qc_message *message;
} judgement;

#define REFUSE(...) qc_fail(QC_INVALID, j->message, __VA_ARGS__)

/* V1 */
static qc_status presence(const judgement *j, uint32_t a)
{
    const uint32_t dtype = j->call->args[a].dtype;
    const qc_arg_info *const arg = &j->info->args[a];
    if (dtype == QC_NONE && arg->is_needed) {
        return REFUSE("%s is absent, needed by %s", arg->name, j->info->name);
    }
    if (dtype != QC_NONE && (dtype >= QC_DTYPE_COUNT || !(arg->dtypes >> dtype & 1))) {
        return REFUSE("%s has dtype %s, which %s does not take", arg->name,
                      qc_dtype_name(dtype), j->info->name);
    }
    return QC_OK;
}

/* V2: the number of elements, the last index and both factors of each stay below 2^63. */
static qc_status extent(const judgement *j, uint32_t a)
{
    const qc_tensor *const t = &j->call->args[a];
    const char *const name = j->info->args[a].name;
    wide elems = 1;
    wide last = t->offset;
    int is_empty = 0;
    if (t->rank > QC_MAX_RANK) {
        return REFUSE("%s has rank %u, expected 0 ... %d", name, (unsigned)t->rank,
                      QC_MAX_RANK);
    }
    for (uint32_t d = 0; d < t->rank; d++) {
        if (t->dims[d] < 0 || t->strides[d] < 0) {
            return REFUSE("%s has a negative dim or stride (dim %u)", name, (unsigned)d);
        }
        is_empty |= t->dims[d] == 0;
    }
    for (uint32_t d = 0; d < t->rank && !is_empty; d++) {
        elems *= t->dims[d];
        const wide reach = (wide)(t->dims[d] - 1) * t->strides[d];
        last = reach > INT64_MAX ? reach : last + reach;
        if (elems > INT64_MAX || last > INT64_MAX) {
            return REFUSE("%s reaches beyond 2^63 elements", name);
        }
    }
    if (t->offset < 0) {
        return REFUSE("%s has a negative offset", name);
    }
    /* An output's memory is the backend's affair: a case has none. */
    return !is_empty && !t->data && !j->info->args[a].is_output
               ? REFUSE("%s has elements but no data", name)
               : QC_OK;
}

/* V3 and V4 */
static qc_status shape(const judgement *j, uint32_t a)
{
    const qc_tensor *const t = &j->call->args[a];
    const qc_tensor *const body = &j->call->args[qc_op_body(j->call->op)];
    const char *const name = j->info->args[a].name;
    const uint32_t rule = j->info->args[a].shape;
    const int32_t axis = j->call->attrs.axis;
    if (rule == QC_SHAPE_LIKE) {
        for (uint32_t d = 0; d < t->rank; d++) {
            if (t->rank != body->rank || t->dims[d] != body->dims[d]) {
                return REFUSE("%s must have the dims of the input", name);
            }
        }
        return t->rank == body->rank ? QC_OK
                                     : REFUSE("%s must have the input's rank", name);
    }
    if (rule != QC_SHAPE_CHANNEL) {
        return QC_OK;
    }
    if (axis == QC_AXIS_NONE) {
        return t->rank == 0 ? QC_OK
                            : REFUSE("%s must be a scalar, there is no axis", name);
    }
    const int64_t at = axis < 0 ? (int64_t)axis + body->rank : axis;
    if (at < 0 || at >= (int64_t)body->rank) {
        return REFUSE("axis %d is outside a tensor of rank %u", (int)axis,
                      (unsigned)body->rank);
    }
    const int is_one_each = t->rank == 1 && t->dims[0] == body->dims[at];
    return is_one_each ? QC_OK : REFUSE("%s must have one entry per channel", name);
}

/* V8: sorted by stride, each dim steps over everything that those before it reach. */
static qc_status separation(const judgement *j, uint32_t a)
{
    const qc_tensor *const t = &j->call->args[a];
    uint32_t order[QC_MAX_RANK];
    uint32_t count = 0;
    int64_t reach = 0;
    if (qc_tensor_elems(t) == 0) {
        return QC_OK;
    }
    for (uint32_t d = 0; d < t->rank; d++) {
        uint32_t at = count;
        if (t->dims[d] < 2) {
            continue;
        }
        for (; at > 0 && t->strides[order[at - 1]] > t->strides[d]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = d;
        count++;
    }
    for (uint32_t n = 0; n < count; n++) {
        const int64_t stride = t->strides[order[n]];
        if (stride <= reach) {
            return REFUSE("%s: elements share a place (stride %lld of dim %u)",
                          j->info->args[a].name, (long long)stride, (unsigned)order[n]);
        }
        reach += stride * (t->dims[order[n]] - 1);
    }
    return QC_OK;
}

/* The grid that the op judges zero points by; without qmin and qmax, the code's whole
 * range. */
static void grid_of(const judgement *j, int32_t *qmin_ret, int32_t *qmax_ret)
{
    const int is_u8 = qc_call_code_dtype(j->call) == QC_U8;
    *qmin_ret = is_u8 ? 0 : INT8_MIN;
    *qmax_ret = is_u8 ? UINT8_MAX : INT8_MAX;
    if (qc_op_has_key(j->call->op, QC_ATTR_qmin)) {
        const qc_attrs *const attrs = &j->call->attrs;
        *qmin_ret = attrs->qmin == QC_GRID_DEFAULT ? *qmin_ret : attrs->qmin;
        *qmax_ret = attrs->qmax == QC_GRID_DEFAULT ? *qmax_ret : attrs->qmax;
    }
}

/* V5 */
static qc_status grid(const judgement *j)
{
    const uint32_t code = qc_call_code_dtype(j->call);
    int32_t qmin;
    int32_t qmax;
    grid_of(j, &qmin, &qmax);
    if (qmin >= qmax) {
        return REFUSE("qmin %d must lie below qmax %d", (int)qmin, (int)qmax);
    }
    const int is_s8 = qmin >= INT8_MIN && qmax <= INT8_MAX;
    const int is_u8 = qmin >= 0 && qmax <= UINT8_MAX;
    if ((is_s8 && code != QC_U8) || (is_u8 && code != QC_S8)) {
        return QC_OK;
    }
    return REFUSE("grid %d ... %d lies outside %s", (int)qmin, (int)qmax,
                  code == QC_NONE ? "both s8 and u8" : qc_dtype_name(code));
}

/* Fields of f32 or f64 bits. */
static int is_finite_bits(uint32_t dtype, uint64_t bits)
{
    return dtype == QC_F64 ? (bits >> 52 & 0x7ff) != 0x7ff : (bits >> 23 & 0xff) != 0xff;
}

static int is_positive_bits(uint32_t dtype, uint64_t bits)
{
    return bits != 0 && bits >> (dtype == QC_F64 ? 63 : 31) == 0;
}

/* V6 */
static qc_status scales(const judgement *j, uint32_t a)
{
    const qc_tensor *const t = &j->call->args[a];
    if (!(QC_SET_SCALES >> t->dtype & 1)) {
        return QC_OK;
    }
    for (int64_t i = 0; i < qc_tensor_elems(t); i++) {
        const uint64_t bits = qc_arg_bits(t, i);
        if (!is_finite_bits(t->dtype, bits) || !is_positive_bits(t->dtype, bits)) {
            return REFUSE("%s %lld is not finite and > 0 (bits 0x%llx)",
                          j->info->args[a].name, (long long)i, (unsigned long long)bits);
        }
    }
    return QC_OK;
}

/* V7 */
static qc_status zero_points(const judgement *j, uint32_t a)
{
    const qc_tensor *const t = &j->call->args[a];
    int32_t qmin;
    int32_t qmax;
    grid_of(j, &qmin, &qmax);
    for (int64_t i = 0; i < qc_tensor_elems(t); i++) {
        if (t->dtype == QC_F32) {
            if (!is_finite_bits(QC_F32, qc_arg_bits(t, i))) {
                return REFUSE("%s %lld is not finite", j->info->args[a].name,
                              (long long)i);
            }
        } else if (qc_arg_integer(t, i) < qmin || qc_arg_integer(t, i) > qmax) {
            return REFUSE("%s %lld is %lld, outside the grid %d ... %d",
                          j->info->args[a].name, (long long)i,
                          (long long)qc_arg_integer(t, i), (int)qmin, (int)qmax);
        }
    }
    return QC_OK;
}

static qc_status layout(const judgement *j, uint32_t a)
{
    const qc_arg_info *const arg = &j->info->args[a];
    qc_status status = presence(j, a);
    if (status != QC_OK || j->call->args[a].dtype == QC_NONE) {
        return status;
    }
    status = extent(j, a);
    if (status == QC_OK) {
        status = shape(j, a);
    }
    if (status == QC_OK && arg->is_output) {
        status = separation(j, a);
    }
    return status;
}

/* Values are read only after every layout was found sound. */
static qc_status values(const judgement *j, uint32_t a)
{
    const qc_arg_info *const arg = &j->info->args[a];
    if (arg->is_output || j->call->args[a].dtype == QC_NONE) {
        return QC_OK;
    }
    if (!strcmp(arg->name, "scale")) {
        return scales(j, a);
    }
    return strcmp(arg->name, "zero_point") ? QC_OK : zero_points(j, a);
}

/* V9 and V10 */
static qc_status dtypes_agree(const judgement *j)
{
    const qc_tensor *const args = j->call->args;
    if (j->call->op == QC_OP_fake_quantize &&
        args[QC_ARG_OF(fake_quantize, y)].dtype !=
            args[QC_ARG_OF(fake_quantize, x)].dtype) {
        return REFUSE("y must have the dtype of x");
    }
    if (j->call->op == QC_OP_fake_quantize_grad &&
        args[QC_ARG_OF(fake_quantize_grad, dx)].dtype !=
            args[QC_ARG_OF(fake_quantize_grad, grad)].dtype) {
        return REFUSE("dx must have the dtype of grad");
    }
    return QC_OK;
}

qc_status qc_oracle_validate(const qc_call *call, qc_message *message)
{
    const judgement given = {call, qc_op_get(call->op), message};
    const judgement *const j = &given;
    if (!given.info) {
        return REFUSE("op %u does not exist", (unsigned)call->op);
    }
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < given.info->arg_count && status == QC_OK; a++) {
        status = layout(j, a);
    }
    if (status == QC_OK) {
        status = grid(j);
    }
    for (uint32_t a = 0; a < given.info->arg_count && status == QC_OK; a++) {
        status = values(j, a);
    }
    if (status == QC_OK) {
        status = qc_ranges_validate(call, message);
    }
    if (status == QC_OK && qc_op_is_linear(call->op)) {
        status = qc_linear_validate(call, message);
    }
    if (status == QC_OK && call->op == QC_OP_requantize) {
        status = qc_validate_requantize(call, message);
    }
    return status == QC_OK ? dtypes_agree(j) : status;
}
