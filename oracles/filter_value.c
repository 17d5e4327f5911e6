/* SPDX-License-Identifier: Apache-2.0 */
/* RN_T((code - z) * s).

   Integer z: |code - z| < 2^9. With an f32 scale the product has at most 33 bits and an
   exponent well inside binary64's: the f64 product is exact, and one conversion rounds
   it. For T = f64 the product itself is that one rounding. Else the product is an integer
   below 2^62 times a power of two, and is rounded by shifts.

   Float z, 0 or 2^-20 <= |z| < 2^52: z's last bit is at least 2^-43. Below 2^9 the
   difference is a multiple of that under 2^10: 53 bits. From 2^9 on it is a multiple of
   2^-14 under 2^39, or from 2^38 on one of 2^15 less an integer, under 2^53: 53 bits. So
   it is exact in binary64, and times s an integer below 2^106. So is 0 - z.

   Other z, code not 0: of the two terms code and -z, one, P, is more than 2^20 times the
   other, Q. Let P = A 2^a, A < 2^24 an integer, and s = B 2^b, 2^52 <= B < 2^53. In units
   of 2^(a + b) the value is AB + Q' with AB >= 2^52 and |Q'| < AB 2^-20: above 2^51. What
   T, of at most 53 bits, can hold there, and the midpoints between, are multiples of 1/4,
   so Q' matters only by its place among those. It is cut to multiples of 2^-30, an odd
   one standing for what is left of it (rounding to odd): with AB < 2^77 an integer below
   2^108. The shift that cuts Q is -149 - 7 + 30 or more. */
#include <math.h>
#include <string.h>

#include "filter.h"

#define FAR_BITS 30

typedef struct target {
    int fraction_bits;
    int exponent_bits;
    int lowest; /* exponent of the smallest subnormal */
} target;

static const target targets[QC_DTYPE_COUNT] = {
    [QC_F32] = {23, 8, -149},
    [QC_F64] = {52, 11, -1074},
    [QC_F16] = {10, 5, -24},
    [QC_BF16] = {7, 8, -133},
};

static int bits_of(qc_u128 whole)
{
    const uint64_t high = (uint64_t)(whole >> 64);
    return high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)whole);
}

static qc_u128 shift_right(qc_u128 whole, int shift)
{
    if (shift > 127) {
        return 0;
    }
    const qc_u128 kept = whole >> shift;
    const qc_u128 rest = whole - (kept << shift);
    const qc_u128 half = (qc_u128)1 << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* whole * 2^exponent rounded into a type, whole in 1 ... 2^108: nearest, ties to even. */
static uint64_t round_into(const target *type, int is_negative, qc_u128 whole,
                           int exponent)
{
    const uint64_t infinity = ((UINT64_C(1) << type->exponent_bits) - 1)
                              << type->fraction_bits;
    const uint64_t sign = (uint64_t)is_negative
                          << (type->fraction_bits + type->exponent_bits);
    const int top = bits_of(whole) + exponent;
    int unit = top - type->fraction_bits - 1;
    if (top > type->lowest + type->fraction_bits + (1 << type->exponent_bits)) {
        return sign | infinity;
    }
    unit = unit < type->lowest ? type->lowest : unit;
    const qc_u128 kept = unit > exponent ? shift_right(whole, unit - exponent)
                                         : whole << (exponent - unit);
    const uint64_t bits =
        ((uint64_t)(unit - type->lowest) << type->fraction_bits) + (uint64_t)kept;
    return sign | (bits < infinity ? bits : infinity);
}

static uint64_t round_product(const qc_filter *filter, double difference)
{
    int difference_exp;
    int scale_exp;
    if (difference == 0) {
        return 0;
    }
    const uint64_t a = qc_filter_split(difference, &difference_exp);
    const uint64_t b = qc_filter_split(filter->scale, &scale_exp);
    const int trailing = __builtin_ctzll(a); /* keeps the product short */
    return round_into(&targets[filter->oracle->own], difference < 0,
                      (qc_u128)(a >> trailing) * b,
                      difference_exp + trailing + scale_exp);
}

/* |value| as whole * 2^exponent, whole odd; value not 0. */
static uint64_t split_odd(double value, int *exponent_ret)
{
    const uint64_t whole = qc_filter_split(value, exponent_ret);
    const int trailing = __builtin_ctzll(whole);
    *exponent_ret += trailing;
    return whole >> trailing;
}

/* whole * 2^shift rounded to odd, shift > -128. */
static qc_u128 shift_to_odd(qc_u128 whole, int shift)
{
    if (shift >= 0) {
        return whole << shift;
    }
    const qc_u128 kept = whole >> -shift;
    return kept | (kept << -shift != whole);
}

/* (code - z) * s where one of code and z is far below the other, and neither is 0. */
static uint64_t round_far(const qc_filter *filter, double code)
{
    const int is_code_large = fabs(code) > fabs(filter->zp);
    const double large = is_code_large ? code : -filter->zp;
    const double small = is_code_large ? -filter->zp : code;
    int large_exp;
    int small_exp;
    int scale_exp;
    const qc_u128 a = split_odd(large, &large_exp);
    const qc_u128 c = split_odd(small, &small_exp);
    uint64_t b = qc_filter_split(filter->scale, &scale_exp);
    const int leading = __builtin_clzll(b) - 11;
    b <<= leading;
    scale_exp -= leading;
    const qc_u128 rest = shift_to_odd(c * b, small_exp - large_exp + FAR_BITS);
    const qc_u128 most = a * b << FAR_BITS;
    return round_into(&targets[filter->oracle->own], large < 0,
                      (large < 0) == (small < 0) ? most + rest : most - rest,
                      large_exp + scale_exp - FAR_BITS);
}

static uint64_t bits_f32(double exact)
{
    const float rounded = (float)exact;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static uint64_t bits_f64(double rounded)
{
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static int is_exact_zp(double z)
{
    return z == 0 || (fabs(z) >= 0x1p-20 && fabs(z) < 0x1p52);
}

void qc_filter_values(const qc_filter *filter, const int32_t *codes, int64_t count,
                      qc_expected *expected_ret)
{
    const qc_oracle *const oracle = filter->oracle;
    const int is_int = !oracle->float_zp;
    const int is_f32_scale = oracle->call->args[oracle->op->scale].dtype == QC_F32;
    const int is_exact = is_int || is_exact_zp(filter->zp);
    const int is_f32 = is_int && is_f32_scale && oracle->own == QC_F32;
    const int is_f64 = is_exact && oracle->own == QC_F64;
    for (int64_t i = 0; i < count; i++) {
        const double difference = codes[i] - filter->zp;
        expected_ret[i].kind = QC_EXPECT_VALUE;
        if (is_f32) {
            expected_ret[i].bits = bits_f32(difference * filter->scale);
        } else if (is_f64) {
            expected_ret[i].bits = bits_f64(difference * filter->scale);
        } else if (is_exact || codes[i] == 0) {
            expected_ret[i].bits = round_product(filter, difference);
        } else {
            expected_ret[i].bits = round_far(filter, codes[i]);
        }
    }
}
