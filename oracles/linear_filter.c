/* SPDX-License-Identifier: Apache-2.0 */
/* The filtered path of linear. The sum in int64: |S| <= K 255 255 < 2^63 for every K below
   2^47, more than any x_q in memory has. Behind it, with u = 2^-53 and S exact in binary64
   (|S| <= 2^53, else UNKNOWN):

     p = RN(RN(S f0) f1)     |p - exact| <= (2u + u^2) |p| (1 + 3u)
     t = RN(p + b)           and u |t| more
     v = RN(t / f2)          and u |v| more

   where nothing left binary64's normal range, which is looked at (LOW ... HIGH; a zero is
   exact only for S = 0 or b = 0). `slack` bounds the sum of these with room to spare. An s32
   bias in accumulator units joins S. A float one meets f0 alone, which is f32 as well (V14):
   b f0 has at most 48 bits and lies in 2^-298 ... 2^256, so it is exact in binary64 and
   stands for a bias in real units, f1 and f2 being 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "linear.h"

#define LOW 0x1p-900
#define HIGH 0x1p900
#define U 0x1p-53

typedef struct filter {
    qc_linear linear;
    int64_t n; /* whose parameters stand below; -1: none */
    double factor[3];
    double bias; /* in real units */
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

static int is_tame(double value)
{
    return value == 0 || (fabs(value) > LOW && fabs(value) < HIGH);
}

/* t and v of the comment above and the slack of v; 0: some value is out of range. With
   f2 = 1 v is t. */
static int estimate(const filter *f, int64_t sum, double *v_ret, double *slack_ret)
{
    const double s = (double)sum;
    const double p0 = s * f->factor[0];
    const double p = p0 * f->factor[1];
    const double t = p + f->bias;
    const double v = t / f->factor[2];
    const int lost = (s != 0 && f->factor[0] != 0 && p == 0) || (t != 0 && v == 0);
    if (llabs(sum) > INT64_C(1) << 53 || lost || !is_tame(p0) || !is_tame(p) ||
        !is_tame(t) || !is_tame(v)) {
        return 0;
    }
    *v_ret = v;
    *slack_ret = (fabs(p) * (4 * U) + fabs(t) * (2 * U)) / f->factor[2] * (1 + 4 * U) +
                 fabs(v) * (2 * U);
    return 1;
}

/* whole * 2^exponent, whole odd or 0. */
typedef struct dyadic {
    qc_u128 whole;
    int exponent;
    int is_negative;
} dyadic;

static dyadic dyadic_of(double value)
{
    dyadic d = {0, 0, value < 0};
    if (value != 0) {
        d.whole = qc_filter_split(value, &d.exponent);
        const int trailing = __builtin_ctzll((uint64_t)d.whole);
        d.whole >>= trailing;
        d.exponent += trailing;
    }
    return d;
}

static int bits_of(qc_u128 whole)
{
    const uint64_t high = (uint64_t)(whole >> 64);
    return high              ? 128 - __builtin_clzll(high)
           : (uint64_t)whole ? 64 - __builtin_clzll((uint64_t)whole)
                             : 0;
}

/* *a *= b; 0: 126 bits do not hold it. */
static int multiply(dyadic *a, double b)
{
    const dyadic other = dyadic_of(b);
    if (bits_of(a->whole) + bits_of(other.whole) > 126) {
        return 0;
    }
    a->whole *= other.whole;
    a->exponent += other.exponent;
    a->is_negative ^= other.is_negative;
    return 1;
}

/* *a += b; 0: 126 bits do not hold it. */
static int add(dyadic *a, dyadic b)
{
    if (b.whole == 0) {
        return 1;
    }
    if (a->whole == 0) {
        *a = b;
        return 1;
    }
    const int unit = a->exponent < b.exponent ? a->exponent : b.exponent;
    const int a_up = a->exponent - unit;
    const int b_up = b.exponent - unit;
    if (bits_of(a->whole) + a_up > 125 || bits_of(b.whole) + b_up > 125) {
        return 0;
    }
    __extension__ typedef __int128 wide;
    wide total = (wide)(a->whole << a_up) * (a->is_negative ? -1 : 1);
    total += (wide)(b.whole << b_up) * (b.is_negative ? -1 : 1);
    a->is_negative = total < 0;
    a->whole = (qc_u128)(total < 0 ? -total : total);
    a->exponent = unit;
    return 1;
}

/* S f0 f1 + b exactly. */
static int numerator(const filter *f, int64_t sum, dyadic *num_ret)
{
    if (llabs(sum) > INT64_C(1) << 53) {
        return 0;
    }
    *num_ret = dyadic_of((double)sum);
    return multiply(num_ret, f->factor[0]) && multiply(num_ret, f->factor[1]) &&
           add(num_ret, dyadic_of(f->bias));
}

/* The sign of v - (k + 1/2) by integers; 0 returned: they do not hold it. */
static int side_of_tie(const filter *f, int64_t sum, double tie, int *side_ret)
{
    dyadic left;
    dyadic right = dyadic_of(-tie);
    if (!numerator(f, sum, &left) || !multiply(&right, f->factor[2]) ||
        !add(&left, right)) {
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

static uint64_t f32_bits(double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

/* RN_f32(v) where both ends of v's interval round alike; else the exact numerator, cut to
   53 bits with the last one set for what was cut (rounding to odd), rounds right. */
static qc_expected value(const filter *f, int64_t sum)
{
    double v;
    double slack;
    dyadic num;
    if (estimate(f, sum, &v, &slack) && v != 0) {
        const uint64_t below = f32_bits((v - slack) - fabs(v) * U);
        const uint64_t above = f32_bits((v + slack) + fabs(v) * U);
        if (below == above && below << 33 != 0) {
            return (qc_expected){below, QC_EXPECT_VALUE};
        }
    }
    if (!numerator(f, sum, &num)) {
        return (qc_expected){0, QC_EXPECT_UNKNOWN};
    }
    if (num.whole == 0) {
        return (qc_expected){0, QC_EXPECT_VALUE};
    }
    const int extra = bits_of(num.whole) - 53;
    if (extra > 0) {
        const qc_u128 kept = num.whole >> extra;
        num.whole = kept | (kept << extra != num.whole);
        num.exponent += extra;
    }
    if (num.exponent < -1000 || num.exponent > 900) {
        return (qc_expected){0, QC_EXPECT_UNKNOWN};
    }
    const double odd = ldexp((double)(uint64_t)num.whole, num.exponent);
    return (qc_expected){f32_bits(num.is_negative ? -odd : odd), QC_EXPECT_VALUE};
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
