/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and memory of linear's cases. */
#include "linear.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t sizes[] = {1,  2,  3,  5,  7,  8,  9,  15, 16, 17,
                                31, 32, 33, 63, 64, 65, 48, 0,  4,  40};

enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

/* Where every group begins: what its rivals need, in bodies and in tails; M, N, K. */
static const qc_linear_plan first[] = {
    {1, 48, 9, QC_LINEAR_TIES, 0, 1},     {3, 33, 17, QC_LINEAR_RANDOM, 0, 0},
    {1, 48, 33, QC_LINEAR_NEAR, 1, 0},    {1, 48, 1030, QC_LINEAR_LONG, 1, 0},
    {1, 48, 33026, QC_LINEAR_FULL, 0, 0}, {1, 63, 8, QC_LINEAR_HUGE, 0, 1},
    {2, 40, 5, QC_LINEAR_STEEP, 0, 1},    {1, 63, 31, QC_LINEAR_CANCEL, 0, 0},
    {3, 16, 7, QC_LINEAR_EXTREME, 0, 0},  {1, 48, 2, QC_LINEAR_TIES, 0, 1},
    {1, 63, 64, QC_LINEAR_RANDOM, 0, 0},  {1, 63, 65, QC_LINEAR_NEAR, 1, 0},
    {1, 48, 1030, QC_LINEAR_LONG, 1, 0},  {1, 63, 1, QC_LINEAR_TIES, 0, 1},
    {1, 63, 3, QC_LINEAR_HUGE, 0, 1},     {2, 40, 16, QC_LINEAR_STEEP, 0, 1},
    {1, 63, 15, QC_LINEAR_TIES, 0, 1},    {1, 48, 32, QC_LINEAR_NEAR, 1, 0},
    {1, 48, 63, QC_LINEAR_CANCEL, 1, 0},  {0, 7, 9, QC_LINEAR_RANDOM, 0, 0},
    {7, 0, 9, QC_LINEAR_RANDOM, 0, 0},    {5, 9, 0, QC_LINEAR_RANDOM, 0, 0},
    {1, 1, 0, QC_LINEAR_RANDOM, 0, 0},    {1, 63, 17, QC_LINEAR_NEAR, 1, 0},
    {1, 48, 1030, QC_LINEAR_LONG, 1, 0},  {1, 2, 4100, QC_LINEAR_RANDOM, 0, 0},
    {2, 2, 33025, QC_LINEAR_FULL, 0, 0},  {1, 63, 31, QC_LINEAR_NEAR, 1, 0},
    {1, 63, 5, QC_LINEAR_HUGE, 0, 1},     {1, 63, 9, QC_LINEAR_TIES, 0, 1},
    {1, 63, 2, QC_LINEAR_HUGE, 0, 1},     {1, 63, 7, QC_LINEAR_NEAR, 1, 0}};

enum { FIRST_COUNT = sizeof first / sizeof first[0] };

int64_t qc_linear_cases(uint32_t level)
{
    static const int64_t counts[] = {80, 160, 640, 6400, 640000};
    return counts[level < 5 ? level : 4];
}

void qc_linear_plan_case(const qc_group *group, int64_t i, qc_linear_plan *plan_ret)
{
    (void)group;
    if (i < FIRST_COUNT) {
        *plan_ret = first[i];
        return;
    }
    static const qc_linear_recipe recipes[] = {
        QC_LINEAR_TIES,   QC_LINEAR_RANDOM,  QC_LINEAR_NEAR,
        QC_LINEAR_RANDOM, QC_LINEAR_HUGE,    QC_LINEAR_STEEP,
        QC_LINEAR_CANCEL, QC_LINEAR_EXTREME, QC_LINEAR_RANDOM};
    const int64_t n = i - FIRST_COUNT;
    *plan_ret = (qc_linear_plan){.m = 1 + n % 5 + (n % 11 == 3 ? 4 : 0),
                                 .n = sizes[n % SIZE_COUNT],
                                 .k = sizes[(n * 7 + n / SIZE_COUNT) % SIZE_COUNT],
                                 .recipe = recipes[n % 9]};
    plan_ret->pivot = plan_ret->recipe == QC_LINEAR_TIES ||
                      plan_ret->recipe == QC_LINEAR_HUGE ||
                      plan_ret->recipe == QC_LINEAR_STEEP;
    plan_ret->equal_rows = plan_ret->recipe == QC_LINEAR_NEAR;
    if (plan_ret->k == 0 && n % 2) {
        plan_ret->k = 129;
    }
}

qc_tensor *qc_linear_arg(qc_case *item, const char *name)
{
    const uint32_t arg = qc_arg_find(item->call.op, name);
    const int is_there = arg < QC_MAX_ARGS && item->call.args[arg].dtype != QC_NONE;
    return is_there ? &item->call.args[arg] : NULL;
}

/* Rank and dims by the shape rule. Per channel, now and then one of the parameters is
   common to all rows, but never the weight zero points of the first case. */
static void shape(const qc_group *group, const qc_linear_plan *plan, int64_t i,
                  uint32_t arg, qc_tensor *t)
{
    const uint32_t rule = qc_op_get(group->op)->args[arg].shape;
    const int is_common = i % 9 == 4 + (int64_t)arg % 4;
    t->rank = rule == QC_SHAPE_MK || rule == QC_SHAPE_NK ? 2 : rule == QC_SHAPE_N;
    if (rule == QC_SHAPE_N1) {
        const int is_one =
            group->limits.zero_points && arg == QC_ARG_OF(linear_s32, w_zero_point);
        t->rank = group->granularity == QC_PER_CHANNEL && !is_common && !is_one;
    }
    t->dims[0] = rule == QC_SHAPE_MK ? plan->m : plan->n;
    t->dims[1] = plan->k;
    qc_tensor_contiguous(t);
}

static void lay_out(const qc_group *group, const qc_linear_plan *plan, int64_t i,
                    uint32_t arg, qc_tensor *t)
{
    if (!group->limits.strided) {
        return;
    }
    if (t->rank == 2 && plan->recipe == QC_LINEAR_FULL) {
        t->strides[0] = 1;
        t->strides[1] = 0;
    } else if (t->rank == 2 && plan->equal_rows) {
        t->strides[0] = 0;
    } else if ((i + (int64_t)arg) % 3 == 2) {
        static const qc_layout layouts[] = {QC_LAYOUT_OFFSET, QC_LAYOUT_GAPS,
                                            QC_LAYOUT_REVERSED, QC_LAYOUT_PADDED};
        const qc_layout layout = layouts[i / 3 % 4];
        qc_layout_apply(
            t->rank < 2 && layout == QC_LAYOUT_PADDED ? QC_LAYOUT_GAPS : layout, t);
    }
}

static qc_status allocate(const qc_group *group, const qc_linear_plan *plan, int64_t i,
                          qc_case *item)
{
    const qc_op_info *const info = qc_op_get(group->op);
    qc_status status = QC_OK;
    for (uint32_t arg = 0; arg < info->arg_count && status == QC_OK; arg++) {
        qc_tensor t = {.dtype = group->dtypes[arg]};
        if (info->args[arg].is_output || t.dtype == QC_NONE) {
            item->call.args[arg].dtype = t.dtype;
            continue;
        }
        shape(group, plan, i, arg, &t);
        lay_out(group, plan, i, arg, &t);
        status = qc_case_allocate(item, arg, &t);
    }
    qc_case_shape_outputs(item);
    if (group->limits.strided && i % 7 == 6) {
        qc_layout_apply(i / 7 % 2 ? QC_LAYOUT_REVERSED : QC_LAYOUT_GAPS,
                        &item->call.args[info->arg_count - 1]);
    }
    return status;
}

static uint64_t key_of(const qc_group *group, uint64_t seed, int64_t i)
{
    uint64_t key = qc_random_key(seed, group->op * 64 + group->choice);
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        key = qc_random_mix(key * 31 + group->dtypes[arg]);
    }
    key = qc_random_mix(key + group->granularity + (uint64_t)(uint32_t)group->qmin * 8);
    key = qc_random_mix(key + (uint64_t)(uint32_t)group->qmax * 8);
    return qc_random_of(key ^ ((uint64_t)QC_CASES_VERSION << 56), (uint64_t)i);
}

qc_status qc_linear_case(const qc_group *group, uint64_t seed, int64_t i,
                         qc_case *case_ret)
{
    qc_linear_plan plan;
    qc_linear_plan_case(group, i, &plan);
    const int64_t most = group->limits.max_terms;
    plan.k = plan.k < group->limits.min_terms ? group->limits.min_terms : plan.k;
    plan.k = most > 0 && plan.k > most ? most : plan.k;
    qc_case_init(case_ret, (qc_op)group->op);
    snprintf(case_ret->profile, sizeof case_ret->profile, "%s", group->profile);
    const qc_status status = allocate(group, &plan, i, case_ret);
    if (status != QC_OK) {
        qc_case_free(case_ret);
        return status;
    }
    qc_attrs *const attrs = &case_ret->call.attrs;
    int32_t qmin = 0;
    int32_t qmax = 0;
    qc_call_grid(&case_ret->call, &qmin, &qmax);
    if (group->op == QC_OP_quantized_linear) {
        attrs->params = (int32_t)group->choice;
        attrs->qmin = qmin == group->qmin ? QC_GRID_DEFAULT : group->qmin;
        attrs->qmax = qmax == group->qmax ? QC_GRID_DEFAULT : group->qmax;
    }
    if (i % 3 != 0) {
        const int64_t unit =
            group->limits.alignment_bytes > 8 ? group->limits.alignment_bytes : 8;
        case_ret->align_bytes = unit < 64 ? (int32_t)(i / 3 * unit % 64) : 0;
    }
    qc_linear_fill(&plan, &group->limits, key_of(group, seed, i), i, case_ret);
    return QC_OK;
}
