/* SPDX-License-Identifier: Apache-2.0 */
/* On which side of the tie h an exact v + z lies, v = x/s or x*s and z an f32 number.

   The caller has h = k + 1/2, |h| < 2^21, |v + z - h| < 2^-4 and |z| < 2^44; so v is far
   from overflow.

   Lemma. Let w, r be f64 with |r| <= |w| 2^-53. Then u + w + r has the sign of RN(u + w)
   compared with -r. If u and -w are within a factor of two, u + w is exact (Sterbenz).
   If not, |u + w| >= |w|/2 > |r|, which rounding, being monotone, keeps; if w = 0, r = 0.

   Products come as such pairs: w = RN(ab), and r = ab - w by one fma, exact where a bit
   of weight ulp(a) ulp(b) does not underflow.

   Quotients are freed of their exponents: with s = S 2^e, 1 <= S < 2, and X = x 2^-e the
   sign is that of X - S(h - z), |X| < 2^47. X is exact, in two steps too, unless it ends
   below 2^-1021, where beside a number of 2^-27 its value does not matter.

   |z| >= 1/16. Both h and z are multiples of 2^-27, or |z| >= 2^25 and they are multiples
   of 1/2: t = h - z is exact, 0 or at least 2^-27. If t = 0 the sign is x's. Else:
   quotient: X against the product St, a multiple of 2^-131.
   product: xs as a pair against t. Its r underflows only below 2^-900; then t decides,
   whatever r.

   |z| < 1/16. |v - h| < 1/8, |h| >= 1/2, so |v| > 3/8.
   quotient: X > 3/8 is a multiple of 2^-54, so are S*h and D = X - S*h, and |D| < 1/4: D
   is an f64 number. So with the pair of S*h both differences below are exact: the first
   by Sterbenz, the second being D. The sign is D + Sz's, Sz a multiple of 2^-201.
   product: p, e the pair of xs; a = p - h is exact (Sterbenz), a multiple of U = ulp(p),
   |e| <= U/2. The sign is that of RN(a + z) compared with -e. For if |z| < |a|/16, then
   |a + z| > U/2, rounded or not: a decides. Else a + z is exact: a multiple of U >= 2^-54
   below 1/4, or of z's last bit m, 2^24 m > |z|, and below 17 |z|. */
#include <math.h>

#include "filter.h"

typedef struct pair {
    double high;
    double low;
} pair;

static pair product(double a, double b)
{
    const double high = a * b;
    return (pair){high, fma(a, b, -high)};
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* The lemma. */
static int sign_of_sum(double u, pair w)
{
    return compare(u + w.high, -w.low);
}

static pair negative(pair w)
{
    return (pair){-w.high, -w.low};
}

static int side_of_large(const qc_filter *filter, double x, double h)
{
    const double t = h - filter->zp;
    if (t == 0) {
        return compare(x, 0);
    }
    return filter->ideal.multiply
               ? sign_of_sum(-t, product(x, filter->scale))
               : sign_of_sum(x * filter->to_unit[0] * filter->to_unit[1],
                             negative(product(filter->unit_scale, t)));
}

static int side_of_small(const qc_filter *filter, double x, double h)
{
    if (filter->ideal.multiply) {
        const pair v = product(x, filter->scale);
        return compare((v.high - h) + filter->zp, -v.low);
    }
    const pair tie = product(filter->unit_scale, h);
    const double scaled = x * filter->to_unit[0] * filter->to_unit[1];
    const double distance = (scaled - tie.high) - tie.low;
    return sign_of_sum(distance, product(filter->unit_scale, filter->zp));
}

void qc_filter_set_unit(qc_filter *filter)
{
    int exponent;
    filter->unit_scale = 2 * frexp(filter->scale, &exponent);
    exponent -= 1;
    filter->to_unit[0] = ldexp(1, -exponent / 2);
    filter->to_unit[1] = ldexp(1, -exponent - -exponent / 2);
}

int qc_filter_side(const qc_filter *filter, double x, double h)
{
    return fabs(filter->zp) < 0.0625 ? side_of_small(filter, x, h)
                                     : side_of_large(filter, x, h);
}
