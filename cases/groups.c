/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: the product of what a capability offers. */
#include "groups.h"
#include "ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct group_list {
    qc_group *groups;
    size_t count;
    size_t capacity;
    int failed;
} group_list;

typedef struct grid {
    uint32_t kind; /* QC_GRID_FULL, QC_GRID_NARROW */
    uint32_t code; /* dtype, or QC_NONE for ops without a code argument */
    int32_t qmin;
    int32_t qmax;
} grid;

static const grid grids[] = {
    {QC_GRID_FULL, QC_S8, -128, 127}, {QC_GRID_NARROW, QC_S8, -127, 127},
    {QC_GRID_NARROW, QC_S8, -64, 63}, {QC_GRID_FULL, QC_U8, 0, 255},
    {QC_GRID_NARROW, QC_U8, 0, 127},  {QC_GRID_FULL, QC_NONE, -128, 127},
    {QC_GRID_FULL, QC_NONE, 0, 255},  {QC_GRID_NARROW, QC_NONE, -64, 63},
};

/* The ops whose cases can be made; others have no groups until their generators exist. */
static int op_has_cases(uint32_t op)
{
    return op == QC_OP_quantize || op == QC_OP_dequantize || op == QC_OP_fake_quantize ||
           op == QC_OP_ste_mask || op == QC_OP_fake_quantize_grad ||
           op == QC_OP_requantize || qc_cases_of_ranges(op) || qc_op_is_linear(op);
}

static int same(const qc_group *a, const qc_group *b)
{
    return a->op == b->op && memcmp(a->dtypes, b->dtypes, sizeof a->dtypes) == 0 &&
           a->granularity == b->granularity && a->scale_form == b->scale_form &&
           a->choice == b->choice && a->qmin == b->qmin && a->qmax == b->qmax &&
           strcmp(a->profile, b->profile) == 0;
}

/* Two capabilities may offer the same group: the first describes its limits. */
static void add(group_list *list, const qc_group *group)
{
    for (size_t n = 0; n < list->count; n++) {
        if (same(&list->groups[n], group)) {
            return;
        }
    }
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity * 2 + 64;
        qc_group *const groups = realloc(list->groups, capacity * sizeof *groups);
        if (groups == NULL) {
            list->failed = 1;
            return;
        }
        list->groups = groups;
        list->capacity = capacity;
    }
    list->groups[list->count++] = *group;
}

static uint32_t code_dtype(const qc_group *group)
{
    const qc_op_info *const info = qc_op_get(group->op);
    uint32_t code = QC_NONE;
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (info->args[arg].dtypes == QC_SET_CODES) {
            code = group->dtypes[arg];
        }
    }
    return code;
}

static void add_grids(group_list *list, qc_group *group)
{
    const int has_grid = qc_op_has_key(group->op, QC_ATTR_qmin);
    const uint32_t kinds = has_grid ? group->limits.grids : QC_GRID_FULL;
    const uint32_t code = code_dtype(group);
    for (size_t n = 0; n < sizeof grids / sizeof grids[0]; n++) {
        if (grids[n].code == code && (grids[n].kind & kinds)) {
            group->qmin = grids[n].qmin;
            group->qmax = grids[n].qmax;
            add(list, group);
            if (!has_grid && code == QC_NONE) {
                return; /* the op has no codes at all: one group */
            }
        }
    }
}

/* R4: fixed parameters are an s32 multiplier and a shift, real ones neither. */
static int choice_fits(const qc_group *group)
{
    if (group->op != QC_OP_requantize) {
        return 1;
    }
    const int is_s32 = group->dtypes[QC_ARG_OF(requantize, multiplier)] == QC_S32;
    const int is_shifted = group->dtypes[QC_ARG_OF(requantize, shift)] != QC_NONE;
    return group->choice == QC_PARAMS_fixed  ? is_s32 && is_shifted
           : group->choice == QC_PARAMS_real ? !is_s32 && !is_shifted
                                             : 0;
}

/* Every word of the op's choice that is offered; the first where none is named. */
static void add_choices(group_list *list, qc_group *group)
{
    const uint32_t attr = qc_op_choice(group->op);
    const uint32_t named = group->limits.choices;
    for (uint32_t word = 0; word == 0 || qc_attr_word(attr, word); word++) {
        if ((named ? named : 1u) >> word & 1) {
            group->choice = word;
            if (choice_fits(group)) {
                add_grids(list, group);
            }
        }
    }
}

static void add_forms(group_list *list, qc_group *group)
{
    const int has_form = qc_op_has_key(group->op, QC_ATTR_scale_form);
    const uint32_t forms = has_form ? group->limits.scale_forms : QC_FORM_DIVIDE;
    const uint32_t most =
        qc_op_has_key(group->op, QC_ATTR_axis) || qc_op_is_linear(group->op)
            ? QC_PER_CHANNEL
            : QC_PER_TENSOR;
    for (uint32_t granularity = QC_PER_TENSOR; granularity <= most;
         granularity <<= 1) {
        for (uint32_t form = 0; form < 2; form++) {
            const int has_axis =
                granularity == QC_PER_TENSOR || group->limits.max_rank > 0;
            if ((group->limits.granularities & granularity) && (forms >> form & 1) &&
                has_axis) {
                group->granularity = granularity;
                group->scale_form = form;
                add_choices(list, group);
            }
        }
    }
}

/* V9: fake quantization stays in its input's dtype. V10, G1: so do gradients, and the suite
   sends only those of x's dtype. */
static int dtypes_fit(const qc_group *group)
{
    if (group->op == QC_OP_fake_quantize_grad) {
        const uint32_t grad = group->dtypes[QC_ARG_OF(fake_quantize_grad, grad)];
        return grad == group->dtypes[QC_ARG_OF(fake_quantize_grad, x)] &&
               grad == group->dtypes[QC_ARG_OF(fake_quantize_grad, dx)];
    }
    return group->op != QC_OP_fake_quantize ||
           group->dtypes[QC_ARG_OF(fake_quantize, x)] ==
               group->dtypes[QC_ARG_OF(fake_quantize, y)];
}

/* Every choice of dtypes, argument by argument. An optional argument is present where the
   capability takes it. */
static void add_dtypes(group_list *list, qc_group *group, uint32_t arg)
{
    const qc_op_info *const info = qc_op_get(group->op);
    if (arg == info->arg_count) {
        if (dtypes_fit(group) && qc_range_dtypes_fit(group)) {
            add_forms(list, group);
        }
        return;
    }
    const uint32_t set = group->limits.arg_dtypes[arg] & info->args[arg].dtypes;
    group->dtypes[arg] = QC_NONE;
    if (set == 0 && !info->args[arg].is_needed) {
        add_dtypes(list, group, arg + 1);
    }
    for (uint32_t dtype = QC_NONE + 1; dtype < QC_DTYPE_COUNT; dtype++) {
        if (set & QC_DTYPE_BIT(dtype)) {
            group->dtypes[arg] = dtype;
            add_dtypes(list, group, arg + 1);
        }
    }
}

qc_group *qc_groups_make(const qc_capability *capabilities, size_t count, uint32_t ops,
                         const char *profile, size_t *count_ret)
{
    group_list list = {0};
    for (size_t n = 0; n < count; n++) {
        const qc_capability *const limits = &capabilities[n];
        if (limits->op >= QC_OP_COUNT || !(ops >> limits->op & 1) ||
            !op_has_cases(limits->op)) {
            continue;
        }
        const char *const claim = limits->claims[0] != NULL ? limits->claims[0] : "ideal";
        qc_group group = {.op = limits->op, .limits = *limits};
        snprintf(group.profile, sizeof group.profile, "%s",
                 profile != NULL ? profile : claim);
        add_dtypes(&list, &group, 0);
    }
    if (list.failed) {
        free(list.groups);
        list = (group_list){0};
    }
    *count_ret = list.count;
    return list.groups;
}
