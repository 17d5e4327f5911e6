/* SPDX-License-Identifier: Apache-2.0 */
#include "code.h"
#include "sum.h"

/* v = k + 1/2 is RN_f64 of the exact value. The remainder fma returns has the right
   sign: product: x*s - v is a multiple of 2^-106 |v|, far from underflow; quotient: 2x
   - (2v) s is a multiple of 2^-1074, so never rounded to zero. For |x| >= 1 the factor
   2, which might overflow, is not needed: x - v s is a multiple of 2^-54 |s| with |s|
   > 2^-10. */
double qc_code_at_tie(const qc_channel *c, double x, double v)
{
    const double unit = fabs(x) < 1.0 ? 2.0 : 1.0;
    const double remainder =
        c->multiplies ? fma(x, c->scale, -v) : fma(-unit * v, c->scale, unit * x);
    return remainder > 0.0 ? v + 0.5 : remainder < 0.0 ? v - 0.5 : qc_rounded(v);
}

/* Replaces a nonzero value below 2^-200 by 2^-200 of its sign. */
static double at_least_tiny(double value, double sign_of)
{
    return sign_of != 0.0 && fabs(value) < 0x1p-200 ? copysign(0x1p-200, sign_of) : value;
}

/* The sign of x/s - h, or x*s - h, by one fma: where it cancels, the rest is a multiple of
   2^-106 |x|, or of 2^-106 |h| with |h| at least 2^-149, and does not underflow; with h = 0
   the sign is x's. */
static int side_of_one(const qc_channel *c, double x, double h)
{
    const double rest = h == 0.0        ? x
                        : c->multiplies ? fma(x, c->scale, -h)
                                        : fma(-h, c->scale, x);
    return (rest > 0.0) - (rest < 0.0);
}

/* The sign of x/s - h, or x*s - h, with h = tie - zero point. Scaled by the power of
   two that brings s near 1, nothing overflows: the caller knows that x/s is finite. h
   is a multiple of 2^-149 and at most 2^129; so a quotient below 2^-200 counts by its
   sign alone, and no product's error underflows. */
static int side(const qc_channel *c, double x, double tie)
{
    const double difference = tie - c->float_zp;
    const double back = difference - tie;
    if (back == -c->float_zp && difference - back == tie && fabs(x) > 0x1p-900) {
        return side_of_one(c, x, difference);
    }
    qc_sum sum = {0};
    qc_sum h = {0};
    int s_exponent;
    int x_exponent;
    const double s = frexp(c->scale, &s_exponent);
    const double x_mantissa = frexp(x, &x_exponent);
    qc_sum_add(&h, -tie);
    qc_sum_add(&h, c->float_zp);
    if (c->multiplies) {
        const double product = x_mantissa * s;
        const double error = fma(x_mantissa, s, -product);
        const int exponent = x_exponent + s_exponent;
        qc_sum_add(&sum, exponent < -200 ? 0.0 : ldexp(error, exponent));
        qc_sum_add(&sum, at_least_tiny(ldexp(product, exponent), x));
    } else {
        qc_sum_add(&sum, at_least_tiny(ldexp(x, -s_exponent), x));
    }
    for (int i = 0; i < h.count; i++) {
        qc_sum_add_product(&sum, h.term[i], c->multiplies ? 1.0 : s);
    }
    return qc_sum_sign(&sum);
}

/* Bisection with exact comparisons; needs no estimate at all. */
static int32_t code_by_sides(const qc_channel *c, double x)
{
    int32_t low = c->low - 1;
    int32_t high = c->high + 1;
    while (low < high) {
        const int32_t below = low + (high - low) / 2;
        const int where = side(c, x, below + 0.5);
        if (where == 0) {
            return below + (below & 1);
        }
        if (where > 0) {
            low = below + 1;
        } else {
            high = below;
        }
    }
    return low;
}

/* The code beside a tie, to which the exact value is nearer than to any other. */
static int32_t code_at(const qc_channel *c, double x, double tie)
{
    const int where = side(c, x, tie);
    const int32_t below = (int32_t)(tie - 0.5);
    return where == 0 ? below + (below & 1) : where > 0 ? below + 1 : below;
}

/* The f64 sum is within `slack` of the exact one: half a unit for each of two
   roundings, and the smallest subnormal. Further than that from a tie it decides, else
   the sides do: of one tie, unless the slack reaches to a second one. */
int32_t qc_code_float_zp(const qc_channel *c, double x)
{
    const double quotient = c->multiplies ? x * c->scale : x / c->scale;
    if (isinf(quotient)) { /* beyond 2^1023, where no f32 zero point reaches */
        return quotient > 0.0 ? c->high + 1 : c->low - 1;
    }
    const double sum = quotient + c->float_zp;
    const double slack = (fabs(quotient) + fabs(sum)) * 0x1p-52 + 0x1p-1000;
    const double v = qc_clamped(sum, c->low - 1, c->high + 1);
    const double code = qc_rounded(v);
    if (0.5 - fabs(v - code) > slack) {
        return (int32_t)code;
    }
    return slack < 0.25 ? code_at(c, x, floor(v) + 0.5) : code_by_sides(c, x);
}
