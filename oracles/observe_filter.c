/* SPDX-License-Identifier: Apache-2.0 */
/* observe in binary64, ideal's lists (R5 to R8). Every dtype widens exactly, so that order
   is the machine's. The average of types narrower than f64, with d = RN(new - old), p =
   RN(c d), w = RN(old + p) and u = 2^-53: the three roundings err by at most u |d| c, u |p|
   and u |w|, and c |d| <= |p| (1 + 2u) unless p is below 2^-1022, which no type but f64
   sees. It is decided where both ends of w -+ 4u (|p| + |w|) round to one value of the
   type and w is no zero. In f64 it is left open. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "quantcert/half.h"
#include "ranges.h"

static qc_status open_observer(qc_oracle *oracle, qc_message *message)
{
    return qc_ranges_match(oracle) == QC_RANGES_OTHER
               ? qc_fail(QC_UNSUPPORTED, message,
                         "the filtered path knows only ideal's lists")
               : QC_OK;
}

static void close_observer(qc_oracle *oracle)
{
    (void)oracle;
}

static double widen(uint32_t dtype, uint64_t bits)
{
    double value;
    qc_filter_widen(dtype, &bits, 1, &value);
    return value;
}

/* A value of the dtype, or one to be rounded into it. A zero is +0 (R8). */
static uint64_t bits_of(uint32_t dtype, double value)
{
    const float f32 = (float)value;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f32, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    switch (dtype) {
    case QC_F64: return value == 0 ? 0 : bits;
    case QC_F32: return f32 == 0 ? 0 : low;
    case QC_F16: bits = qc_f64_to_f16(value); break;
    default: bits = qc_f64_to_bf16(value);
    }
    return bits & 0x7fff ? bits : 0;
}

static qc_expected average(const qc_oracle *oracle, double old, double new)
{
    const double c = oracle->call->attrs.averaging;
    const double p = c * (new - old);
    const double w = old + p;
    const double slack = (fabs(p) + fabs(w)) * 0x1p-51;
    if (isinf(old) || isinf(new)) {
        return (qc_expected){0, QC_EXPECT_UNDEFINED};
    }
    const uint64_t low = bits_of(oracle->own, w - slack);
    const int is_known = oracle->own != QC_F64 && fabs(w) > 0x1p-900 &&
                         low == bits_of(oracle->own, w + slack);
    return (qc_expected){low, is_known ? QC_EXPECT_VALUE : QC_EXPECT_UNKNOWN};
}

static qc_expected expect_one(const qc_oracle *oracle, uint32_t arg, int64_t channel)
{
    const qc_tensor *const x = &oracle->call->args[QC_ARG_OF(observe, x)];
    const int is_min = arg == QC_ARG_OF(observe, min);
    const int has_old = qc_ranges_has_state(oracle);
    double extreme = is_min ? (double)INFINITY : (double)-INFINITY;
    int found = 0;
    for (int64_t at = -1; qc_ranges_next(oracle, channel, &at);) {
        const double value = widen(x->dtype, qc_arg_bits(x, at));
        if (isnan(value)) { /* not left to fmin, which lets signalling ones through */
            continue;
        }
        found = 1;
        extreme = is_min ? fmin(extreme, value) : fmax(extreme, value);
    }
    if (has_old) {
        const qc_tensor *const before = qc_ranges_old(oracle, arg);
        const double old = widen(before->dtype, qc_arg_bits(before, channel));
        if (!found) {
            extreme = old;
        } else if (oracle->call->attrs.observer == QC_OBSERVER_moving_average) {
            return average(oracle, old, extreme);
        } else {
            extreme = is_min ? fmin(extreme, old) : fmax(extreme, old);
        }
    }
    return (qc_expected){bits_of(oracle->own, extreme), QC_EXPECT_VALUE};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    for (int64_t i = 0; i < count; i++) {
        expected_ret[i] = expect_one(oracle, arg, first + i);
    }
}

const qc_engine qc_engine_observe_filter = {open_observer, close_observer, expect};
