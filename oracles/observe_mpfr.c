/* SPDX-License-Identifier: Apache-2.0 */
/* observe by MPFR, any list: rules R5 to R8 and S36 to S39. One channel at a time. */
#include <stdlib.h>

#include "mpfr_machine.h"
#include "ranges.h"

enum { SCRATCH = 4 };

typedef struct observer {
    const qc_oracle *oracle;
    mpfr_t x, low, high, old, v, c, one;
    mpfr_t t[SCRATCH];
    int64_t channel; /* whose extremes stand in low and high; -1: none */
    int is_empty;    /* the batch has no value */
    int undefined;
} observer;

static void each(observer *o, void (*apply)(mpfr_ptr))
{
    mpfr_ptr all[] = {o->x, o->low, o->high, o->old, o->v, o->c, o->one};
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
        apply(all[n]);
    }
    for (int n = 0; n < SCRATCH; n++) {
        apply(o->t[n]);
    }
}

static qc_status open_observer(qc_oracle *oracle, qc_message *message)
{
    observer *const o = malloc(sizeof *o);
    if (!o) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    o->oracle = oracle;
    o->channel = -1;
    each(o, mpfr_init);
    qc_mp_int(o->one, 1);
    mpfr_set_prec(o->c, 53);
    mpfr_set_d(o->c, oracle->call->attrs.averaging, MPFR_RNDN);
    oracle->state = o;
    return QC_OK;
}

static void close_observer(qc_oracle *oracle)
{
    each(oracle->state, mpfr_clear);
    free(oracle->state);
    mpfr_free_cache();
}

static void take(observer *o, int is_first)
{
    if (is_first || mpfr_less_p(o->x, o->low)) {
        qc_mp_copy(o->low, o->x);
    }
    if (is_first || mpfr_greater_p(o->x, o->high)) {
        qc_mp_copy(o->high, o->x);
    }
}

/* S36. What is_empty leaves open stands as NaN under the rules that let NaN through. */
static void step_extremes(observer *o, int64_t channel, uint32_t rule)
{
    const qc_tensor *const x = &o->oracle->call->args[QC_ARG_OF(observe, x)];
    int64_t count = 0;
    int nans = 0;
    for (int64_t at = -1; qc_ranges_next(o->oracle, channel, &at);) {
        qc_mp_decode(o->x, x->dtype, qc_arg_bits(x, at));
        if (mpfr_nan_p(o->x)) {
            nans = 1;
            count = rule == QC_TOKEN_forget ? 0 : count;
        } else if (rule != QC_TOKEN_finite || mpfr_number_p(o->x)) {
            take(o, count == 0);
            count++;
        }
    }
    const int poisoned =
        nans && (rule == QC_TOKEN_propagate || (rule == QC_TOKEN_forget && count == 0));
    if (poisoned) {
        mpfr_set_nan(o->low);
        mpfr_set_nan(o->high);
    }
    o->is_empty = count == 0 && !poisoned;
}

/* v lies beyond what was before: min lower, max higher. NaN stays. */
static void step_join(observer *o, int is_min)
{
    const int keeps = is_min ? mpfr_less_p(o->old, o->v) : mpfr_greater_p(o->old, o->v);
    if (keeps && !mpfr_nan_p(o->v)) {
        qc_mp_copy(o->v, o->old);
    }
}

static void round_into(mpfr_t number, mpfr_t scratch, const observer *o, uint32_t T)
{
    if (T != QC_NONE) {
        qc_mp_round(scratch, number, o->one, T);
        qc_mp_copy(number, scratch);
    }
}

static void negate(mpfr_t number)
{
    mpfr_neg(number, number, MPFR_RNDN);
}

/* old + c (v - old), or (1 - c) old + c v; every operation rounded into T. */
static void step_average(observer *o, const qc_step *step)
{
    const uint32_t T = step->first == QC_TOKEN_own   ? o->oracle->own
                       : step->first == QC_TOKEN_f32 ? QC_F32
                       : step->first == QC_TOKEN_f64 ? QC_F64
                                                     : QC_NONE;
    if (mpfr_nan_p(o->v)) {
        return;
    }
    if (!mpfr_number_p(o->old) || !mpfr_number_p(o->v)) {
        o->undefined = 1;
        return;
    }
    if (step->second == QC_TOKEN_right) {
        qc_mp_copy(o->t[0], o->c);
        negate(o->t[0]);
        qc_mp_add(o->t[1], o->one, o->t[0]);
        round_into(o->t[1], o->t[3], o, T);
        qc_mp_mul(o->t[2], o->t[1], o->old);
        round_into(o->t[2], o->t[3], o, T);
    } else {
        qc_mp_copy(o->t[2], o->old);
        qc_mp_copy(o->t[0], o->old);
        negate(o->t[0]);
        qc_mp_add(o->t[1], o->v, o->t[0]);
        round_into(o->t[1], o->t[3], o, T);
        qc_mp_copy(o->v, o->t[1]);
    }
    qc_mp_mul(o->t[1], o->c, o->v);
    round_into(o->t[1], o->t[3], o, T);
    qc_mp_add(o->v, o->t[2], o->t[1]);
    round_into(o->v, o->t[3], o, T);
}

static int step_of(const qc_oracle *oracle, uint32_t kind)
{
    for (uint32_t n = 0; n < oracle->steps.count; n++) {
        if (oracle->steps.step[n].kind == kind) {
            return (int)n;
        }
    }
    return -1;
}

/* v, from the batch's extreme and the old value, through the steps behind `extremes`. */
static void combine(observer *o, uint32_t arg, int64_t channel)
{
    const qc_oracle *const oracle = o->oracle;
    const int is_min = arg == QC_ARG_OF(observe, min);
    const qc_tensor *const old = qc_ranges_old(oracle, arg);
    int has_old = qc_ranges_has_state(oracle);
    const int start = step_of(oracle, QC_STEP_start);
    if (has_old) {
        qc_mp_decode(o->old, old->dtype, qc_arg_bits(old, channel));
    } else if (start >= 0 && oracle->steps.step[start].first == QC_TOKEN_zero) {
        qc_mp_int(o->old, 0);
        has_old = 1;
    }
    if (o->is_empty) { /* R7 */
        qc_mp_copy(o->v, o->old);
        o->undefined = !has_old;
        return;
    }
    qc_mp_copy(o->v, is_min ? o->low : o->high);
    for (uint32_t n = 0; n < oracle->steps.count && has_old; n++) {
        const qc_step *const step = &oracle->steps.step[n];
        if (step->kind == QC_STEP_join && step->first == QC_TOKEN_state) {
            step_join(o, is_min);
        } else if (step->kind == QC_STEP_average) {
            step_average(o, step);
        }
    }
}

/* R8: a zero is +0. */
static uint64_t result_bits(observer *o)
{
    qc_mp_round(o->t[0], o->v, o->one, o->oracle->own);
    return mpfr_zero_p(o->t[0]) ? 0 : qc_mp_encode(o->t[0], o->oracle->own);
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    observer *const o = oracle->state;
    const int extremes = step_of(oracle, QC_STEP_extremes);
    for (int64_t i = 0; i < count; i++) {
        if (o->channel != first + i) {
            step_extremes(o, first + i,
                          extremes < 0 ? QC_TOKEN_skip
                                       : oracle->steps.step[extremes].first);
            o->channel = first + i;
        }
        o->undefined = 0;
        combine(o, arg, first + i);
        expected_ret[i] = o->undefined ? (qc_expected){0, QC_EXPECT_UNDEFINED}
                                       : (qc_expected){result_bits(o), QC_EXPECT_VALUE};
    }
}

const qc_engine qc_engine_observe_mpfr = {open_observer, close_observer, expect};
