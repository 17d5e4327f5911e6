/* SPDX-License-Identifier: Apache-2.0 */
/* Real bounds become two f64 numbers, so that an element costs two comparisons: x is an f64
   number, hence x >= b for a real b exactly where x >= the least f64 number not below b.
   Rounded inward so, and held inside the finite range, they also keep infinities out. */
#include "mask.h"
#include "real.h"
#include "sum.h"

#include <float.h>

/* One end, code - z = d + e exactly, by Knuth's two-sum. */
typedef struct end {
    double d;
    double e;
    double s;     /* in [1/2, 1), */
    int exponent; /* less this power of two */
    int multiplies;
} end;

static end end_of(const qc_channel *c, int32_t code)
{
    end bound = {.d = code - c->float_zp, .multiplies = c->multiplies};
    const double back = bound.d - code;
    bound.e = (code - (bound.d - back)) + (-c->float_zp - back);
    bound.s = frexp(c->scale, &bound.exponent);
    return bound;
}

/* The sign of y - (d + e) s, or of y m - (d + e), everything freed of s's power of two: then
   no product's error underflows, as |d| is at least 2^-149, y zero or next to the bound. */
static int side(const end *bound, double y)
{
    qc_sum sum = {0};
    if (bound->multiplies) {
        qc_sum_add_product(&sum, ldexp(y, bound->exponent), bound->s);
        qc_sum_add(&sum, -bound->e);
        qc_sum_add(&sum, -bound->d);
    } else {
        qc_sum_add_product(&sum, -bound->e, bound->s);
        qc_sum_add_product(&sum, -bound->d, bound->s);
        qc_sum_add(&sum, ldexp(y, -bound->exponent));
    }
    return qc_sum_sign(&sum);
}

/* The guess is the bound d s, or d / m, rounded once; one fma tells its side, and only its
   neighbour can be the answer instead. */
static double nearest_inward(const end *bound, double scale, double guess, int direction)
{
    const double beyond =
        bound->multiplies ? fma(-guess, scale, bound->d) : fma(bound->d, scale, -guess);
    return direction * beyond > 0.0 ? nextafter(guess, direction * (double)INFINITY)
                                    : guess;
}

/* The f64 number nearest to the bound in the given direction, +1: not below it. The f64
   product or quotient of d is within two units of it, whence it is stepped to. INFINITY of
   the direction's sign where no finite number is there. */
static double inward(const qc_channel *c, int32_t code, int direction)
{
    const end bound = end_of(c, code);
    if (bound.d == 0.0) { /* then e is 0 too */
        return 0.0;
    }
    const double toward = direction * (double)INFINITY;
    const double guess = c->multiplies ? bound.d / c->scale : bound.d * c->scale;
    if (bound.e == 0.0 && fabs(guess) > 0x1p-900 && fabs(guess) < DBL_MAX) {
        return nearest_inward(&bound, c->scale, guess, direction);
    }
    double y = fmin(fmax(guess, -DBL_MAX), DBL_MAX);
    while (isfinite(y) && direction * side(&bound, y) < 0) {
        y = nextafter(y, toward);
    }
    for (double back = nextafter(y, -toward);
         isfinite(back) && direction * side(&bound, back) >= 0;
         back = nextafter(y, -toward)) {
        y = back;
    }
    return y;
}

static double half_rounded(uint32_t dtype, double bound)
{
    switch (dtype) {
    case QC_F16: return qc_f16_to_f32(qc_f64_to_f16(bound));
    case QC_BF16: return qc_bf16_to_f32(qc_f64_to_bf16(bound));
    case QC_F32: return (float)bound;
    default: return bound;
    }
}

/* tensorplay-doc per tensor (T4): (code - z) s in f64, then in x's dtype. Infinite x lie
   outside whatever the bounds: an infinite bound is as good as the largest number. */
static double clamp_bound(const qc_channel *c, int32_t code, uint32_t dtype,
                          double end_kept)
{
    const double bound = half_rounded(dtype, (code - c->float_zp) * c->scale);
    return bound == end_kept * (double)INFINITY ? end_kept * DBL_MAX : bound;
}

/* tensorplay-doc per channel (T4): each operation in f32; a scale in f64 enters as it is. The
   f64 difference is rounded twice, harmlessly: a middle of two f32 numbers beside it would
   need bits of z further apart than 24. */
static double product_bound(const qc_channel *c, int32_t code)
{
    const float d = (float)(code - c->float_zp);
    return (float)qc_product_to_odd(d, c->scale);
}

qc_mask qc_mask_load(const qc_call *call, int64_t channel)
{
    const uint32_t dtype = call->args[0].dtype;
    qc_mask m = {.channel = qc_channel_load(call, channel)};
    const qc_channel *const c = &m.channel;
    const int32_t qmin = c->low;
    const int32_t qmax = c->high;
    if (call->attrs.mask_form == QC_MASK_FORM_grid) {
        m.kind = QC_MASK_GRID;
    } else if (!strcmp(call->profile, "ideal") || c->multiplies) {
        m.kind = QC_MASK_BOUNDS;
        m.low = inward(c, qmin, +1);
        m.high = inward(c, qmax, -1);
    } else if (call->attrs.axis == QC_AXIS_NONE) {
        m.kind = QC_MASK_BOUNDS;
        m.low = clamp_bound(c, qmin, dtype, -1);
        m.high = clamp_bound(c, qmax, dtype, +1);
    } else {
        m.kind = dtype == QC_F64 ? QC_MASK_PRODUCT_F64 : QC_MASK_PRODUCT;
        m.low = product_bound(c, qmin);
        m.high = product_bound(c, qmax);
    }
    return m;
}
