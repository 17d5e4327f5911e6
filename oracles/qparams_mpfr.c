/* SPDX-License-Identifier: Apache-2.0 */
/* choose_qparams by MPFR, any list: rules R1 to R4 and S30 to S35. v is the ratio v / v_den
   of exact dyadics; s is always a rounded value. */
#include <stdlib.h>

#include "mpfr_machine.h"
#include "ranges.h"

enum { SCRATCH = 4 };

typedef struct range {
    const qc_oracle *oracle;
    mpfr_t min, max, lo, hi, v, v_den, s, one;
    mpfr_t t[SCRATCH];
    uint32_t s_type;  /* the dtype that s was rounded into last */
    int32_t z;        /* the zero point */
    int is_symmetric; /* the list began with reach */
    int undefined;
} range;

static void each(range *r, void (*apply)(mpfr_ptr))
{
    mpfr_ptr all[] = {r->min, r->max, r->lo, r->hi, r->v, r->v_den, r->s, r->one};
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
        apply(all[n]);
    }
    for (int n = 0; n < SCRATCH; n++) {
        apply(r->t[n]);
    }
}

static qc_status open_range(qc_oracle *oracle, qc_message *message)
{
    range *const r = malloc(sizeof *r);
    if (!r) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    r->oracle = oracle;
    each(r, mpfr_init);
    qc_mp_int(r->one, 1);
    oracle->state = r;
    return QC_OK;
}

static void close_range(qc_oracle *oracle)
{
    each(oracle->state, mpfr_clear);
    free(oracle->state);
    mpfr_free_cache();
}

static uint32_t type_of(const range *r, uint32_t token)
{
    switch (token) {
    case QC_TOKEN_f32: return QC_F32;
    case QC_TOKEN_f64: return QC_F64;
    case QC_TOKEN_f16: return QC_F16;
    case QC_TOKEN_bf16: return QC_BF16;
    case QC_TOKEN_own: return r->oracle->own;
    default: return QC_NONE;
    }
}

static void round_v(range *r, uint32_t T)
{
    if (T != QC_NONE) {
        qc_mp_round(r->t[0], r->v, r->v_den, T);
        qc_mp_copy(r->v, r->t[0]);
        qc_mp_int(r->v_den, 1);
    }
}

static void take_range(range *r, int widened)
{
    qc_mp_copy(r->lo, r->min);
    qc_mp_copy(r->hi, r->max);
    if (widened && mpfr_sgn(r->lo) > 0) {
        qc_mp_int(r->lo, 0);
    }
    if (widened && mpfr_sgn(r->hi) < 0) {
        qc_mp_int(r->hi, 0);
    }
    qc_mp_int(r->v_den, 1);
}

static void step_span(range *r, const qc_step *step)
{
    take_range(r, step->second != QC_TOKEN_none);
    qc_mp_copy(r->t[0], r->lo);
    mpfr_neg(r->t[0], r->t[0], MPFR_RNDN);
    qc_mp_add(r->v, r->hi, r->t[0]);
    round_v(r, type_of(r, step->first));
}

static void step_reach(range *r, const qc_step *step)
{
    take_range(r, 1);
    r->is_symmetric = 1;
    qc_mp_copy(r->v, mpfr_cmpabs(r->lo, r->hi) > 0 ? r->lo : r->hi);
    mpfr_abs(r->v, r->v, MPFR_RNDN);
    round_v(r, type_of(r, step->first));
}

static void step_steps(range *r, const qc_step *step)
{
    const int is_half = step->second == QC_TOKEN_real;
    qc_mp_int(r->t[1], is_half ? r->oracle->qmax - r->oracle->qmin
                               : qc_ranges_steps(r->oracle, r->is_symmetric));
    qc_mp_int(r->t[2], is_half ? 2 : 1);
    qc_mp_mul(r->t[3], r->v, r->t[2]);
    r->s_type = type_of(r, step->first);
    qc_mp_round(r->s, r->t[3], r->t[1], r->s_type);
}

/* RN of num / 10^tenths and the like into the type of s. */
static void set_ratio(range *r, long num, long den)
{
    qc_mp_int(r->t[0], num);
    qc_mp_int(r->t[1], den);
    qc_mp_round(r->s, r->t[0], r->t[1], r->s_type);
}

static void set_power(range *r, mpfr_exp_t exponent)
{
    qc_mp_int(r->s, 1);
    mpfr_mul_2si(r->s, r->s, exponent, MPFR_RNDN);
}

static void step_cutoff(range *r, const qc_step *step)
{
    const int is_point = mpfr_zero_p(r->v);
    if (step->first == QC_TOKEN_one) {
        if (!mpfr_regular_p(r->s)) {
            qc_mp_int(r->s, 1);
        }
    } else if (step->first == QC_TOKEN_epsilon) {
        if (mpfr_cmp_ui_2exp(r->s, 1, -23) < 0) {
            set_power(r, -23);
        }
    } else if (is_point && step->first == QC_TOKEN_tenth) {
        qc_mp_int(r->t[0], 1);
        qc_mp_int(r->t[1], 10);
        qc_mp_round(r->s, r->t[0], r->t[1], QC_F32);
    } else if (is_point && step->first == QC_TOKEN_code_step) {
        set_ratio(r, 1, r->oracle->qmax - r->oracle->qmin);
    } else if (is_point) {
        qc_mp_int(r->s, 1);
    } else if (mpfr_zero_p(r->s)) {
        set_power(r, r->s_type == QC_F64 ? -1022 : -126);
    }
}

/* v := (code * s - end) / s, or RN_T(code - RN_T(end / s)). */
static void anchor_at(range *r, int32_t code, mpfr_t end, uint32_t T)
{
    qc_mp_int(r->t[1], code);
    if (T == QC_NONE) {
        qc_mp_mul(r->t[0], r->t[1], r->s);
        qc_mp_copy(r->t[2], end);
        mpfr_neg(r->t[2], r->t[2], MPFR_RNDN);
        qc_mp_add(r->v, r->t[0], r->t[2]);
        qc_mp_copy(r->v_den, r->s);
        return;
    }
    qc_mp_round(r->t[0], end, r->s, T);
    mpfr_neg(r->t[0], r->t[0], MPFR_RNDN);
    qc_mp_add(r->v, r->t[1], r->t[0]);
    qc_mp_int(r->v_den, 1);
    round_v(r, T);
}

/* |code| s + sign |end| into t[which]. */
static void anchor_error(range *r, int which, int32_t code, mpfr_t end, int sign)
{
    qc_mp_int(r->t[0], labs(code));
    qc_mp_mul(r->t[1], r->t[0], r->s);
    qc_mp_copy(r->t[0], end);
    mpfr_abs(r->t[0], r->t[0], MPFR_RNDN);
    mpfr_setsign(r->t[0], r->t[0], sign < 0, MPFR_RNDN);
    qc_mp_add(r->t[which], r->t[1], r->t[0]);
}

static void step_anchor(range *r, const qc_step *step)
{
    const qc_oracle *const oracle = r->oracle;
    uint32_t anchor = step->first;
    if (anchor == QC_TOKEN_middle) {
        qc_mp_int(r->v, (long)oracle->qmin + oracle->qmax);
        qc_mp_int(r->v_den, 2);
        return;
    }
    if (!mpfr_regular_p(r->s)) {
        r->undefined = 1;
        return;
    }
    if (anchor == QC_TOKEN_smaller_error || anchor == QC_TOKEN_difference) {
        const int sign = anchor == QC_TOKEN_difference ? -1 : 1;
        anchor_error(r, 2, oracle->qmin, r->lo, sign);
        anchor_error(r, 3, oracle->qmax, r->hi, sign);
        anchor =
            mpfr_less_p(r->t[2], r->t[3]) ? QC_TOKEN_min_anchor : QC_TOKEN_max_anchor;
    }
    const uint32_t T = type_of(r, step->second);
    if (anchor == QC_TOKEN_max_anchor) {
        anchor_at(r, oracle->qmax, r->hi, T);
    } else {
        anchor_at(r, oracle->qmin, r->lo, T);
    }
}

/* Whether v rounds to k + 1 or above: where 2v lies from 2k + 1, or for toward_zero from the
   integer at which truncation goes on. */
static int rounds_above(range *r, int32_t k, uint32_t rule)
{
    const long twice = rule != QC_TOKEN_toward_zero ? 2L * k + 1
                       : k < 0                      ? 2L * k
                                                    : 2L * k + 2;
    qc_mp_int(r->t[0], twice);
    qc_mp_mul(r->t[1], r->t[0], r->v_den);
    qc_mp_int(r->t[0], 2);
    qc_mp_mul(r->t[2], r->v, r->t[0]);
    const int side = mpfr_cmp(r->t[2], r->t[1]);
    if (side != 0) {
        return side > 0;
    }
    switch (rule) {
    case QC_TOKEN_half_even: return k % 2 != 0;
    case QC_TOKEN_half_up: return 1;
    case QC_TOKEN_half_down: return 0;
    default: /* half_away, toward_zero */ return k >= 0;
    }
}

static void step_zero_point(range *r, const qc_step *step)
{
    int32_t low = r->oracle->qmin;
    int32_t high = r->oracle->qmax;
    while (low < high && !r->undefined) {
        const int32_t middle = low + (high - low) / 2;
        if (rounds_above(r, middle, step->first)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    r->z = low;
}

static void step_narrow(range *r, const qc_step *step)
{
    r->s_type = type_of(r, step->second);
    qc_mp_round(r->t[0], r->s, r->one, r->s_type);
    qc_mp_copy(r->s, r->t[0]);
}

static void step_run(range *r, const qc_step *step)
{
    switch (step->kind) {
    case QC_STEP_span: step_span(r, step); break;
    case QC_STEP_reach: step_reach(r, step); break;
    case QC_STEP_steps: step_steps(r, step); break;
    case QC_STEP_cutoff: step_cutoff(r, step); break;
    case QC_STEP_anchor: step_anchor(r, step); break;
    case QC_STEP_zero_point: step_zero_point(r, step); break;
    default: step_narrow(r, step);
    }
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    range *const r = oracle->state;
    const qc_tensor *const args = oracle->call->args;
    const qc_tensor *const min = &args[QC_ARG_OF(choose_qparams, min)];
    const qc_tensor *const max = &args[QC_ARG_OF(choose_qparams, max)];
    for (int64_t i = 0; i < count; i++) {
        qc_mp_decode(r->min, min->dtype, qc_arg_bits(min, first + i));
        qc_mp_decode(r->max, max->dtype, qc_arg_bits(max, first + i));
        r->is_symmetric = r->undefined = 0;
        for (uint32_t n = 0; n < oracle->steps.count; n++) {
            step_run(r, &oracle->steps.step[n]);
        }
        const uint32_t dtype = args[arg].dtype;
        const uint64_t bits = arg == QC_ARG_OF(choose_qparams, scale)
                                  ? qc_mp_encode(r->s, dtype)
                              : dtype == QC_S32 ? (uint64_t)(uint32_t)r->z
                                                : (uint64_t)(int64_t)r->z;
        expected_ret[i] =
            (qc_expected){bits, r->undefined ? QC_EXPECT_UNDEFINED : QC_EXPECT_VALUE};
    }
}

const qc_engine qc_engine_qparams_mpfr = {open_range, close_range, expect};
