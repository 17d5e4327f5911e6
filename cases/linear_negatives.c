/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of linear that break exactly one rule, V1, V5, V8 or V11 to V14. */
#include "linear.h"

#include <math.h>
#include <stdio.h>

enum { M = 2, N = 3, K = 4 };

/* What breaks: 0 when the group has no such argument, below 0 when memory is short. */
typedef int (*breaker)(const qc_group *group, qc_case *item);

static int put_last(qc_case *item, const char *name, int64_t value)
{
    const qc_tensor *const t = qc_linear_arg(item, name);
    if (t && !(QC_SET_FLOATS >> t->dtype & 1)) {
        qc_bits_store(t, qc_tensor_elems(t) - 1, (uint64_t)value);
    }
    return t && !(QC_SET_FLOATS >> t->dtype & 1);
}

static int put_last_real(qc_case *item, const char *name, double value)
{
    const qc_tensor *const t = qc_linear_arg(item, name);
    if (t && (QC_SET_FLOATS >> t->dtype & 1)) {
        qc_bits_store(t, qc_tensor_elems(t) - 1, qc_bits_of_double(t->dtype, value));
    }
    return t && (QC_SET_FLOATS >> t->dtype & 1);
}

/* The same argument with other dims or dtype, filled with one element's bits. */
static int reshape(qc_case *item, const char *name, uint32_t dtype, uint32_t rank,
                   int64_t rows, int64_t columns)
{
    const qc_tensor *const old = qc_linear_arg(item, name);
    if (!old) {
        return 0;
    }
    qc_tensor t = {
        .dtype = dtype ? dtype : old->dtype, .rank = rank, .dims = {rows, columns}};
    const uint64_t bits = qc_bits_load(old, 0);
    qc_tensor_contiguous(&t);
    const uint32_t arg = qc_arg_find(item->call.op, name);
    if (qc_case_allocate(item, arg, &t) != QC_OK) {
        return -1;
    }
    for (int64_t i = 0; i < qc_tensor_elems(&t); i++) {
        qc_bits_store(&item->call.args[arg], i, bits);
    }
    return 1;
}

static int drop(qc_case *item, const char *name)
{
    qc_tensor *const t = qc_linear_arg(item, name);
    if (t) {
        *t = (qc_tensor){.dtype = QC_NONE};
    }
    return t != NULL;
}

/* An argument that these params do not take. */
static int add(qc_case *item, const char *name, uint32_t dtype, double value)
{
    const uint32_t arg = qc_arg_find(item->call.op, name);
    if (arg == QC_MAX_ARGS || item->call.args[arg].dtype != QC_NONE) {
        return 0;
    }
    qc_tensor t = {.dtype = dtype};
    qc_tensor_contiguous(&t);
    if (qc_case_allocate(item, arg, &t) != QC_OK) {
        return -1;
    }
    qc_bits_store(&item->call.args[arg], 0,
                  dtype == QC_S8 ? (uint64_t)value : qc_bits_of_double(dtype, value));
    return 1;
}

#define BREAKER(name, ...)                                \
    static int name(const qc_group *group, qc_case *item) \
    {                                                     \
        (void)group;                                      \
        return __VA_ARGS__;                               \
    }

static int64_t low_of(const qc_case *item, int side)
{
    return item->call.args[side].dtype == QC_S8 ? INT8_MIN : 0;
}

BREAKER(k_differs, reshape(item, "w_q", 0, 2, N, K + 1))
BREAKER(x_rank, reshape(item, "x_q", 0, 1, K, 0))
BREAKER(w_rank, reshape(item, "w_q", 0, 1, K, 0))
BREAKER(x_dtype, reshape(item, "x_q", QC_S32, 2, M, K))
BREAKER(bias_length, reshape(item, "bias", 0, 1, N + 1, 0))
BREAKER(bias_rank, reshape(item, "bias", 0, 0, 0, 0))
BREAKER(bias_dtype, reshape(item, "bias", QC_F64, 1, N, 0))
BREAKER(w_scale_length, reshape(item, "w_scale", 0, 1, N - 1, 0))
BREAKER(multiplier_length, reshape(item, "multiplier", 0, 1, N + 1, 0))
BREAKER(shift_length, reshape(item, "shift", 0, 1, N + 1, 0))
BREAKER(w_zp_length, reshape(item, "w_zero_point", 0, 1, N + 1, 0))
BREAKER(x_zp_rank, reshape(item, "x_zero_point", 0, 1, 1, 0))
BREAKER(x_scale_rank, reshape(item, "x_scale", 0, 1, 1, 0))
BREAKER(x_zp_low, put_last(item, "x_zero_point", low_of(item, 0) - 1))
BREAKER(x_zp_high, put_last(item, "x_zero_point", low_of(item, 0) + 256))
BREAKER(w_zp_low, put_last(item, "w_zero_point", low_of(item, 1) - 1))
BREAKER(w_zp_high, put_last(item, "w_zero_point", low_of(item, 1) + 256))
BREAKER(out_zp_low, put_last(item, "out_zero_point", group->qmin - 1))
BREAKER(out_zp_high, put_last(item, "out_zero_point", group->qmax + 1))
BREAKER(x_scale_zero, put_last_real(item, "x_scale", 0))
BREAKER(x_scale_infinite, put_last_real(item, "x_scale", INFINITY))
BREAKER(w_scale_nan, put_last_real(item, "w_scale", NAN))
BREAKER(w_scale_negative, put_last_real(item, "w_scale", -1))
BREAKER(out_scale_zero, put_last_real(item, "out_scale", 0))
BREAKER(out_scale_nan, put_last_real(item, "out_scale", NAN))
BREAKER(multiplier_zero, put_last_real(item, "multiplier", 0))
BREAKER(multiplier_infinite, put_last_real(item, "multiplier", INFINITY))
BREAKER(multiplier_negative, put_last(item, "multiplier", -1))
BREAKER(bias_nan, put_last_real(item, "bias", NAN))
BREAKER(bias_infinite, put_last_real(item, "bias", -INFINITY))
BREAKER(x_scale_missing, drop(item, "x_scale"))
BREAKER(w_scale_missing, drop(item, "w_scale"))
BREAKER(out_scale_missing, drop(item, "out_scale"))
BREAKER(multiplier_missing, drop(item, "multiplier"))
BREAKER(shift_missing, drop(item, "shift"))
BREAKER(shift_extra, add(item, "shift", QC_S8, 0))
BREAKER(multiplier_extra, add(item, "multiplier", QC_F32, 1))
BREAKER(x_scale_extra, add(item, "x_scale", QC_F32, 1))
BREAKER(out_scale_extra, add(item, "out_scale", QC_F32, 1))

/* With params=fixed a bias is s32. */
static int bias_of_fixed(const qc_group *group, qc_case *item)
{
    const int is_fixed =
        group->op == QC_OP_quantized_linear && group->choice == QC_PARAMS_fixed;
    return is_fixed ? reshape(item, "bias", QC_F32, 1, N, 0) : 0;
}

static int grid_empty(const qc_group *group, qc_case *item)
{
    item->call.attrs.qmin = item->call.attrs.qmax = 1;
    return group->op == QC_OP_quantized_linear;
}

static int params_unknown(const qc_group *group, qc_case *item)
{
    item->call.attrs.params = QC_PARAMS_real;
    return group->op == QC_OP_quantized_linear;
}

static int output_overlaps(const qc_group *group, qc_case *item)
{
    item->call.args[qc_op_get(group->op)->arg_count - 1].strides[1] = 0;
    return 1;
}

static int output_dtype(const qc_group *group, qc_case *item)
{
    item->call.args[qc_op_get(group->op)->arg_count - 1].dtype = QC_F64;
    return 1;
}

static const breaker breakers[] = {k_differs,
                                   x_rank,
                                   w_rank,
                                   x_dtype,
                                   bias_length,
                                   bias_rank,
                                   bias_dtype,
                                   w_scale_length,
                                   multiplier_length,
                                   shift_length,
                                   w_zp_length,
                                   x_zp_rank,
                                   x_scale_rank,
                                   x_zp_low,
                                   x_zp_high,
                                   w_zp_low,
                                   w_zp_high,
                                   out_zp_low,
                                   out_zp_high,
                                   x_scale_zero,
                                   x_scale_infinite,
                                   w_scale_nan,
                                   w_scale_negative,
                                   out_scale_zero,
                                   out_scale_nan,
                                   multiplier_zero,
                                   multiplier_infinite,
                                   multiplier_negative,
                                   bias_nan,
                                   bias_infinite,
                                   x_scale_missing,
                                   w_scale_missing,
                                   out_scale_missing,
                                   multiplier_missing,
                                   shift_missing,
                                   shift_extra,
                                   multiplier_extra,
                                   x_scale_extra,
                                   out_scale_extra,
                                   bias_of_fixed,
                                   grid_empty,
                                   params_unknown,
                                   output_overlaps,
                                   output_dtype};

enum { BREAKER_COUNT = sizeof breakers / sizeof breakers[0] };

/* A valid call of ones: codes, zero points, scales and biases. */
static qc_status base_case(const qc_group *group, qc_case *item)
{
    const qc_op_info *const info = qc_op_get(group->op);
    qc_status status = QC_OK;
    qc_case_init(item, (qc_op)group->op);
    snprintf(item->profile, sizeof item->profile, "%s", group->profile);
    for (uint32_t arg = 0; arg < info->arg_count && status == QC_OK; arg++) {
        const uint32_t rule = info->args[arg].shape;
        qc_tensor t = {.dtype = group->dtypes[arg],
                       .rank = rule == QC_SHAPE_MK || rule == QC_SHAPE_NK ? 2
                               : rule == QC_SHAPE_N                       ? 1
                                                                          : 0,
                       .dims = {rule == QC_SHAPE_MK ? M : N, K}};
        if (rule == QC_SHAPE_N1) {
            t.rank = group->granularity == QC_PER_CHANNEL;
        }
        qc_tensor_contiguous(&t);
        if (info->args[arg].is_output || t.dtype == QC_NONE) {
            item->call.args[arg].dtype = t.dtype;
            continue;
        }
        status = qc_case_allocate(item, arg, &t);
        for (int64_t i = 0; status == QC_OK && i < qc_tensor_elems(&t); i++) {
            qc_bits_store(&item->call.args[arg], i,
                          QC_SET_FLOATS >> t.dtype & 1 ? qc_bits_of_double(t.dtype, 1)
                                                       : 1);
        }
    }
    qc_case_shape_outputs(item);
    if (group->op == QC_OP_quantized_linear) {
        item->call.attrs.params = (int32_t)group->choice;
        item->call.attrs.qmin = group->qmin;
        item->call.attrs.qmax = group->qmax;
    }
    return status;
}

/* The n-th breaker that applies, or the count of those that do where n is negative. */
static int64_t visit(const qc_group *group, int64_t n, qc_case *item, qc_status *status)
{
    int64_t count = 0;
    for (int b = 0; b < BREAKER_COUNT; b++) {
        *status = base_case(group, item);
        const int broken = *status == QC_OK ? breakers[b](group, item) : -1;
        if (broken < 0) {
            *status = QC_NO_MEMORY;
        }
        if (broken < 0 || (broken > 0 && count == n)) {
            return count;
        }
        qc_case_free(item);
        count += broken;
    }
    return count;
}

int64_t qc_linear_negatives(const qc_group *group)
{
    qc_case item;
    qc_status status = QC_OK;
    const int64_t count = visit(group, -1, &item, &status);
    return status == QC_OK ? count : 0;
}

qc_status qc_linear_negative(const qc_group *group, int64_t i, qc_case *case_ret)
{
    qc_status status = QC_OK;
    visit(group, i, case_ret, &status);
    if (status != QC_OK) {
        qc_case_free(case_ret);
    }
    return status;
}
