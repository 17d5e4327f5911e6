/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"
#include "real.h"
#include "sum.h"

/* A product that f64 flushes or overflows is zero or infinite in any narrower type
   too, and below 2^-1022 its lost bits do not matter to one. Elsewhere fma gives what
   was lost. */
double qc_product_to_odd(double d, double s)
{
    double product = d * s;
    const double lost = fma(d, s, -product);
    if (lost != 0.0 && product != 0.0 && isfinite(product)) {
        uint64_t bits;
        memcpy(&bits, &product, sizeof bits);
        bits -=
            (lost < 0.0) != (product < 0.0); /* back to the value cut off toward zero */
        bits |= 1;
        memcpy(&product, &bits, sizeof bits);
    }
    return product;
}

/* Exponent of the distance from y >= 0 to the next value of the format. */
static int gap_above(qc_format f, double y)
{
    int exponent;
    frexp(y, &exponent);
    const int gap = exponent - f.precision;
    return y == 0.0 || gap < f.quantum ? f.quantum : gap;
}

/* The sign of (high + low) s - (y + 2^gap / 2), everything divided by s's power of
   two. The first two have d's magnitude, 2^-25 ... 2^129, and errors far above
   2^-1022. */
static int side_of_middle(double high, double low, double scale, double y, int gap)
{
    int exponent;
    const double s = frexp(scale, &exponent);
    qc_sum sum = {0};
    qc_sum_add_product(&sum, low, s);
    qc_sum_add_product(&sum, high, s);
    qc_sum_add(&sum, -ldexp(y, -exponent));
    qc_sum_add(&sum, -ldexp(1.0, gap - 1 - exponent));
    return qc_sum_sign(&sum);
}

static int is_odd(double y, int gap)
{
    return fmod(ldexp(y, -gap), 2.0) != 0.0;
}

/* |high + low| s rounded: the value y of the format such that the exact product lies
   between the middles of its two gaps. The f64 product of `high` is within two units
   of the exact one, so two gaps below it is a y to climb from while the product lies
   above the middle. */
static double rounded_product(double high, double low, double scale, qc_format f)
{
    double y = fmin(high * scale, f.max);
    y = ldexp(floor(ldexp(y, -gap_above(f, y))), gap_above(f, y));
    for (int down = 0; down < 2 && y > 0.0; down++) {
        y -= ldexp(1.0, gap_above(f, nextafter(y, 0.0)));
    }
    for (;;) {
        const int gap = gap_above(f, y);
        const int where = side_of_middle(high, low, scale, y, gap);
        if (where < 0 || (where == 0 && !is_odd(y, gap))) {
            return y;
        }
        if (y == f.max) {
            return INFINITY;
        }
        y += ldexp(1.0, gap);
    }
}

double qc_real_float_zp(const qc_channel *c, int32_t code, uint32_t dtype)
{
    const double high = code - c->float_zp; /* and what it lost: an exact two-sum */
    const double b = high - code;
    const double low = (code - (high - b)) + (-c->float_zp - b);
    if (low == 0.0) {
        return dtype == QC_F64 ? high * c->scale : qc_product_to_odd(high, c->scale);
    }
    const double sign = high < 0.0 ? -1.0 : 1.0;
    return sign * rounded_product(sign * high, sign * low, c->scale, qc_format_of(dtype));
}
