/* SPDX-License-Identifier: Apache-2.0 */
/* x within real bounds, in binary64: the signs of v + z - q for q = qmin and q = qmax, with
   v = x/s or x * m, x and s f64 numbers.

   d + e = q - z exactly, by Knuth's two-sum. With e = 0:
   quotient: x against d*s. With p = RN(d*s), rounding being monotone, x > p says x > d*s,
   and x < p likewise; on x = p the sign is that of p - d*s, which one fma gives. It cannot
   underflow where d is an integer, as d*s is then a multiple of the smallest f64 number, or
   where |p| is large: the bits of d*s end 2^-106 below it. Overflow of p leaves x below it.
   product: x*m against d, likewise; its residue is a multiple of 2^-106 |d|, |d| >= 2^-149;
   where d = 0 the sign is x's, whatever underflows.

   With e not 0, |e| <= 2^-53 |d|, the same comparison errs by less than 2^-51 of p, or of
   d: beyond that it decides, and within it nothing is answered. */
#include <math.h>

#include "filter.h"

typedef struct end {
    double d;
    double e;
    double p;    /* d * s, for quotients */
    int residue; /* the sign of p - d*s; RESIDUE_UNKNOWN */
} end;

enum { RESIDUE_UNKNOWN = 2, SIDE_UNKNOWN = 2 };

static int sign(double a)
{
    return (a > 0) - (a < 0);
}

static end end_of(const qc_filter *filter, int32_t code)
{
    const double d = code - filter->zp;
    const double back = d - code;
    end bound = {.d = d, .e = (code - (d - back)) + (-filter->zp - back)};
    bound.p = d * filter->scale;
    const int is_safe = d == rint(d) || fabs(bound.p) > 0x1p-900;
    bound.residue = isinf(bound.p) ? 0
                    : is_safe      ? -sign(fma(d, filter->scale, -bound.p))
                                   : RESIDUE_UNKNOWN;
    return bound;
}

static int side_of_quotient(const end *bound, double x)
{
    if (bound->e != 0) {
        const double slack = fabs(bound->p) * 0x1p-51 + 0x1p-1050;
        return fabs(x - bound->p) > slack ? sign(x - bound->p) : SIDE_UNKNOWN;
    }
    return x != bound->p ? (x > bound->p) - (x < bound->p) : bound->residue;
}

static int side_of_product(const qc_filter *filter, const end *bound, double x)
{
    const double p = x * filter->scale;
    if (bound->e != 0) {
        const double slack = (fabs(p) + fabs(bound->d)) * 0x1p-51;
        return fabs(p - bound->d) > slack ? sign(p - bound->d) : SIDE_UNKNOWN;
    }
    if (bound->d == 0) {
        return sign(x);
    }
    return p != bound->d ? (p > bound->d) - (p < bound->d)
                         : sign(fma(x, filter->scale, -bound->d));
}

void qc_filter_real_masks(const qc_filter *filter, const double *x, int64_t count,
                          qc_expected *expected_ret)
{
    const end low = end_of(filter, filter->oracle->qmin);
    const end high = end_of(filter, filter->oracle->qmax);
    const int multiply = filter->ideal.multiply;
    for (int64_t i = 0; i < count; i++) {
        expected_ret[i] = (qc_expected){0, QC_EXPECT_VALUE};
        if (!isfinite(x[i])) {
            continue;
        }
        const int above =
            multiply ? side_of_product(filter, &low, x[i]) : side_of_quotient(&low, x[i]);
        const int below = multiply ? side_of_product(filter, &high, x[i])
                                   : side_of_quotient(&high, x[i]);
        if (above == SIDE_UNKNOWN || below == SIDE_UNKNOWN) {
            expected_ret[i].kind = QC_EXPECT_UNKNOWN;
        } else {
            expected_ret[i].bits = above >= 0 && below <= 0;
        }
    }
}
