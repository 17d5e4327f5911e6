/* SPDX-License-Identifier: Apache-2.0 */
/* choose_qparams in binary64 where an error bound decides, ideal's lists (R1, R2), and the
   documented one (T30).

   Let v be the exact span or reach, n <= 255 the steps, and V = RN(v), q = RN(V / n), u =
   2^-53. Away from underflow V/n = (v/n)(1 + a), q = (V/n)(1 + b), |a|, |b| <= u, so that
   |q - v/n| < 2.1 u q. A rounding into f32 that gives one value at both ends of q (1 -+ 4u),
   ends that are themselves rounded by at most u, is that of v/n. A scale in f64: with V + l =
   v by the two-sum and r = V - qn by one fma, v/n = q + (r + l)/n, and the sum in the bracket
   is rounded by u. Against half of q's unit, the answer is q, or its neighbour on that side,
   where neither q nor the neighbour's far side is in doubt. q is a normal number and no power
   of two, else the answer is left open.

   Let s be the returned scale, no less than 2^-900, and d = RN(-lo / s). Rounding being
   monotone, -lo / s lies between floor(d) - 1/2 and floor(d) + 1, so only the tie t = floor(d)
   + 1/2 can part it; -lo - t s is a multiple of 2^-1074, and fma gives its sign exactly. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "ranges.h"

static qc_status open_range(qc_oracle *oracle, qc_message *message)
{
    static const qc_ranges_list known[] = {QC_RANGES_AFFINE, QC_RANGES_SYMMETRIC,
                                           QC_RANGES_DOCUMENTED};
    const qc_ranges_list list = qc_ranges_match(oracle);
    for (size_t n = 0; n < sizeof known / sizeof known[0]; n++) {
        if (known[n] == list) {
            oracle->state = (void *)(uintptr_t)&known[n];
            return QC_OK;
        }
    }
    return qc_fail(QC_UNSUPPORTED, message, "the filtered path does not know the list");
}

static void close_range(qc_oracle *oracle)
{
    (void)oracle;
}

static double element(const qc_tensor *tensor, int64_t i)
{
    const uint64_t bits = qc_arg_bits(tensor, i);
    double value;
    qc_filter_widen(tensor->dtype, &bits, 1, &value);
    return value;
}

/* Moves q to the double nearest to q + rest / steps. 0: left open. */
static int settle(double rest, int32_t steps, double *q)
{
    int exponent;
    const double fraction = frexp(*q, &exponent);
    const double unit = ldexp(1, exponent - 53);
    const double units = fabs(rest) / steps / unit;
    const int stays = units < 0.5 - 0x1p-48;
    const int moves = units > 0.5 + 0x1p-48 && units < 1;
    *q += moves ? copysign(unit, rest) : 0;
    return fraction != 0.5 && (stays || moves);
}

/* 1 and the scale, or 0: left open. */
static int scale_of(const qc_oracle *oracle, double v, double lost, int32_t steps,
                    double *scale_ret)
{
    const double q = v / steps;
    if (v == 0 && lost == 0) {
        *scale_ret = 1;
        return 1;
    }
    if (!(q >= 0x1p-1000) || isinf(v)) {
        return 0;
    }
    if (oracle->own == QC_F64) {
        *scale_ret = q;
        return lost == 0 || settle(fma(-q, steps, v) + lost, steps, scale_ret);
    }
    const float low = (float)(q * (1 - 0x1p-51));
    const float high = (float)(q * (1 + 0x1p-51));
    *scale_ret = low == 0 ? 0x1p-126 : (double)low;
    return low == high;
}

static int zero_point_of(const qc_oracle *oracle, double lo, double scale, int32_t *z_ret)
{
    const double d = -lo / scale;
    const double tie = floor(d) + 0.5;
    if (!(d < 0x1p20) || scale < 0x1p-900) {
        return 0;
    }
    const double side = fma(-tie, scale, -lo);
    const double code = oracle->qmin + floor(d);
    const int is_up = side > 0 || (side == 0 && fmod(code, 2) != 0);
    *z_ret = (int32_t)fmin(code + is_up, oracle->qmax);
    return 1;
}

/* T30: every step is one operation of IEEE's binary64, 0 where it leaves the ordinary. */
static int documented(const qc_oracle *oracle, double lo, double hi, double *scale_ret,
                      int32_t *z_ret)
{
    const double span = (hi - lo) / (oracle->qmax - oracle->qmin);
    const double scale = span > 0 && isfinite(span) ? span : 1;
    const double v = nearbyint(oracle->qmin - lo / scale);
    const double stored = oracle->own == QC_F64 ? scale : (double)(float)scale;
    *scale_ret = stored > 0 && isfinite(stored) ? stored : 1;
    *z_ret = (int32_t)fmin(fmax(v, oracle->qmin), oracle->qmax);
    return isfinite(v);
}

/* Scale and zero point of element i; 0: left open. */
static int choose(const qc_oracle *oracle, int64_t i, double *scale_ret, int32_t *z_ret)
{
    const qc_tensor *const args = oracle->call->args;
    const qc_ranges_list list = *(const qc_ranges_list *)oracle->state;
    const double lo = fmin(0.0, element(&args[QC_ARG_OF(choose_qparams, min)], i));
    const double hi = fmax(0.0, element(&args[QC_ARG_OF(choose_qparams, max)], i));
    if (list == QC_RANGES_DOCUMENTED) {
        return documented(oracle, lo, hi, scale_ret, z_ret);
    }
    const int is_symmetric = list == QC_RANGES_SYMMETRIC;
    const int32_t steps = qc_ranges_steps(oracle, is_symmetric);
    const double v = is_symmetric ? fmax(-lo, hi) : hi - lo;
    const double back = v - hi;
    const double lost = is_symmetric ? 0 : (hi - (v - back)) + (-lo - back);
    *z_ret = ((oracle->qmin + oracle->qmax + 1 + 1024) >> 1) - 512;
    return scale_of(oracle, v, lost, steps, scale_ret) &&
           (is_symmetric || zero_point_of(oracle, lo, *scale_ret, z_ret));
}

static qc_expected expect_one(const qc_oracle *oracle, uint32_t arg, int64_t i)
{
    double scale;
    int32_t z;
    if (!choose(oracle, i, &scale, &z)) {
        return (qc_expected){0, QC_EXPECT_UNKNOWN};
    }
    uint64_t bits = (uint64_t)(int64_t)z;
    if (arg == QC_ARG_OF(choose_qparams, scale) && oracle->own == QC_F64) {
        memcpy(&bits, &scale, sizeof bits);
    } else if (arg == QC_ARG_OF(choose_qparams, scale)) {
        const float f32 = (float)scale;
        uint32_t low;
        memcpy(&low, &f32, sizeof low);
        bits = low;
    } else if (oracle->call->args[arg].dtype == QC_S32) {
        bits = (uint32_t)z;
    }
    return (qc_expected){bits, QC_EXPECT_VALUE};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    for (int64_t i = 0; i < count; i++) {
        expected_ret[i] = expect_one(oracle, arg, first + i);
    }
}

const qc_engine qc_engine_qparams_filter = {open_range, close_range, expect};
