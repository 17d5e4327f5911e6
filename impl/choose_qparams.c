/* SPDX-License-Identifier: Apache-2.0 */
/* choose_qparams, portable (rules R1 to R4; tensorplay-doc T30). */
#include "channel.h"
#include "fixed.h"
#include "kernel.h"

enum {
    MIN = QC_ARG_OF(choose_qparams, min),
    MAX = QC_ARG_OF(choose_qparams, max),
    SCALE = QC_ARG_OF(choose_qparams, scale),
    ZERO_POINT = QC_ARG_OF(choose_qparams, zero_point)
};

typedef struct choice {
    double scale;
    int32_t zero_point;
} choice;

typedef struct rule {
    int32_t qmin;
    int32_t qmax;
    uint32_t dtype; /* of the scale */
    int is_symmetric;
    int is_doc; /* affine by T30 */
} rule;

static int32_t clamp(double code, const rule *r)
{
    return (int32_t)fmin(fmax(code, r->qmin), r->qmax);
}

/* The double nearest to q + rest / steps, rest within 2^-53 of itself, or 0 where it lies too
   near a midpoint, or q beside a power of two, where units differ. */
static double nearest(double q, double rest, int32_t steps)
{
    const double unit = nextafter(q, INFINITY) - q;
    const double halves = fabs(rest) / (steps * unit / 2.0);
    if (nextafter(q, 0.0) + unit != q) {
        return 0.0;
    }
    if (halves < 1.0 - 0x1p-50) {
        return q;
    }
    return halves > 1.0 + 0x1p-50 && halves < 2.0 ? q + copysign(unit, rest) : 0.0;
}

/* (a + b) / steps rounded once, or 0 where doubles cannot tell. sum + lost is a + b, and q +
   (fma + lost) / steps the quotient, both exactly. A narrower type asks only that q's whole
   error, less than 4 units, rounds alike. */
static double quick_scale(double a, double b, int32_t steps, uint32_t dtype)
{
    const double sum = a + b;
    const double q = sum / steps;
    if (!(q > 0x1p-960 && sum < 0x1p1000)) {
        return 0.0;
    }
    if (dtype != QC_F64) {
        const float low = (float)(q * (1 - 0x1p-51));
        return low == (float)(q * (1 + 0x1p-51)) ? low : 0.0;
    }
    const double back = sum - a;
    const double lost = (a - (sum - back)) + (b - back);
    return nearest(q, fma(-q, steps, sum) + lost, steps);
}

/* (a + b) / steps rounded once; R3: 1 for an empty range, never 0. */
static double scale_of(double a, double b, int32_t steps, uint32_t dtype)
{
    qc_fixed number = {{0}};
    if (a == 0.0 && b == 0.0) {
        return 1.0;
    }
    const double quick = quick_scale(a, b, steps, dtype);
    if (quick > 0.0) {
        return quick;
    }
    qc_fixed_add_product(&number, a, 1.0);
    qc_fixed_add_product(&number, b, 1.0);
    qc_fixed_divide(&number, (uint32_t)steps);
    const double scale = qc_fixed_round(&number, dtype);
    const double smallest = dtype == QC_F64 ? 0x1p-1022 : 0x1p-126;
    return scale == 0.0 ? smallest : scale;
}

/* RNE(qmin + low / scale). A scale is at least two thirds of the exact quotient, even where
   it is subnormal, so low / scale < 384. Its f64 value is within a unit of the exact one, so
   only the tie above its floor can matter, and twice both sides of that comparison make
   every product a multiple of 2^-1074: the sign that fma returns is exact. Large numbers are
   first made smaller, which is exact as well. */
static int32_t zero_point_of(double low, double scale, const rule *r)
{
    const double shrink = low > 0x1p1000 ? 0x1p-100 : 1.0;
    const double l = low * shrink;
    const double s = scale * shrink;
    const double below = floor(l / s);
    const double side = fma(-(2.0 * below + 1.0), s, 2.0 * l);
    const double code = r->qmin + below;
    return clamp(code + (side > 0.0 || (side == 0.0 && fmod(code, 2.0) != 0.0)), r);
}

static choice affine(double low, double high, const rule *r)
{
    const double scale = scale_of(low, high, r->qmax - r->qmin, r->dtype);
    return (choice){scale, zero_point_of(low, scale, r)};
}

/* The middle of the grid: what is halved is never negative. */
static choice symmetric(double low, double high, const rule *r)
{
    const double scale =
        scale_of(fmax(low, high), 0.0, (r->qmax - r->qmin) / 2, r->dtype);
    return (choice){scale, (r->qmin + r->qmax + 1 + 512) / 2 - 256};
}

static double or_one(double scale)
{
    return scale > 0.0 && isfinite(scale) ? scale : 1.0;
}

/* T30: plain doubles, and the scale narrowed behind the zero point. */
static choice documented(double low, double high, const rule *r)
{
    const double scale = or_one((high + low) / (r->qmax - r->qmin));
    const int32_t zero_point = clamp(nearbyint(r->qmin + low / scale), r);
    return (choice){r->dtype == QC_F64 ? scale : or_one((float)scale), zero_point};
}

static void store(const qc_run *run, int64_t i, choice c, uint32_t scale, uint32_t zp)
{
    char *const scale_at =
        run->data[SCALE] + i * run->stride[SCALE] * (int64_t)qc_dtype_bytes(scale);
    char *const zp_at =
        run->data[ZERO_POINT] + i * run->stride[ZERO_POINT] * (int64_t)qc_dtype_bytes(zp);
    const float f32 = (float)c.scale;
    const int64_t s64 = c.zero_point;
    if (scale == QC_F64) {
        memcpy(scale_at, &c.scale, sizeof c.scale);
    } else {
        memcpy(scale_at, &f32, sizeof f32);
    }
    if (zp == QC_S64) {
        memcpy(zp_at, &s64, sizeof s64);
    } else {
        memcpy(zp_at, &c.zero_point, sizeof c.zero_point);
    }
}

void qc_choose_qparams_portable(const qc_call *call, const qc_run *run)
{
    const uint32_t dtype = call->args[MIN].dtype;
    rule r = {.dtype = call->args[SCALE].dtype,
              .is_symmetric = call->attrs.scheme == QC_SCHEME_symmetric,
              .is_doc = strcmp(call->profile, "ideal") != 0};
    qc_call_grid(call, &r.qmin, &r.qmax);
    for (int64_t i = 0; i < run->count; i++) {
        const double low =
            fmax(-qc_real_load(dtype, run->data[MIN], i * run->stride[MIN]), 0.0);
        const double high =
            fmax(qc_real_load(dtype, run->data[MAX], i * run->stride[MAX]), 0.0);
        const choice c = r.is_symmetric ? symmetric(low, high, &r)
                         : r.is_doc     ? documented(low, high, &r)
                                        : affine(low, high, &r);
        store(run, i, c, r.dtype, call->args[ZERO_POINT].dtype);
    }
}
