/* SPDX-License-Identifier: Apache-2.0 */
/* The filtered path of linear. The sum in int64: |S| <= K 255 255 < 2^63 for every K
   below 2^47, more than any x_q in memory has. Behind it, with u = 2^-53 and S exact in
   binary64 (|S| <= 2^53, else UNKNOWN), on mantissas alone:

     p = RN(RN(S f0) f1)     |p - exact| <= (2u + u^2) |p| (1 + 3u)
     t = RN(p + b)           and u |t| more
     v = RN(t / f2)          and u |v| more

   p and b are aligned to the larger exponent: what falls off the lower end of binary64
   there lies 2^-1000 below t and more. `slack` bounds the sum of these with room to
   spare, twice each. An s32 bias in accumulator units joins S. A float one meets f0
   alone, which is f32 as well (V14): b f0 has at most 48 bits and lies in 2^-298 ...
   2^256, so it is exact in binary64 and stands for a bias in real units, f1 and f2 being
   1. */
#include <math.h>
#include <stdlib.h>

#include "linear.h"
#include "linear_dyadic.h"

#define U 0x1p-53

typedef struct filter {
    qc_linear linear;
    int64_t n; /* whose parameters stand below; -1: none */
    double factor[3];
    double bias;        /* in real units */
    double mantissa[4]; /* of the factors and of the bias, in [1/2, 1), or 0 */
    int exponent[4];
    int64_t bias_whole;
    int32_t w_zp;
} filter;

static qc_status open_filter(qc_oracle *oracle, qc_message *message)
{
    qc_linear linear;
    qc_linear_view(oracle->call, &linear);
    if (!qc_linear_is_ideal(oracle)) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the filtered path knows only ideal's lists");
    }
    filter *const f = malloc(sizeof *f);
    if (!f) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    *f = (filter){.linear = linear, .n = -1};
    oracle->state = f;
    return QC_OK;
}

static void close_filter(qc_oracle *oracle)
{
    free(oracle->state);
}

static double real_of(const qc_tensor *t, int64_t n)
{
    double value;
    const uint64_t bits = qc_linear_bits(t, n);
    if (t->dtype == QC_S32) {
        return (int32_t)bits;
    }
    qc_filter_widen(t->dtype, &bits, 1, &value);
    return value;
}

static void load_row(filter *f, int64_t n)
{
    const qc_linear *const l = &f->linear;
    if (f->n == n) {
        return;
    }
    f->n = n;
    f->w_zp = qc_linear_integer(l->w_zp, n);
    for (int i = 0; i < 3; i++) {
        f->factor[i] = l->factor[i] ? real_of(l->factor[i], n) : 1;
    }
    if (l->shift) {
        f->factor[0] = ldexp(f->factor[0], qc_linear_integer(l->shift, n));
    }
    f->bias = 0;
    f->bias_whole = 0;
    if (l->bias && l->bias->dtype == QC_F32) {
        f->bias = real_of(l->bias, n) * (l->bias_is_real ? 1 : f->factor[0]);
    } else if (l->bias) {
        f->bias_whole = qc_linear_integer(l->bias, n);
    }
    for (int i = 0; i < 4; i++) {
        f->mantissa[i] = frexp(i < 3 ? f->factor[i] : f->bias, &f->exponent[i]);
    }
}

/* Codes of a row from place k on, less the zero point. */
static void load_codes(const qc_tensor *t, int64_t row, int64_t k, int64_t count,
                       int32_t zero_point, int16_t *codes_ret)
{
    const uint8_t *const from =
        (const uint8_t *)t->data + t->offset + row * t->strides[0] + k * t->strides[1];
    const int64_t step = t->strides[1];
    const int32_t flip = t->dtype == QC_S8 ? 128 : 0; /* (bits ^ 128) - 128 is the s8 */
    for (int64_t i = 0; i < count; i++) {
        codes_ret[i] = (int16_t)((from[i * step] ^ flip) - flip - zero_point);
    }
}

/* In blocks that s32 holds: 4096 255 255 < 2^31. */
static int64_t sum_of(const filter *f, int64_t m, int64_t n)
{
    enum { BLOCK = 4096 };
    const qc_linear *const l = &f->linear;
    const int32_t x_zp = qc_linear_integer(l->x_zp, 0);
    int16_t x[BLOCK];
    int16_t w[BLOCK];
    int64_t sum = f->bias_whole;
    for (int64_t k = 0; k < l->count; k += BLOCK) {
        const int64_t count = l->count - k < BLOCK ? l->count - k : BLOCK;
        int32_t part = 0;
        load_codes(l->x, m, k, count, x_zp, x);
        load_codes(l->w, n, k, count, f->w_zp, w);
        for (int64_t i = 0; i < count; i++) {
            part += x[i] * w[i];
        }
        sum += part;
    }
    return sum;
}

/* v and its slack, both times 2^exponent, out of the range that doubles have: where it is
   not near 0, v stands for anything far above or below it. */
static void settle(double v, double slack, int exponent, double *v_ret, double *slack_ret)
{
    const double far = exponent > 0 ? 0x1p800 : 0x1p-800;
    if (fabs(v) > slack) {
        *v_ret = copysign(far, v);
        *slack_ret = 0;
    } else {
        *v_ret = 0;
        *slack_ret = exponent > 0 && slack != 0 ? INFINITY : far;
    }
}

/* v of the comment above and its slack; 0: S is no binary64 number. */
static int estimate(const filter *f, int64_t sum, double *v_ret, double *slack_ret)
{
    int exponent;
    const double s = frexp((double)sum, &exponent);
    const double product = s * f->mantissa[0] * f->mantissa[1];
    const double bias = f->mantissa[3];
    exponent += f->exponent[0] + f->exponent[1];
    const int is_above = bias == 0 || (product != 0 && exponent >= f->exponent[3]);
    const int unit = is_above ? exponent : f->exponent[3];
    const double p = ldexp(product, exponent - unit);
    const double t = p + ldexp(bias, bias == 0 ? 0 : f->exponent[3] - unit);
    const double v = t / f->mantissa[2];
    const double slack =
        (fabs(p) * (4 * U) + fabs(t) * (2 * U)) / f->mantissa[2] * (1 + 4 * U) +
        fabs(v) * (2 * U);
    const int power = unit - f->exponent[2];
    if (llabs(sum) > INT64_C(1) << 53) {
        return 0;
    }
    if (v != 0 && abs(power) > 800) {
        settle(v, slack, power, v_ret, slack_ret);
        return 1;
    }
    *v_ret = ldexp(v, power);
    *slack_ret = ldexp(slack, power);
    return 1;
}

/* S f0 f1 + b exactly. */
static int numerator(const filter *f, int64_t sum, qc_linear_dyadic *num_ret)
{
    if (llabs(sum) > INT64_C(1) << 53) {
        return 0;
    }
    *num_ret = qc_linear_dyadic_of((double)sum);
    return qc_linear_dyadic_mul(num_ret, f->factor[0]) &&
           qc_linear_dyadic_mul(num_ret, f->factor[1]) &&
           qc_linear_dyadic_add(num_ret, qc_linear_dyadic_of(f->bias));
}

/* The sign of v - (k + 1/2) by integers; 0 returned: they do not hold it. */
static int side_of_tie(const filter *f, int64_t sum, double tie, int *side_ret)
{
    qc_linear_dyadic left;
    qc_linear_dyadic right = qc_linear_dyadic_of(-tie);
    if (!numerator(f, sum, &left) || !qc_linear_dyadic_mul(&right, f->factor[2]) ||
        !qc_linear_dyadic_add(&left, right)) {
        return 0;
    }
    *side_ret = left.whole == 0 ? 0 : left.is_negative ? -1 : 1;
    return 1;
}

static qc_expected code(const qc_oracle *oracle, const filter *f, int64_t sum)
{
    const qc_expected unknown = {0, QC_EXPECT_UNKNOWN};
    const qc_tensor *const zp = &oracle->call->args[oracle->op->zero_point];
    const int32_t z = (int32_t)qc_arg_integer(zp, 0);
    const double low = oracle->qmin - z;
    const double high = oracle->qmax - z;
    double v;
    double slack;
    if (!estimate(f, sum, &v, &slack)) {
        return unknown;
    }
    double k = v - slack >= high ? high : v + slack <= low ? low : rint(v);
    if (k == rint(v) && v - slack < high && v + slack > low) {
        const double tie = floor(v) + 0.5;
        if (slack > 0x1p-8) {
            return unknown;
        }
        if (fabs(v - tie) <= slack) {
            int side;
            if (!side_of_tie(f, sum, tie, &side)) {
                return unknown;
            }
            k = side > 0 || (side == 0 && fmod(tie - 0.5, 2) != 0) ? tie + 0.5
                                                                   : tie - 0.5;
        }
        k = k < low ? low : k > high ? high : k;
    }
    return (qc_expected){(uint8_t)((int32_t)k + z), QC_EXPECT_VALUE};
}

/* RN_f32(v) where both ends of v's interval round alike, and are not 0 of some sign; else
   from the numerator, as the divisor is 1. */
static qc_expected value(const filter *f, int64_t sum)
{
    double v;
    double slack;
    qc_linear_dyadic num;
    if (estimate(f, sum, &v, &slack) && fabs(v) > slack) {
        const uint64_t below = qc_linear_f32((v - slack) - fabs(v) * U);
        const uint64_t above = qc_linear_f32((v + slack) + fabs(v) * U);
        if (below == above) {
            return (qc_expected){below, QC_EXPECT_VALUE};
        }
    }
    if (!numerator(f, sum, &num)) {
        return (qc_expected){0, QC_EXPECT_UNKNOWN};
    }
    return (qc_expected){num.whole == 0 ? 0 : qc_linear_dyadic_round(&num),
                         QC_EXPECT_VALUE};
}

static qc_expected accumulator(const qc_oracle *oracle, int64_t sum)
{
    if (oracle->call->args[oracle->op->element].dtype == QC_S64) {
        return (qc_expected){(uint64_t)sum, QC_EXPECT_VALUE};
    }
    return sum == (int32_t)sum ? (qc_expected){(uint32_t)sum, QC_EXPECT_VALUE}
                               : (qc_expected){0, QC_EXPECT_UNDEFINED};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    filter *const f = oracle->state;
    const uint32_t role = oracle->op->roles[arg];
    for (int64_t i = 0; i < count; i++) {
        const int64_t n = (first + i) % f->linear.columns;
        load_row(f, n);
        const int64_t sum = sum_of(f, (first + i) / f->linear.columns, n);
        expected_ret[i] = role == QC_ROLE_NONE   ? accumulator(oracle, sum)
                          : role == QC_ROLE_CODE ? code(oracle, f, sum)
                                                 : value(f, sum);
    }
}

const qc_engine qc_engine_linear_filter = {open_filter, close_filter, expect};
