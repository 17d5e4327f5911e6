/* SPDX-License-Identifier: Apache-2.0 */
/* Observers (R5 to R8, S36 to S39). */
#include <math.h>

#include "ranges.h"

typedef struct observer {
    qc_token own;
    double c;
    double old[2]; /* min, max */
    double v[2];
    int has_old;
    int is_empty; /* nothing was seen */
} observer;

static void step_extremes(const qc_call *call, int64_t channel, qc_step step, observer *o)
{
    const qc_tensor *const x = &call->args[QC_ARG_OF(observe, x)];
    int has_nan = 0;
    for (int64_t i = 0, elems = qc_tensor_elems(x); i < elems; i++) {
        if (qc_call_channel(call, i) != channel) {
            continue;
        }
        const double value = qc_load(x, i);
        if (isnan(value)) {
            has_nan = 1;
            o->is_empty |= step.first == QC_TOKEN_forget;
        } else if (step.first != QC_TOKEN_finite || isfinite(value)) {
            o->v[0] = o->is_empty ? value : fmin(o->v[0], value);
            o->v[1] = o->is_empty ? value : fmax(o->v[1], value);
            o->is_empty = 0;
        }
    }
    if (has_nan && (step.first == QC_TOKEN_propagate ||
                    (step.first == QC_TOKEN_forget && o->is_empty))) {
        o->v[0] = o->v[1] = (double)NAN;
        o->is_empty = 0;
    }
}

static double rounded(const observer *o, qc_exact value, uint8_t token)
{
    return qc_exact_round(&value, token == QC_TOKEN_own ? o->own : (qc_token)token);
}

/* a * b in the type. */
static double product(const observer *o, double a, double b, uint8_t token)
{
    qc_exact value = qc_exact_of(a);
    qc_exact_multiply(&value, b);
    return rounded(o, value, token);
}

static double sum(const observer *o, double a, double b, uint8_t token)
{
    qc_exact value = qc_exact_of(a);
    qc_exact_add(&value, b);
    return rounded(o, value, token);
}

/* Infinite values: the list gives none, and any will do. */
static double averaged(const observer *o, double old, double new, qc_step step)
{
    const uint8_t T = step.first;
    if (!isfinite(old) || !isfinite(new)) {
        return isnan(new) ? new : old;
    }
    if (T == QC_TOKEN_exact) {
        qc_exact value = qc_exact_of(old);
        qc_exact_add_product(&value, o->c, new);
        qc_exact_add_product(&value, -o->c, old);
        return rounded(o, value, QC_TOKEN_own);
    }
    if (step.second == QC_TOKEN_right) {
        const double kept = product(o, sum(o, 1.0, -o->c, T), old, T);
        return sum(o, kept, product(o, o->c, new, T), T);
    }
    return sum(o, old, product(o, o->c, sum(o, new, -old, T), T), T);
}

static void step_run(const qc_call *call, int64_t channel, qc_step step, observer *o)
{
    if (step.kind == QC_STEP_extremes) {
        step_extremes(call, channel, step, o);
    } else if (step.kind == QC_STEP_start && !o->has_old && step.first == QC_TOKEN_zero) {
        o->has_old = 1;
        o->old[0] = o->old[1] = 0.0;
    } else if (o->has_old && !o->is_empty && step.kind == QC_STEP_average) {
        o->v[0] = averaged(o, o->old[0], o->v[0], step);
        o->v[1] = averaged(o, o->old[1], o->v[1], step);
    } else if (o->has_old && !o->is_empty && step.kind == QC_STEP_join &&
               step.first == QC_TOKEN_state) {
        o->v[0] = o->old[0] < o->v[0] ? o->old[0] : o->v[0];
        o->v[1] = o->old[1] > o->v[1] ? o->old[1] : o->v[1];
    }
}

/* R8: adding +0 leaves no zero but +0. */
static void store(const qc_tensor *tensor, int64_t i, double value)
{
    const qc_value result = qc_value_of(value + 0.0);
    qc_store_real(tensor, i, &result);
}

void qc_reference_observe(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const min = &call->args[QC_ARG_OF(observe, min)];
    const qc_tensor *const max = &call->args[QC_ARG_OF(observe, max)];
    const qc_tensor *const old = &call->args[QC_ARG_OF(observe, old_min)];
    for (int64_t i = 0, channels = qc_tensor_elems(min); i < channels; i++) {
        observer o = {.own = qc_token_of(min->dtype),
                      .c = call->attrs.averaging,
                      .has_old = old->dtype != QC_NONE,
                      .is_empty = 1};
        if (o.has_old) {
            o.old[0] = qc_load(old, i);
            o.old[1] = qc_load(&call->args[QC_ARG_OF(observe, old_max)], i);
        }
        for (uint32_t n = 0; n < steps->count; n++) {
            step_run(call, i, steps->step[n], &o);
        }
        store(min, i, o.is_empty ? o.old[0] : o.v[0]);
        store(max, i, o.is_empty ? o.old[1] : o.v[1]);
    }
}
