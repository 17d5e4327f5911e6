/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of choose_qparams and observe that break exactly one of the rules V30 to V35. */
#include <math.h>

#include "ranges.h"

/* Puts a value into the last element; 0 where the call has no such argument. */
static int put(qc_case *item, const char *name, double value)
{
    const uint32_t arg = qc_arg_find(item->call.op, name);
    const qc_tensor *const tensor = arg < QC_MAX_ARGS ? &item->call.args[arg] : NULL;
    if (!tensor || tensor->dtype == QC_NONE || !tensor->data) {
        return 0;
    }
    qc_bits_store(tensor, qc_tensor_elems(tensor) - 1,
                  qc_bits_of_double(tensor->dtype, value));
    return 1;
}

/* The base case has ones everywhere. */
static int is_choose(const qc_group *group)
{
    return group->op == QC_OP_choose_qparams;
}

#define PUT_RANGE(breaker, arg, value)                       \
    static int breaker(const qc_group *group, qc_case *item) \
    {                                                        \
        return is_choose(group) ? put(item, arg, value) : 0; \
    }

PUT_RANGE(min_above_max, "min", 2)
PUT_RANGE(min_nan, "min", NAN)
PUT_RANGE(max_nan, "max", NAN)
PUT_RANGE(min_infinite, "min", -INFINITY)
PUT_RANGE(max_infinite, "max", INFINITY)

/* V32: every scale of f32 is below this range's. */
static int scale_beyond(const qc_group *group, qc_case *item)
{
    const int is_beyond = is_choose(group) && group->dtypes[0] == QC_F64 &&
                          group->dtypes[QC_ARG_OF(choose_qparams, scale)] == QC_F32;
    return is_beyond ? put(item, "max", 0x1p200) : 0;
}

static int two_codes(const qc_group *group, qc_case *item)
{
    item->call.attrs.qmin = 0;
    item->call.attrs.qmax = 1;
    return is_choose(group) && group->choice == QC_SCHEME_symmetric;
}

static int retype(qc_case *item, uint32_t arg)
{
    qc_tensor other = item->call.args[arg];
    other.dtype = other.dtype == QC_F32 ? QC_F64 : QC_F32;
    if (qc_case_allocate(item, arg, &other) != QC_OK) {
        return -1;
    }
    for (int64_t i = 0; i < qc_tensor_elems(&other); i++) {
        qc_bits_store(&item->call.args[arg], i, qc_bits_of_double(other.dtype, 1));
    }
    return 1;
}

static int max_of_other_dtype(const qc_group *group, qc_case *item)
{
    return is_choose(group) ? retype(item, QC_ARG_OF(choose_qparams, max)) : 0;
}

static int has_state(const qc_group *group)
{
    return group->op == QC_OP_observe &&
           group->dtypes[QC_ARG_OF(observe, old_min)] != QC_NONE;
}

static int state_of_other_dtype(const qc_group *group, qc_case *item)
{
    return has_state(group) ? retype(item, QC_ARG_OF(observe, old_max)) : 0;
}

static int output_of_other_dtype(const qc_group *group, qc_case *item)
{
    qc_tensor *const max = &item->call.args[QC_ARG_OF(observe, max)];
    if (group->op != QC_OP_observe) {
        return 0;
    }
    max->dtype = max->dtype == QC_F32 ? QC_F64 : QC_F32;
    return 1;
}

static int half_a_state(const qc_group *group, qc_case *item)
{
    item->call.args[QC_ARG_OF(observe, old_max)].dtype =
        has_state(group) ? QC_NONE : item->call.args[QC_ARG_OF(observe, old_max)].dtype;
    return has_state(group);
}

static int state_reversed(const qc_group *group, qc_case *item)
{
    return has_state(group) ? put(item, "old_min", 2) : 0;
}

static int state_nan(const qc_group *group, qc_case *item)
{
    return has_state(group) ? put(item, "old_max", NAN) : 0;
}

/* V35: the last channel has nothing but NaN. */
static int nothing_seen(const qc_group *group, qc_case *item)
{
    const qc_tensor *const x = &item->call.args[0];
    if (group->op != QC_OP_observe || has_state(group)) {
        return 0;
    }
    for (int64_t i = 0; i < qc_tensor_elems(x); i++) {
        qc_bits_store(x, i, qc_bits_of_double(x->dtype, NAN));
    }
    return 1;
}

static int set_averaging(const qc_group *group, qc_case *item, double value)
{
    item->call.attrs.averaging = value;
    return group->op == QC_OP_observe && group->choice == QC_OBSERVER_moving_average;
}

static int averaging_zero(const qc_group *group, qc_case *item)
{
    return set_averaging(group, item, 0);
}

static int averaging_high(const qc_group *group, qc_case *item)
{
    return set_averaging(group, item, 0x1.0000000000001p0);
}

static int averaging_nan(const qc_group *group, qc_case *item)
{
    return set_averaging(group, item, NAN);
}

qc_breaker *const qc_range_breakers[] = {min_above_max,
                                         min_nan,
                                         max_nan,
                                         min_infinite,
                                         max_infinite,
                                         scale_beyond,
                                         two_codes,
                                         max_of_other_dtype,
                                         state_of_other_dtype,
                                         output_of_other_dtype,
                                         half_a_state,
                                         state_reversed,
                                         state_nan,
                                         nothing_seen,
                                         averaging_zero,
                                         averaging_high,
                                         averaging_nan};
const int qc_range_breaker_count = sizeof qc_range_breakers / sizeof qc_range_breakers[0];
