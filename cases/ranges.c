/* SPDX-License-Identifier: Apache-2.0 */
#include "ranges.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int qc_cases_of_ranges(uint32_t op)
{
    return op == QC_OP_choose_qparams || op == QC_OP_observe;
}

int qc_range_dtypes_fit(const qc_group *group)
{
    const uint32_t last = group->op == QC_OP_choose_qparams
                              ? QC_ARG_OF(choose_qparams, max)
                              : QC_ARG_OF(observe, max);
    for (uint32_t arg = 1; arg <= last && qc_cases_of_ranges(group->op); arg++) {
        if (group->dtypes[arg] != QC_NONE && group->dtypes[arg] != group->dtypes[0]) {
            return 0;
        }
    }
    return 1;
}

static int has_state(const qc_group *group)
{
    return group->dtypes[QC_ARG_OF(observe, old_min)] != QC_NONE;
}

void qc_range_plan(const qc_group *group, qc_plan_of_case *plan)
{
    for (uint32_t d = 0; d < plan->body.rank; d++) {
        if (group->op == QC_OP_observe && !has_state(group) && plan->body.dims[d] == 0) {
            plan->body.dims[d] = 1;
        }
    }
}

static qc_status generate(qc_case *item, const char *arg_name, const char *name,
                          uint64_t seed, int64_t i, int nonfinite)
{
    const uint32_t arg = qc_arg_find(item->call.op, arg_name);
    const int has_flag = item->call.op == QC_OP_observe;
    snprintf(item->generator[arg], QC_GENERATOR_TEXT, "%s(%" PRIu64 ",%" PRId64 "%s)",
             name, seed, i,
             !has_flag   ? ""
             : nonfinite ? ",1"
                         : ",0");
    const qc_status status = qc_generate(item, arg, item->generator[arg], NULL);
    return status == QC_INVALID ? QC_NO_MEMORY : status;
}

/* Gives each channel of a first batch a value (V35); the case then holds values. */
static void ensure_values(qc_case *item)
{
    const uint32_t arg = QC_ARG_OF(observe, x);
    const qc_tensor *const x = &item->call.args[arg];
    const int64_t channels = qc_tensor_elems(&item->call.args[QC_ARG_OF(observe, min)]);
    const int64_t elems = qc_tensor_elems(x);
    for (int64_t c = 0; c < channels; c++) {
        int64_t any = -1;
        int found = 0;
        for (int64_t i = 0; i < elems && !found; i++) {
            if (qc_call_channel(&item->call, i) == c) {
                const uint64_t bits = qc_bits_load(x, qc_tensor_at(x, i));
                found = !isnan(qc_bits_to_double(x->dtype, bits));
                any = i;
            }
        }
        if (!found && any >= 0) {
            qc_bits_store(x, qc_tensor_at(x, any), qc_bits_of_double(x->dtype, 0.75));
            item->generator[arg][0] = '\0';
        }
    }
}

static double weight(int64_t i)
{
    static const double weights[16] = {
        0.01, 0.3, 0.45, 0.9,  1,   0.77, 0.6,    0.1, 0x1.fffffffffffffp-1,
        0.34, 0.2, 0.55, 0.08, 0.7, 0.37, 0x1p-30};
    return weights[i % 16];
}

static qc_status fill_observe(const qc_group *group, uint64_t seed, int64_t i,
                              qc_case *item)
{
    const int nonfinite = group->limits.nonfinite != 0;
    qc_status status = generate(item, "x", "batch", seed, i, nonfinite);
    if (group->choice == QC_OBSERVER_moving_average) {
        item->call.attrs.averaging = weight(i);
    }
    if (status == QC_OK && !has_state(group)) {
        ensure_values(item);
    } else if (status == QC_OK) {
        status = generate(item, "old_min", "state_min", seed, i, nonfinite);
    }
    if (status == QC_OK && has_state(group)) {
        status = generate(item, "old_max", "state_max", seed, i, nonfinite);
    }
    return status;
}

qc_status qc_range_fill(const qc_group *group, uint64_t seed, int64_t i, qc_case *item)
{
    if (group->op == QC_OP_observe) {
        return fill_observe(group, seed, i, item);
    }
    const qc_status status = generate(item, "min", "range_min", seed, i, 0);
    return status == QC_OK ? generate(item, "max", "range_max", seed, i, 0) : status;
}
