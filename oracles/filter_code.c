/* SPDX-License-Identifier: Apache-2.0 */
/* RNE(x/s) and RNE(x*s), with the zero point inside or not, in binary64.

   Let v be the exact quotient or product and d = RN_f64(v). Rounding is monotone and ties
   k + 1/2 with |k| < 2^51 are f64 numbers, so d lies on the same side of each tie as v,
   or on the tie. Hence RNE(d) = RNE(v) unless d is exactly a tie. Overflow and underflow
   of d do not hurt: both v and d are then beyond the bound, or within (-1/2, 1/2).

   Narrow: x and s have at most 24 bits. A product has at most 48 bits: d = v. For a
   quotient let d be the tie h/2, h odd, |h| < 2^22. If 2x and h*s differ, they do so by
   one unit or more, the unit being the last place of the one of the smaller exponent,
   which so is below 2^46 units, and the other, close to it, below 2^47: |v - d| >= 2^-47
   |d|. But d = RN_f64(v) says |v - d| <= 2^-53 |d|. So they do not differ: v = d, and
   RNE(d) breaks the tie rightly.

   Wide: on a tie the sign of v - d is that of an integer, formed in 128 bits. */
#include <math.h>
#include <string.h>

#include "filter.h"

/* Adding and taking away 1.5 * 2^52 rounds |t| < 2^51 to the nearest integer, ties to
 * even. */
#define ROUNDER 6755399441055744.0

uint64_t qc_filter_split(double value, int *exponent_ret)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int field = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & 0xfffffffffffff;
    *exponent_ret = (field ? field : 1) - 1075;
    return fraction | (uint64_t)(field != 0) << 52;
}

static double widen_half(uint32_t dtype, uint64_t bits)
{
    const int shift = dtype == QC_F16 ? 13 : 16;
    const uint32_t magnitude = (uint32_t)(bits & 0x7fff) << shift;
    const uint32_t infinity =
        dtype == QC_F16 ? UINT32_C(0x0f800000) : UINT32_C(0x7f800000);
    float value;
    memcpy(&value, &magnitude, sizeof value);
    double wide = dtype == QC_F16 ? (double)value * 0x1p112 : (double)value;
    if (magnitude >= infinity) {
        wide = magnitude > infinity ? (double)NAN : (double)INFINITY;
    }
    return bits & 0x8000 ? -wide : wide;
}

void qc_filter_widen(uint32_t dtype, const uint64_t *bits, int64_t count, double *x_ret)
{
    if (dtype == QC_F64) {
        memcpy(x_ret, bits, (size_t)count * sizeof *x_ret);
        return;
    }
    if (dtype != QC_F32) {
        for (int64_t i = 0; i < count; i++) {
            x_ret[i] = widen_half(dtype, bits[i]);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const uint32_t low = (uint32_t)bits[i];
        float value;
        memcpy(&value, &low, sizeof value);
        x_ret[i] = value;
    }
}

static double within_bound(double d)
{
    const double low = d < -QC_FILTER_BOUND ? -QC_FILTER_BOUND : d;
    return low > QC_FILTER_BOUND ? QC_FILTER_BOUND : low; /* NaN stays */
}

/* The low half of t + ROUNDER is the rounded integer in two's complement. */
static int32_t round_bits(double t)
{
    const double sum = t + ROUNDER;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (int32_t)(uint32_t)bits;
}

static void round_narrow(const double *d, int64_t count, int32_t *rounded_ret)
{
    for (int64_t i = 0; i < count; i++) {
        const int32_t rounded = round_bits(within_bound(d[i]));
        rounded_ret[i] = d[i] == d[i] ? rounded : QC_FILTER_NAN;
    }
}

/* Sign of a * 2^a_exp - b * 2^b_exp for positive numbers within a factor of two of each
   other, a below 2^107, b below 2^76: the shift that aligns them cannot overflow. */
static int compare(qc_u128 a, int a_exp, qc_u128 b, int b_exp)
{
    if (a_exp >= b_exp) {
        a <<= a_exp - b_exp;
    } else {
        b <<= b_exp - a_exp;
    }
    return (a > b) - (a < b);
}

/* RNE(v) where d = RN_f64(v) is the tie `tie`. By symmetry for |v|, then the sign again.
 */
static int32_t decide(const qc_filter *filter, double x, double tie)
{
    int x_exp;
    int s_exp;
    const uint64_t x_whole = qc_filter_split(x, &x_exp);
    const uint64_t s_whole = qc_filter_split(filter->scale, &s_exp);
    const uint64_t h = (uint64_t)(2 * fabs(tie));
    const int side = filter->ideal.multiply
                         ? compare((qc_u128)x_whole * s_whole, x_exp + s_exp + 1, h, 0)
                         : compare(x_whole, x_exp + 1, (qc_u128)h * s_whole, s_exp);
    const int32_t below = (int32_t)(h / 2);
    const int32_t rounded = below + (side > 0 || (side == 0 && below % 2 != 0));
    return tie < 0 ? -rounded : rounded;
}

static void round_wide(const qc_filter *filter, const double *x, const double *d,
                       int64_t count, int32_t *rounded_ret)
{
    round_narrow(d, count, rounded_ret);
    for (int64_t i = 0; i < count; i++) {
        if (fabs(d[i] - rounded_ret[i]) == 0.5) {
            rounded_ret[i] = decide(filter, x[i], d[i]);
        }
    }
}

/* v + z. |d - v| <= 2^-53 |d| (or an underflow, which the slack covers wherever a tie is
   near) and w = RN_f64(d + z) adds 2^-53 |w|. The bounds below are wider than that by a
   factor of four, which outweighs their own rounding. RNE is monotone: if both ends round
   to one integer, so does v + z.

   Else, with |z| < 2^44 and |w| <= 2^20 the slack is below 2^-5: the ends lie on both
   sides of one tie, or on it, and v + z less than 2^-4 from it. */
static int32_t round_with_zp(const qc_filter *filter, double x, double d)
{
    const double z = filter->zp;
    if (isnan(x)) {
        return QC_FILTER_NAN;
    }
    if (isinf(d)) { /* |v| >= 2^1023, |z| < 2^129 */
        return d > 0 ? QC_FILTER_BOUND : -QC_FILTER_BOUND;
    }
    const double w = d + z;
    const double slack = (fabs(d) + fabs(w)) * 0x1p-51;
    const int32_t low = round_bits(within_bound(w - slack));
    const int32_t high = round_bits(within_bound(w + slack));
    if (low == high) {
        return low;
    }
    if (!(fabs(z) < 0x1p44)) {
        return QC_FILTER_UNKNOWN;
    }
    const int side = qc_filter_side(filter, x, low + 0.5);
    return side == 0 ? low + (low & 1) : side > 0 ? high : low;
}

void qc_filter_round(const qc_filter *filter, const double *x, int64_t count,
                     int32_t *rounded_ret)
{
    double d[QC_BLOCK_ELEMS];
    if (filter->ideal.multiply) {
        for (int64_t i = 0; i < count; i++) {
            d[i] = x[i] * filter->scale;
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            d[i] = x[i] / filter->scale;
        }
    }
    if (filter->ideal.zp_first) {
        for (int64_t i = 0; i < count; i++) {
            rounded_ret[i] = round_with_zp(filter, x[i], d[i]);
        }
    } else if (filter->is_narrow) {
        round_narrow(d, count, rounded_ret);
    } else {
        round_wide(filter, x, d, count, rounded_ret);
    }
}
