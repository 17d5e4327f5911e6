/* SPDX-License-Identifier: Apache-2.0 */
/* choose_qparams in binary64 where an error bound decides, ideal's lists (R1, R2).

   Let v be the exact span or reach, n <= 255 the steps, and V = RN(v), q = RN(V / n), u =
   2^-53. Away from underflow V/n = (v/n)(1 + a), q = (V/n)(1 + b), |a|, |b| <= u, so that
   |q - v/n| < 2.1 u q. A rounding into f32 that gives one value at both ends of q (1 -+ 4u),
   ends that are themselves rounded by at most u, is that of v/n. A scale in f64 is q itself
   where V = v, which the two-sum tells. q is a normal number, else the answer is left open.

   Let s be the returned scale, d = RN(-lo / s) and w = RN(qmin + d): |w - (qmin - lo/s)| <=
   u |d| + u |w|, or 2^-1074 more where d is subnormal, and then w is far from every tie. The
   zero point is decided where the ends w -+ 4u (|d| + |w|) round to one integer. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "ranges.h"

static qc_status open_range(qc_oracle *oracle, qc_message *message)
{
    return qc_ranges_match(oracle) == QC_RANGES_OTHER
               ? qc_fail(QC_UNSUPPORTED, message,
                         "the filtered path knows only ideal's lists")
               : QC_OK;
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
        return lost == 0;
    }
    const float low = (float)(q * (1 - 0x1p-51));
    const float high = (float)(q * (1 + 0x1p-51));
    *scale_ret = low == 0 ? 0x1p-126 : (double)low;
    return low == high;
}

static int zero_point_of(const qc_oracle *oracle, double lo, double scale, int32_t *z_ret)
{
    const double d = -lo / scale;
    const double w = oracle->qmin + d;
    const double slack = (fabs(d) + fabs(w)) * 0x1p-51;
    if (!(d < 0x1p20)) {
        return 0;
    }
    const double low = nearbyint(w - slack);
    *z_ret = (int32_t)fmin(fmax(low, oracle->qmin), oracle->qmax);
    return low == nearbyint(w + slack);
}

static qc_expected expect_one(const qc_oracle *oracle, uint32_t arg, int64_t i)
{
    const qc_tensor *const args = oracle->call->args;
    const double lo = fmin(0.0, element(&args[QC_ARG_OF(choose_qparams, min)], i));
    const double hi = fmax(0.0, element(&args[QC_ARG_OF(choose_qparams, max)], i));
    const int is_symmetric = oracle->steps.step[0].kind == QC_STEP_reach;
    const double v = is_symmetric ? fmax(-lo, hi) : hi - lo;
    const double back = v - hi;
    const double lost = is_symmetric ? 0 : (hi - (v - back)) + (-lo - back);
    const qc_expected open = {0, QC_EXPECT_UNKNOWN};
    double scale;
    int32_t z = ((oracle->qmin + oracle->qmax + 1 + 1024) >> 1) - 512;
    if (!scale_of(oracle, v, lost, qc_ranges_steps(oracle, is_symmetric), &scale)) {
        return open;
    }
    if (arg == QC_ARG_OF(choose_qparams, scale)) {
        const float f32 = (float)scale;
        uint32_t low;
        uint64_t bits;
        memcpy(&low, &f32, sizeof low);
        memcpy(&bits, &scale, sizeof bits);
        return (qc_expected){oracle->own == QC_F64 ? bits : low, QC_EXPECT_VALUE};
    }
    if (!is_symmetric && !zero_point_of(oracle, lo, scale, &z)) {
        return open;
    }
    return (qc_expected){args[arg].dtype == QC_S32 ? (uint64_t)(uint32_t)z
                                                   : (uint64_t)(int64_t)z,
                         QC_EXPECT_VALUE};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    for (int64_t i = 0; i < count; i++) {
        expected_ret[i] = expect_one(oracle, arg, first + i);
    }
}

const qc_engine qc_engine_qparams_filter = {open_range, close_range, expect};
