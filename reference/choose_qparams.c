/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges to parameters (R1 to R4, S30 to S35). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"

typedef struct range {
    double min;
    double max;
    double lo; /* what the list takes for the range: zero included, as a rule */
    double hi;
    int32_t qmin;
    int32_t qmax;
    qc_token own;  /* of the scale */
    qc_token type; /* what s was rounded into last */
    int is_symmetric;
    qc_value v;
    double s;
    int32_t z;
} range;

static qc_token type_of(const range *r, uint8_t token)
{
    return token == QC_TOKEN_own ? r->own : (qc_token)token;
}

static void take_range(range *r, int widened)
{
    r->lo = widened ? fmin(r->min, 0.0) : r->min;
    r->hi = widened ? fmax(r->max, 0.0) : r->max;
}

static void step_span(range *r, qc_step step)
{
    take_range(r, step.second != QC_TOKEN_none);
    r->v = qc_value_of(r->hi);
    qc_exact_add(&r->v.exact, -r->lo);
    r->v = qc_value_rounded(&r->v, type_of(r, step.first));
}

static void step_reach(range *r, qc_step step)
{
    take_range(r, 1);
    r->is_symmetric = 1;
    r->v = qc_value_of(fmax(-r->lo, r->hi));
    r->v = qc_value_rounded(&r->v, type_of(r, step.first));
}

static void step_steps(range *r, qc_step step)
{
    const int32_t codes = r->qmax - r->qmin;
    const int is_half = r->is_symmetric && step.second == QC_TOKEN_real;
    qc_value ratio = r->v;
    r->type = type_of(r, step.first);
    if (!ratio.is_exact) { /* the span is beyond its type */
        r->s = ratio.special;
        return;
    }
    if (is_half) {
        qc_exact_multiply(&ratio.exact, 2.0);
    }
    ratio.exact.divisor = is_half || !r->is_symmetric ? codes : codes / 2;
    r->s = qc_exact_round(&ratio.exact, r->type);
}

/* 1 / of in the type of s. */
static double fraction(const range *r, int32_t of)
{
    qc_exact value = qc_exact_of(1.0);
    value.divisor = of;
    return qc_exact_round(&value, r->type);
}

static void step_cutoff(range *r, qc_step step)
{
    const int is_point = r->v.is_exact && qc_exact_sign(&r->v.exact) == 0;
    const double smallest = r->type == QC_TOKEN_f64 ? 0x1p-1022 : 0x1p-126;
    switch (step.first) {
    case QC_TOKEN_one: r->s = r->s > 0.0 && isfinite(r->s) ? r->s : 1.0; break;
    case QC_TOKEN_epsilon: r->s = fmax(r->s, 0x1p-23); break;
    default:
        if (is_point) {
            r->s = step.first == QC_TOKEN_tenth       ? 0x1.99999ap-4 /* 0.1 in f32 */
                   : step.first == QC_TOKEN_code_step ? fraction(r, r->qmax - r->qmin)
                                                      : 1.0;
        } else if (r->s == 0.0) {
            r->s = smallest;
        }
    }
}

/* code - end / s, exactly. */
static qc_exact anchored(const range *r, int32_t code, double end)
{
    qc_exact value = qc_exact_of(-end);
    value.divisor = r->s;
    qc_exact_add(&value, code);
    return value;
}

/* The sign of |qmin| + sign |lo| / s - |qmax| - sign |hi| / s. */
static int errors_compare(const range *r, double sign)
{
    qc_exact value = qc_exact_of(sign * fabs(r->lo));
    qc_exact_add(&value, -sign * fabs(r->hi));
    value.divisor = r->s;
    qc_exact_add(&value, (double)abs(r->qmin) - abs(r->qmax));
    return qc_exact_sign(&value);
}

static void step_anchor(range *r, qc_step step)
{
    const qc_token type = type_of(r, step.second ? step.second : QC_TOKEN_exact);
    int is_min = step.first == QC_TOKEN_min_anchor;
    if (step.first == QC_TOKEN_middle) {
        r->v = qc_value_of(r->qmin + r->qmax);
        r->v.exact.divisor = 2.0;
        return;
    }
    if (!(r->s > 0.0) || isinf(r->s)) {
        r->v = qc_value_of(0.0); /* the list gives no value here */
        return;
    }
    if (step.first == QC_TOKEN_smaller_error || step.first == QC_TOKEN_difference) {
        is_min = errors_compare(r, step.first == QC_TOKEN_difference ? -1.0 : 1.0) < 0;
    }
    const int32_t code = is_min ? r->qmin : r->qmax;
    const double end = is_min ? r->lo : r->hi;
    if (type == QC_TOKEN_exact) {
        r->v = qc_value_of(0.0);
        r->v.exact = anchored(r, code, end);
        return;
    }
    qc_exact quotient = qc_exact_of(-end);
    quotient.divisor = r->s;
    const double rounded =
        qc_exact_sign(&quotient) ? qc_exact_round(&quotient, type) : 0.0;
    r->v = qc_value_of(rounded);
    if (r->v.is_exact) {
        qc_exact_add(&r->v.exact, code);
        r->v = qc_value_rounded(&r->v, type);
    }
}

static void step_zero_point(range *r, qc_step step)
{
    qc_wide whole = r->v.special > 0.0 ? r->qmax : r->qmin;
    if (r->v.is_exact) {
        whole = qc_exact_rint(&r->v.exact, (qc_token)step.first);
    }
    r->z = (int32_t)(whole < r->qmin ? r->qmin : whole > r->qmax ? r->qmax : whole);
}

static void step_run(range *r, qc_step step)
{
    switch (step.kind) {
    case QC_STEP_span: step_span(r, step); break;
    case QC_STEP_reach: step_reach(r, step); break;
    case QC_STEP_steps: step_steps(r, step); break;
    case QC_STEP_cutoff: step_cutoff(r, step); break;
    case QC_STEP_anchor: step_anchor(r, step); break;
    case QC_STEP_zero_point: step_zero_point(r, step); break;
    default: /* narrow */
        r->type = type_of(r, step.second);
        r->s = r->type == QC_TOKEN_f32 ? (double)(float)r->s : r->s;
    }
}

static void store(const qc_tensor *tensor, int64_t i, const range *r)
{
    char *const at = (char *)tensor->data +
                     qc_tensor_at(tensor, i) * (int64_t)qc_dtype_bytes(tensor->dtype);
    const float f32 = (float)r->s;
    const int32_t s32 = r->z;
    const int64_t s64 = r->z;
    switch (tensor->dtype) {
    case QC_F32: memcpy(at, &f32, sizeof f32); break;
    case QC_F64: memcpy(at, &r->s, sizeof r->s); break;
    case QC_S32: memcpy(at, &s32, sizeof s32); break;
    default: memcpy(at, &s64, sizeof s64);
    }
}

void qc_reference_choose_qparams(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const min = &call->args[QC_ARG_OF(choose_qparams, min)];
    const qc_tensor *const scale = &call->args[QC_ARG_OF(choose_qparams, scale)];
    for (int64_t i = 0, elems = qc_tensor_elems(min); i < elems; i++) {
        range r = {.min = qc_load(min, i),
                   .max = qc_load(&call->args[QC_ARG_OF(choose_qparams, max)], i),
                   .own = qc_token_of(scale->dtype)};
        qc_call_grid(call, &r.qmin, &r.qmax);
        for (uint32_t n = 0; n < steps->count; n++) {
            step_run(&r, steps->step[n]);
        }
        store(scale, i, &r);
        store(&call->args[QC_ARG_OF(choose_qparams, zero_point)], i, &r);
    }
}
