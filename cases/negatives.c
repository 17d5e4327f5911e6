/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that break exactly one rule of semantics.md part V, and must be refused. */
#include "groups.h"
#include "linear.h"
#include "negatives.h"
#include "ranges.h"

#include <math.h>
#include <stdio.h>

static qc_tensor *named(qc_case *item, const char *name)
{
    const uint32_t arg = qc_arg_find(item->call.op, name);
    return arg < QC_MAX_ARGS ? &item->call.args[arg] : NULL;
}

static uint32_t output_of(const qc_case *item)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    uint32_t arg = 0;
    while (!info->args[arg].is_output) {
        arg++;
    }
    return arg;
}

/* The last element of a scale; 0 where the op has none. */
static int put(qc_tensor *tensor, double value)
{
    if (tensor == NULL) {
        return 0;
    }
    qc_bits_store(tensor, qc_tensor_elems(tensor) - 1,
                  qc_bits_of_double(tensor->dtype, value));
    return 1;
}

static int scale_zero(const qc_group *group, qc_case *item)
{
    (void)group;
    return put(named(item, "scale"), 0);
}

static int scale_negative(const qc_group *group, qc_case *item)
{
    (void)group;
    return put(named(item, "scale"), -0.5);
}

static int scale_nan(const qc_group *group, qc_case *item)
{
    (void)group;
    return put(named(item, "scale"), NAN);
}

static int scale_infinite(const qc_group *group, qc_case *item)
{
    (void)group;
    return put(named(item, "scale"), INFINITY);
}

/* V7 in integers. The grid of dequantize is its code dtype's. */
static int put_zero_point(qc_case *item, int64_t value)
{
    qc_tensor *const tensor = named(item, "zero_point");
    if (qc_float_layout_of(tensor->dtype).fraction_bits != 0) {
        return 0;
    }
    qc_bits_store(tensor, qc_tensor_elems(tensor) - 1, (uint64_t)value);
    return 1;
}

static int zero_point_low(const qc_group *group, qc_case *item)
{
    return put_zero_point(item, (int64_t)group->qmin - 1);
}

static int zero_point_high(const qc_group *group, qc_case *item)
{
    return put_zero_point(item, (int64_t)group->qmax + 1);
}

static int zero_point_wraps(const qc_group *group, qc_case *item)
{
    return put_zero_point(item, (int64_t)group->qmin + 256);
}

static int zero_point_nan(const qc_group *group, qc_case *item)
{
    (void)group;
    qc_tensor *const tensor = named(item, "zero_point");
    return tensor->dtype == QC_F32 ? put(tensor, NAN) : 0;
}

static int zero_point_infinite(const qc_group *group, qc_case *item)
{
    (void)group;
    qc_tensor *const tensor = named(item, "zero_point");
    return tensor->dtype == QC_F32 ? put(tensor, -INFINITY) : 0;
}

static int axis_high(const qc_group *group, qc_case *item)
{
    item->call.attrs.axis = (int32_t)item->call.args[qc_op_body(item->call.op)].rank;
    return group->granularity == QC_PER_CHANNEL;
}

static int axis_low(const qc_group *group, qc_case *item)
{
    item->call.attrs.axis = -(int32_t)item->call.args[qc_op_body(item->call.op)].rank - 1;
    return group->granularity == QC_PER_CHANNEL;
}

int qc_break_count(qc_case *item, const char *name)
{
    if (named(item, name) == NULL) {
        return 0;
    }
    qc_tensor longer = *named(item, name);
    const uint64_t bits = qc_bits_load(&longer, 0);
    longer.dims[0] = longer.rank == 1 ? longer.dims[0] + 1 : 1;
    longer.rank = 1;
    qc_tensor_contiguous(&longer);
    if (qc_case_allocate(item, qc_arg_find(item->call.op, name), &longer) != QC_OK) {
        return -1;
    }
    for (int64_t i = 0; i < longer.dims[0]; i++) {
        qc_bits_store(named(item, name), i, bits);
    }
    return 1;
}

static int scale_count(const qc_group *group, qc_case *item)
{
    (void)group;
    return qc_break_count(item, "scale");
}

static int zero_point_count(const qc_group *group, qc_case *item)
{
    (void)group;
    return qc_break_count(item, "zero_point");
}

/* V5, with a zero point that the broken grid would still hold. */
static int set_grid(qc_case *item, int32_t qmin, int32_t qmax)
{
    item->call.attrs.qmin = qmin;
    item->call.attrs.qmax = qmax;
    return qc_op_has_key(item->call.op, QC_ATTR_qmin);
}

static int grid_empty(const qc_group *group, qc_case *item)
{
    (void)group;
    return set_grid(item, 1, 1);
}

static int grid_reversed(const qc_group *group, qc_case *item)
{
    return set_grid(item, group->qmax, group->qmin);
}

static int grid_too_low(const qc_group *group, qc_case *item)
{
    return set_grid(item, group->qmin < 0 ? -129 : -1, group->qmax);
}

static int grid_too_high(const qc_group *group, qc_case *item)
{
    return set_grid(item, group->qmin, group->qmin < 0 ? 128 : 256);
}

/* V1: zeros of a dtype that the argument does not take. */
static int retype(qc_case *item, uint32_t arg, uint32_t dtype)
{
    qc_tensor other = item->call.args[arg];
    other.dtype = dtype;
    return qc_case_allocate(item, arg, &other) == QC_OK ? 1 : -1;
}

static int scale_dtype(const qc_group *group, qc_case *item)
{
    const uint32_t scale = qc_arg_find(group->op, "scale");
    return scale < QC_MAX_ARGS ? retype(item, scale, QC_S32) : 0;
}

static int zero_point_dtype(const qc_group *group, qc_case *item)
{
    return retype(item, qc_arg_find(group->op, "zero_point"), QC_U8);
}

static int body_dtype(const qc_group *group, qc_case *item)
{
    const uint32_t body = qc_op_body(group->op);
    const int takes_s32 = group->op == QC_OP_requantize;
    return retype(item, body, takes_s32 ? QC_F32 : QC_S32);
}

static int output_dtype(const qc_group *group, qc_case *item)
{
    (void)group;
    item->call.args[output_of(item)].dtype = QC_S32;
    return 1;
}

static int output_overlap(const qc_group *group, qc_case *item)
{
    (void)group;
    qc_tensor *const output = &item->call.args[output_of(item)];
    if (output->rank == 0) {
        return 0;
    }
    output->strides[output->rank - 1] = 0;
    return 1;
}

static int output_of_other_float(const qc_group *group, qc_case *item)
{
    const int is_grad = group->op == QC_OP_fake_quantize_grad; /* V10 */
    qc_tensor *const output = named(item, is_grad ? "dx" : "y");
    if (group->op != QC_OP_fake_quantize && !is_grad) {
        return 0;
    }
    output->dtype = output->dtype == QC_F32 ? QC_F64 : QC_F32;
    return 1;
}

static qc_breaker *const breakers[] = {scale_zero,
                                       scale_negative,
                                       scale_nan,
                                       scale_infinite,
                                       zero_point_low,
                                       zero_point_high,
                                       zero_point_wraps,
                                       zero_point_nan,
                                       axis_high,
                                       axis_low,
                                       zero_point_infinite,
                                       scale_count,
                                       zero_point_count,
                                       grid_empty,
                                       grid_reversed,
                                       grid_too_low,
                                       grid_too_high,
                                       scale_dtype,
                                       zero_point_dtype,
                                       body_dtype,
                                       output_dtype,
                                       output_overlap,
                                       output_of_other_float,
                                       qc_break_multiplier_zero,
                                       qc_break_multiplier_negative,
                                       qc_break_multiplier_nan,
                                       qc_break_multiplier_infinite,
                                       qc_break_multiplier_count,
                                       qc_break_multiplier_dtype,
                                       qc_break_shift_missing,
                                       qc_break_shift_unasked,
                                       qc_break_shift_count,
                                       qc_break_params};

enum { BREAKER_COUNT = sizeof breakers / sizeof breakers[0] };

/* Those of ops without a scale and zero point to break. */
static qc_breaker *const common_breakers[] = {
    axis_high,     axis_low,   grid_empty,   grid_reversed, grid_too_low,
    grid_too_high, body_dtype, output_dtype, output_overlap};

enum { COMMON_COUNT = sizeof common_breakers / sizeof common_breakers[0] };

/* The b-th breaker of the group's op, or NULL. */
static qc_breaker *breaker_at(const qc_group *group, int b)
{
    if (!qc_cases_of_ranges(group->op)) {
        return b < BREAKER_COUNT ? breakers[b] : NULL;
    }
    if (b < COMMON_COUNT) {
        return common_breakers[b];
    }
    return b - COMMON_COUNT < qc_range_breaker_count ? qc_range_breakers[b - COMMON_COUNT]
                                                     : NULL;
}

/* Ones everywhere: scale 1, zero point 1 where the grid allows, else qmin. */
static void fill_ones(const qc_group *group, qc_case *item)
{
    const qc_op_info *const info = qc_op_get(group->op);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        qc_tensor *const tensor = &item->call.args[arg];
        const int is_float = qc_float_layout_of(tensor->dtype).fraction_bits != 0;
        const int64_t elems = tensor->data != NULL ? qc_tensor_elems(tensor) : 0;
        for (int64_t i = 0; i < elems; i++) {
            qc_bits_store(tensor, i, is_float ? qc_bits_of_double(tensor->dtype, 1) : 1);
        }
    }
}

static qc_status base_case(const qc_group *group, qc_case *item)
{
    const qc_op_info *const info = qc_op_get(group->op);
    const uint32_t max_rank =
        group->limits.max_rank < QC_MAX_RANK ? group->limits.max_rank : QC_MAX_RANK;
    const uint32_t low = group->limits.min_rank > 2 ? group->limits.min_rank : 2;
    const uint32_t rank = low < max_rank ? low : max_rank;
    int64_t dims[QC_MAX_RANK] = {1, 1, 1, 1, 1, 1};
    qc_status status = QC_OK;
    if (rank > 0) {
        dims[rank - 1] = 3; /* columns are last: no stride of 0 there goes unseen */
    }
    if (rank > 1) {
        dims[rank - 2] = 2;
    }
    qc_case_init(item, (qc_op)group->op);
    snprintf(item->profile, sizeof item->profile, "%s", group->profile);
    item->call.attrs.axis =
        group->granularity == QC_PER_CHANNEL ? (int32_t)rank - 1 : QC_AXIS_NONE;
    if (qc_op_choice(group->op) != QC_ATTR_COUNT) {
        qc_attr_write(&item->call.attrs, qc_op_choice(group->op), group->choice);
    }
    if (group->op == QC_OP_observe && group->choice == QC_OBSERVER_moving_average) {
        item->call.attrs.averaging = 0.5;
    }
    for (uint32_t arg = 0; arg < info->arg_count && status == QC_OK; arg++) {
        qc_tensor tensor = {.dtype = group->dtypes[arg], .rank = rank};
        memcpy(tensor.dims, dims, sizeof dims);
        if (info->args[arg].shape == QC_SHAPE_CHANNEL) {
            tensor.rank = group->granularity == QC_PER_CHANNEL;
            tensor.dims[0] = rank > 0 ? dims[rank - 1] : 1;
        }
        qc_tensor_contiguous(&tensor);
        if (info->args[arg].is_output || tensor.dtype == QC_NONE) {
            item->call.args[arg].dtype = tensor.dtype;
        } else {
            status = qc_case_allocate(item, arg, &tensor);
        }
    }
    qc_case_shape_outputs(item);
    fill_ones(group, item);
    set_grid(item, group->qmin, group->qmax);
    return status;
}

/* The n-th breaker that applies, or the count of those that do where n is negative. */
static int64_t visit(const qc_group *group, int64_t n, qc_case *item, qc_status *status)
{
    int64_t count = 0;
    for (int b = 0; breaker_at(group, b); b++) {
        *status = base_case(group, item);
        const int broken = *status == QC_OK ? breaker_at(group, b)(group, item) : -1;
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

int64_t qc_group_negatives(const qc_group *group)
{
    if (qc_op_is_linear(group->op)) {
        return qc_linear_negatives(group);
    }
    qc_case item;
    qc_status status = QC_OK;
    const int64_t count = visit(group, -1, &item, &status);
    return status == QC_OK ? count : 0;
}

qc_status qc_group_negative(const qc_group *group, uint64_t seed, int64_t i,
                            qc_case *case_ret)
{
    (void)seed; /* nothing in these calls is random */
    if (qc_op_is_linear(group->op)) {
        return qc_linear_negative(group, i, case_ret);
    }
    qc_status status = QC_OK;
    visit(group, i, case_ret, &status);
    if (status != QC_OK) {
        qc_case_free(case_ret);
    }
    return status;
}
