/* SPDX-License-Identifier: Apache-2.0 */
/* The i-th case of a group: plan, allocation, then the generators in order of dependence. */
#include "generate.h"
#include "groups.h"
#include "ranges.h"
#include "linear.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t hash(uint64_t state, uint64_t value)
{
    return qc_random_mix(state ^ (value + 1) * QC_RANDOM_STEP);
}

/* The generators' seed: cases of different groups differ, of different profiles not. */
static uint64_t group_seed(const qc_group *group, uint64_t seed)
{
    uint64_t state = hash(seed, group->op);
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        state = hash(state, group->dtypes[arg]);
    }
    state = hash(state, group->granularity);
    state = hash(state, group->scale_form);
    state = hash(state, group->choice);
    state = hash(state, (uint32_t)group->qmin);
    return hash(state, (uint32_t)group->qmax) >> 32;
}

static void set_attrs(const qc_group *group, int64_t i, const qc_plan_of_case *plan,
                      qc_case *item)
{
    qc_attrs *const attrs = &item->call.attrs;
    int32_t qmin = 0;
    int32_t qmax = 0;
    attrs->axis = plan->axis;
    qc_call_grid(&item->call, &qmin, &qmax);
    if (qc_op_has_key(group->op, QC_ATTR_qmin)) {
        attrs->qmin = qmin == group->qmin ? QC_GRID_DEFAULT : group->qmin;
        attrs->qmax = qmax == group->qmax ? QC_GRID_DEFAULT : group->qmax;
    }
    if (qc_op_has_key(group->op, QC_ATTR_scale_form)) {
        attrs->scale_form = (int32_t)group->scale_form;
    }
    if (qc_op_choice(group->op) != QC_ATTR_COUNT) {
        qc_attr_write(attrs, qc_op_choice(group->op), group->choice);
    }
    if (group->limits.max_threads > 1 && i % 8 == 7) {
        attrs->threads =
            group->limits.max_threads < 8 ? (int32_t)group->limits.max_threads : 8;
    }
}

/* Starts of tensors at every multiple of the strictest alignment, in turn. */
static void set_align(const qc_group *group, int64_t i, qc_case *item)
{
    int64_t unit = group->limits.alignment_bytes > 1 ? group->limits.alignment_bytes : 1;
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        const int64_t bytes = (int64_t)qc_dtype_bytes(group->dtypes[arg]);
        unit = bytes > unit ? bytes : unit;
    }
    if (i % 3 != 0) {
        item->align_bytes = unit < 64 ? (int32_t)(i / 3 * unit % 64) : 0;
    }
}

static qc_status generate(qc_case *item, uint32_t arg, const char *name, uint64_t seed,
                          int64_t i, int nonfinite)
{
    const int counts = strcmp(name, "edges") == 0 || strcmp(name, "random") == 0 ||
                       strcmp(name, "mask_edges") == 0 || strcmp(name, "gradients") == 0;
    snprintf(item->generator[arg], QC_GENERATOR_TEXT, "%s(%" PRIu64 ",%" PRId64 "%s)",
             name, seed, i,
             !counts     ? ""
             : nonfinite ? ",1"
                         : ",0");
    const qc_status status = qc_generate(item, arg, item->generator[arg], NULL);
    return status == QC_INVALID ? QC_NO_MEMORY : status;
}

/* Scales outside the capability's range are moved into it by powers of two; the case then
   holds values, not a generator. */
static void limit_scales(const qc_group *group, qc_case *item, uint32_t arg)
{
    const qc_tensor *const tensor = &item->call.args[arg];
    const double low = group->limits.scale_low;
    const double high = group->limits.scale_high;
    const int64_t elems = qc_tensor_elems(tensor);
    for (int64_t i = 0; i < elems && (low > 0 || high > 0); i++) {
        const int64_t at = qc_tensor_at(tensor, i);
        const double before = qc_bits_to_double(tensor->dtype, qc_bits_load(tensor, at));
        double scale = before;
        while (low > 0 && scale < low) {
            scale *= 2;
        }
        while (high > 0 && scale > high) {
            scale /= 2;
        }
        if (scale < low || scale != before) {
            uint64_t bits = qc_bits_of_double(tensor->dtype, scale < low ? low : scale);
            bits += qc_bits_to_double(tensor->dtype, bits) < low; /* rounded out of it */
            qc_bits_store(tensor, at, bits);
            item->generator[arg][0] = '\0';
        }
    }
}

/* Likewise shifts, to the nearer end. */
static void limit_shifts(const qc_group *group, qc_case *item, uint32_t arg)
{
    const qc_tensor *const tensor = &item->call.args[arg];
    const int32_t low = group->limits.shift_low;
    const int32_t high = group->limits.shift_high;
    for (int64_t i = 0; i < qc_tensor_elems(tensor) && low < high; i++) {
        const int64_t at = qc_tensor_at(tensor, i);
        const int32_t shift = (int8_t)qc_bits_load(tensor, at);
        if (shift < low || shift > high) {
            qc_bits_store(tensor, at, (uint64_t)(int64_t)(shift < low ? low : high));
            item->generator[arg][0] = '\0';
        }
    }
}

/* A cleared tensor: no generator is left to write over it. */
static void zeros(qc_case *item, uint32_t arg)
{
    const qc_tensor *const tensor = &item->call.args[arg];
    for (int64_t i = 0; i < qc_tensor_elems(tensor); i++) {
        qc_bits_store(tensor, qc_tensor_at(tensor, i), 0);
    }
}

static const char *body_generator(const char *planned, uint32_t dtype)
{
    if (dtype == QC_S32 || dtype == QC_S64) {
        return strcmp(planned, "edges") == 0 ? "acc_edges" : "accs";
    }
    if (dtype != QC_S8 && dtype != QC_U8) {
        return planned;
    }
    return strcmp(planned, "edges") == 0 ? "code_edges" : "codes";
}

static qc_status allocate(const qc_group *group, const qc_plan_of_case *plan, int64_t i,
                          qc_case *item)
{
    const qc_op_info *const info = qc_op_get(group->op);
    qc_status status = QC_OK;
    for (uint32_t arg = 0; arg < info->arg_count && status == QC_OK; arg++) {
        qc_tensor tensor = {.dtype = group->dtypes[arg]};
        if (info->args[arg].is_output || tensor.dtype == QC_NONE) {
            item->call.args[arg].dtype = tensor.dtype;
            continue;
        }
        if (info->args[arg].shape == QC_SHAPE_CHANNEL) {
            const int32_t rank = (int32_t)plan->body.rank;
            tensor.rank = plan->axis != QC_AXIS_NONE;
            tensor.dims[0] =
                tensor.rank > 0 ? plan->body.dims[(plan->axis + rank) % rank] : 0;
            qc_layout_apply(group->limits.strided && (i + arg) % 6 == 5 ? QC_LAYOUT_GAPS
                                                                        : QC_LAYOUT_PLAIN,
                            &tensor);
        } else {
            tensor.rank = plan->body.rank;
            memcpy(tensor.dims, plan->body.dims, sizeof tensor.dims);
            qc_layout_apply(plan->in, &tensor);
        }
        status = qc_case_allocate(item, arg, &tensor);
    }
    return status;
}

static void shape_outputs(const qc_group *group, const qc_plan_of_case *plan,
                          qc_case *item)
{
    const qc_op_info *const info = qc_op_get(group->op);
    qc_case_shape_outputs(item);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (info->args[arg].is_output && item->call.args[arg].dtype != QC_NONE) {
            qc_layout_apply(plan->out, &item->call.args[arg]);
        }
    }
}

/* Scales, or multipliers and their shifts. */
static qc_status fill_scales(const qc_group *group, const qc_plan_of_case *plan,
                             uint64_t seed, int64_t i, qc_case *item)
{
    const int is_requantize = group->op == QC_OP_requantize;
    const uint32_t scale = qc_arg_find(group->op, is_requantize ? "multiplier" : "scale");
    qc_status status =
        generate(item, scale, is_requantize ? "multipliers" : plan->scales, seed, i, 0);
    if (status == QC_OK && group->dtypes[scale] == QC_S32) {
        const uint32_t shift = qc_arg_find(group->op, "shift");
        status = generate(item, shift, "shifts", seed, i, 0);
        if (status == QC_OK) {
            limit_shifts(group, item, shift);
        }
        return status;
    }
    if (status == QC_OK) {
        limit_scales(group, item, scale);
    }
    return status;
}

static qc_status fill(const qc_group *group, const qc_plan_of_case *plan, uint64_t seed,
                      int64_t i, qc_case *item)
{
    if (qc_cases_of_ranges(group->op)) {
        return qc_range_fill(group, seed, i, item);
    }
    const uint32_t zero_point = qc_arg_find(group->op, "zero_point");
    const uint32_t body = qc_op_body(group->op);
    qc_status status = fill_scales(group, plan, seed, i, item);
    if (status == QC_OK && (group->limits.zero_points & QC_ZP_ZERO)) {
        zeros(item, zero_point);
    } else if (status == QC_OK) {
        status = generate(item, zero_point, plan->zero_points, seed, i, 0);
    }
    const int nonfinite = group->limits.nonfinite != 0;
    if (status == QC_OK && group->op == QC_OP_fake_quantize_grad) {
        status = generate(item, body, "gradients", seed, i, nonfinite);
        if (status == QC_OK) {
            status = generate(item, QC_ARG_OF(fake_quantize_grad, x), plan->generator,
                              seed, i, nonfinite);
        }
    } else if (status == QC_OK) {
        const char *const name = body_generator(plan->generator, group->dtypes[body]);
        status = generate(item, body, name, seed, i, nonfinite);
    }
    return status;
}

qc_status qc_group_case(const qc_group *group, uint64_t seed, int64_t i,
                        qc_case *case_ret)
{
    if (qc_op_is_linear(group->op)) {
        return qc_linear_case(group, seed, i, case_ret);
    }
    qc_plan_of_case plan;
    qc_plan_case(group, i, &plan);
    qc_case_init(case_ret, (qc_op)group->op);
    snprintf(case_ret->profile, sizeof case_ret->profile, "%s", group->profile);
    qc_status status = allocate(group, &plan, i, case_ret);
    if (status == QC_OK) {
        set_attrs(group, i, &plan, case_ret);
        set_align(group, i, case_ret);
        shape_outputs(group, &plan, case_ret);
        status = fill(group, &plan, group_seed(group, seed), i, case_ret);
    }
    if (status != QC_OK) {
        qc_case_free(case_ret);
    }
    return status;
}
