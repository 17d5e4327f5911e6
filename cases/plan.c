/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes, axes and layouts of a group's cases: a fixed list, the same for every seed. */
#include "groups.h"
#include "ranges.h"
#include "linear.h"

#include <string.h>

#define LENGTHS \
    65 /* cases 0 ... 64 have rows of 1 ... 65 elements: each lane, each tail */

static uint32_t pick_rank(const qc_group *group, uint64_t i, uint32_t low)
{
    const uint32_t high =
        group->limits.max_rank > QC_MAX_RANK ? QC_MAX_RANK : group->limits.max_rank;
    low = low < group->limits.min_rank ? group->limits.min_rank : low;
    low = low > high ? high : low;
    return low + (uint32_t)(i % (high - low + 1));
}

static uint32_t axis_of(const qc_plan_of_case *plan)
{
    return (uint32_t)(plan->axis + (plan->axis < 0 ? (int32_t)plan->body.rank : 0));
}

/* Every axis in turn, counted from the front and from the end. */
static void set_axis(const qc_group *group, uint64_t i, qc_plan_of_case *plan)
{
    const int32_t rank = (int32_t)plan->body.rank;
    plan->axis = QC_AXIS_NONE;
    if (group->granularity == QC_PER_CHANNEL && rank > 0) {
        plan->axis = (int32_t)(i / 2 % (uint64_t)rank) - (i % 2 ? rank : 0);
    }
}

/* Rows of i + 1 elements; few leading elements, so that tails are many. */
static void plan_length(const qc_group *group, uint64_t i, qc_plan_of_case *plan)
{
    static const int64_t channels[5] = {2, 1, 3, 16, 17};
    qc_tensor *const body = &plan->body;
    const int64_t length = (int64_t)i + 1;
    body->rank = pick_rank(group, i, 1);
    for (uint32_t d = 0; d < body->rank; d++) {
        body->dims[d] = d + 1 == body->rank ? length : 1 + (d == 0 && i % 8 == 5);
    }
    set_axis(group, i, plan);
    if (plan->axis != QC_AXIS_NONE && axis_of(plan) + 1 < body->rank) {
        body->dims[axis_of(plan)] = channels[length <= 24 ? i % 5 : i % 3];
    }
    plan->in = i % 5 == 4 ? (qc_layout)(i / 5 % QC_LAYOUT_COUNT) : QC_LAYOUT_PLAIN;
    plan->out = i % 7 == 6 ? (qc_layout)(i / 7 % QC_LAYOUT_SHARED) : QC_LAYOUT_PLAIN;
}

/* One of each kind of shape that kernels trip over. */
static void plan_shape(const qc_group *group, uint64_t i, qc_plan_of_case *plan)
{
    static const struct {
        uint32_t rank;
        int64_t dims[QC_MAX_RANK];
        qc_layout in;
        qc_layout out;
    } shapes[] = {
        {0, {0}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {0, {0}, QC_LAYOUT_OFFSET, QC_LAYOUT_OFFSET},
        {1, {0}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {2, {3, 0}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {3, {0, 2, 5}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {6, {2, 1, 0, 3, 1, 2}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {4, {2, 16, 3, 5}, QC_LAYOUT_CHANNELS_LAST, QC_LAYOUT_CHANNELS_LAST},
        {4, {1, 17, 5, 3}, QC_LAYOUT_CHANNELS_LAST, QC_LAYOUT_PLAIN},
        {4, {2, 3, 7, 5}, QC_LAYOUT_PLAIN, QC_LAYOUT_CHANNELS_LAST},
        {2, {17, 33}, QC_LAYOUT_REVERSED, QC_LAYOUT_PLAIN},
        {2, {33, 17}, QC_LAYOUT_PLAIN, QC_LAYOUT_REVERSED},
        {2, {16, 16}, QC_LAYOUT_REVERSED, QC_LAYOUT_REVERSED},
        {1, {67}, QC_LAYOUT_GAPS, QC_LAYOUT_PLAIN},
        {1, {67}, QC_LAYOUT_PLAIN, QC_LAYOUT_GAPS},
        {1, {129}, QC_LAYOUT_OFFSET, QC_LAYOUT_GAPS},
        {2, {4, 63}, QC_LAYOUT_PADDED, QC_LAYOUT_PADDED},
        {2, {3, 65}, QC_LAYOUT_SHARED, QC_LAYOUT_PLAIN},
        {3, {3, 2, 37}, QC_LAYOUT_SHARED, QC_LAYOUT_REVERSED},
        {1, {40}, QC_LAYOUT_SHARED, QC_LAYOUT_PLAIN},
        {3, {2, 17, 9}, QC_LAYOUT_REVERSED, QC_LAYOUT_GAPS},
        {3, {16, 1, 31}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {5, {2, 1, 3, 2, 19}, QC_LAYOUT_PADDED, QC_LAYOUT_REVERSED},
        {6, {1, 2, 1, 3, 2, 17}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {6, {2, 2, 2, 2, 2, 3}, QC_LAYOUT_REVERSED, QC_LAYOUT_GAPS},
        {2, {1, 1}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {2, {65, 1}, QC_LAYOUT_PLAIN, QC_LAYOUT_PADDED},
        {4, {4, 1, 2, 2}, QC_LAYOUT_CHANNELS_LAST, QC_LAYOUT_CHANNELS_LAST},
        {2, {2, 96}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {1, {95}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {2, {4, 4}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
        {3, {2, 4, 4}, QC_LAYOUT_PLAIN, QC_LAYOUT_PLAIN},
    };
    _Static_assert(sizeof shapes / sizeof shapes[0] == QC_EDGE_CASES - LENGTHS,
                   "one row a case");
    const uint64_t n = i - LENGTHS;
    const int per_channel = group->granularity == QC_PER_CHANNEL;
    plan->body.rank =
        pick_rank(group, 0, per_channel && shapes[n].rank == 0 ? 1 : shapes[n].rank);
    for (uint32_t d = 0; d < plan->body.rank; d++) {
        plan->body.dims[d] = d < shapes[n].rank ? shapes[n].dims[d] : 1;
    }
    set_axis(group, n, plan);
    plan->in = shapes[n].in;
    plan->out = shapes[n].out;
}

/* Rows that only float zero points, and masks, have. Float zero points: most of those hide or move the exact ties that
   tell reciprocals apart (L3), so here are some that do not. */
static int64_t encores(const qc_group *group)
{
    /* A mask has two ties or two bounds, not hundreds: more scales and zero points. */
    const int64_t for_masks = qc_op_has_key(group->op, QC_ATTR_mask_form) ? 96 : 0;
    const qc_op_info *const info = qc_op_get(group->op);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (!strcmp(info->args[arg].name, "zero_point") &&
            (QC_DTYPE_BIT(group->dtypes[arg]) & QC_SET_FLOATS)) {
            /* Products meet their bounds exactly more seldom than quotients do. */
            return 32 + for_masks * (1 + 2 * group->scale_form);
        }
    }
    return for_masks;
}

/* A few thousand elements each, as real tensors are. */
static void plan_bulk(const qc_group *group, uint64_t i, qc_plan_of_case *plan)
{
    static const int64_t dims[QC_MAX_RANK][QC_MAX_RANK] = {
        {4001},        {61, 67},         {9, 17, 29},
        {4, 16, 9, 7}, {2, 3, 17, 5, 8}, {2, 2, 3, 16, 3, 7}};
    static const char *const generators[8] = {"dense", "edges",  "dense", "random",
                                              "dense", "random", "dense", "random"};
    const uint64_t n = i - QC_EDGE_CASES - (uint64_t)encores(group);
    const int per_channel = group->granularity == QC_PER_CHANNEL;
    qc_tensor *const body = &plan->body;
    body->rank = pick_rank(group, n, per_channel ? 2 : 1);
    for (uint32_t d = 0; d < body->rank; d++) {
        body->dims[d] = dims[body->rank - 1][d];
    }
    if (body->rank > 0) {
        body->dims[body->rank - 1] += (int64_t)(n / 3 % 11);
    }
    set_axis(group, n / 5, plan);
    plan->generator = generators[n % 8];
    plan->in = n % 3 == 1 ? (qc_layout)(n / 3 % QC_LAYOUT_COUNT) : QC_LAYOUT_PLAIN;
    plan->out = n % 3 == 2 ? (qc_layout)(n / 3 % QC_LAYOUT_SHARED) : QC_LAYOUT_PLAIN;
}

/* Halves the largest dim until the capability takes the size. */
static void shrink(const qc_group *group, qc_tensor *body)
{
    const int64_t limit = group->limits.max_elems;
    while (limit > 0 && qc_tensor_elems(body) > limit) {
        uint32_t largest = 0;
        for (uint32_t d = 1; d < body->rank; d++) {
            largest = body->dims[d] > body->dims[largest] ? d : largest;
        }
        body->dims[largest] = (body->dims[largest] + 1) / 2;
    }
}

/* What tells masks apart lies at the ends of the grid alone: inputs, scales and zero points of
   their own (L12 to L16). */
static void mask_generators(qc_plan_of_case *plan)
{
    plan->scales = "mask_scales";
    plan->zero_points = "mask_zero_points";
    if (strcmp(plan->generator, "edges") == 0) {
        plan->generator = "mask_edges";
    }
}

void qc_plan_case(const qc_group *group, int64_t i, qc_plan_of_case *plan_ret)
{
    *plan_ret = (qc_plan_of_case){
        .generator = "edges", .scales = "scales", .zero_points = "zero_points"};
    if (i < LENGTHS) {
        plan_length(group, (uint64_t)i, plan_ret);
    } else if (i < QC_EDGE_CASES) {
        plan_shape(group, (uint64_t)i, plan_ret);
    } else if (i < QC_EDGE_CASES + encores(group)) {
        plan_length(group, 60 + (uint64_t)i % 4, plan_ret);
        plan_ret->scales = "odd_scales";
        plan_ret->zero_points = "even_zero_points";
    } else {
        plan_bulk(group, (uint64_t)i, plan_ret);
    }
    if (qc_op_has_key(group->op, QC_ATTR_mask_form)) {
        mask_generators(plan_ret);
    }
    qc_range_plan(group, plan_ret);
    shrink(group, &plan_ret->body);
    if (!group->limits.strided) {
        plan_ret->in = plan_ret->out = QC_LAYOUT_PLAIN;
    }
}

int64_t qc_group_cases(const qc_group *group, uint32_t level)
{
    if (qc_op_is_linear(group->op)) {
        return qc_linear_cases(level);
    }
    const int64_t wanted = qc_level_elems(level);
    int64_t elems = 0;
    int64_t i = 0;
    for (; i < QC_EDGE_CASES + encores(group) || elems < wanted; i++) {
        qc_plan_of_case plan;
        qc_plan_case(group, i, &plan);
        elems += qc_tensor_elems(&plan.body);
    }
    return i;
}

void qc_layout_apply(qc_layout layout, qc_tensor *tensor)
{
    int64_t stride = 1;
    qc_tensor_contiguous(tensor);
    switch (layout) {
    case QC_LAYOUT_OFFSET: tensor->offset = 3; break;
    case QC_LAYOUT_GAPS:
        for (uint32_t d = 0; d < tensor->rank; d++) {
            tensor->strides[d] *= 2;
        }
        tensor->offset = 1;
        break;
    case QC_LAYOUT_PADDED:
        for (uint32_t d = 0; d + 1 < tensor->rank; d++) {
            tensor->strides[d] +=
                tensor->strides[d] / tensor->strides[tensor->rank - 2] * 3;
        }
        break;
    case QC_LAYOUT_REVERSED:
        for (uint32_t d = 0; d < tensor->rank; d++) {
            tensor->strides[d] = stride;
            stride *= tensor->dims[d] > 0 ? tensor->dims[d] : 1;
        }
        break;
    case QC_LAYOUT_CHANNELS_LAST:
        if (tensor->rank > 1) {
            for (uint32_t d = 2; d < tensor->rank; d++) {
                tensor->strides[d] *= tensor->dims[1];
            }
            tensor->strides[1] = 1;
        }
        break;
    case QC_LAYOUT_SHARED:
        tensor->strides[0] = tensor->rank > 0 ? 0 : tensor->strides[0];
        break;
    default: break;
    }
}
