/* SPDX-License-Identifier: Apache-2.0 */
/* The code of one element, exact on every input. */
#ifndef QC_IMPL_CODE_H
#define QC_IMPL_CODE_H

#include "channel.h"

#define QC_CODE_NAN INT32_MIN

/* RNE(v) for |v| < 2^51: the sum's unit is 1 there, and an even constant keeps parity. */
QC_INLINE double qc_rounded(double v)
{
    return (v + 0x1.8p52) - 0x1.8p52;
}

QC_INLINE double qc_clamped(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* The integer for an f64 quotient or product v that is a tie: by the sign of what v
   lost. */
double qc_code_at_tie(const qc_channel *c, double x, double v);

/* Float zero points (Q3). */
int32_t qc_code_float_zp(const qc_channel *c, double x);

/* Q1, Q2: RNE(x/s), or of x*s, saturated to low-1 ... high+1, so that a mask can tell
   what was outside; QC_CODE_NAN for NaN.

   Ties k + 1/2 of this range are f64 numbers and rounding to f64 is monotone: v lies
   on the same side of each tie as the exact value, or on the tie itself. There
   qc_code_at_tie decides, unless may_tie is 0 and the exact value is a tie too.
   Clamping v to integers before rounding is clamping after it, as RNE is monotone and
   fixes integers. Witness: x = 3, s = 0x1.5555555555555p-1: x/s is above 4.5 by 1.1 *
   2^-52, rounds to 4.5 in f64; the code is 5. */
QC_INLINE int32_t qc_code(const qc_channel *c, double x)
{
    if (x != x) {
        return QC_CODE_NAN;
    }
    if (c->is_float_zp) {
        return qc_code_float_zp(c, x);
    }
    const double quotient = c->multiplies ? x * c->scale : x / c->scale;
    const double v = qc_clamped(quotient, c->low - 1, c->high + 1);
    double code = qc_rounded(v);
    if (c->may_tie && fabs(v - code) == 0.5) {
        code = qc_code_at_tie(c, x, v);
    }
    return (int32_t)code;
}

/* The same, saturated to the grid; NaN gives its code. */
QC_INLINE int32_t qc_code_in_grid(const qc_channel *c, int32_t code)
{
    return code == QC_CODE_NAN ? c->nan_code
           : code < c->low     ? c->low
           : code > c->high    ? c->high
                               : code;
}

#endif
