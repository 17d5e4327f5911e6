/* SPDX-License-Identifier: Apache-2.0 */
/* requantize, portable (rules U1, U2): clamp(RNE(acc * M) + zp), exact on every input.

   d = RN_f64(RN_f64(acc) * M) errs by two roundings: |d - v| <= |d| * 2^-51. An s32 acc is
   exact in f64 and leaves one rounding; that is monotone and ties near the grid are f64
   numbers, so d is on v's side of each tie, or on the tie. So where d is further from a tie
   than `slack` (0 for s32), RNE(d) = RNE(v); else integers decide.
   Witness: acc = 1977232205, M = 0x1.160b0ap-32 (f32): the product is (2^54 + 1) 2^-55, above
   1/2; d is 1/2. The code is 1. */
#include <math.h>
#include <string.h>

#include "code.h"
#include "kernel.h"

__extension__ typedef unsigned __int128 wide;

enum {
    ACC = QC_ARG_OF(requantize, acc),
    MULTIPLIER = QC_ARG_OF(requantize, multiplier),
    SHIFT = QC_ARG_OF(requantize, shift),
    ZERO_POINT = QC_ARG_OF(requantize, zero_point),
    Q = QC_ARG_OF(requantize, q)
};

typedef struct channel {
    double multiplier;
    double low; /* of the grid, less the zero point and 1: beyond it all codes are one */
    double high;
    int32_t int_zp;
} channel;

static int64_t integer_at(const qc_tensor *tensor, int64_t c)
{
    const int64_t at = tensor->offset + (tensor->rank ? c * tensor->strides[0] : 0);
    const char *const data = tensor->data;
    int32_t s32;
    int64_t s64;
    switch (tensor->dtype) {
    case QC_S8: return *(const int8_t *)(data + at);
    case QC_S32: memcpy(&s32, data + 4 * at, 4); return s32;
    default: memcpy(&s64, data + 8 * at, 8); return s64;
    }
}

/* The real value of a multiplier: a fixed one has 31 bits, so scaling is exact. */
static double multiplier_at(const qc_call *call, int64_t c)
{
    const qc_tensor *const m = &call->args[MULTIPLIER];
    if (m->dtype == QC_S32) {
        return ldexp((double)integer_at(m, c), (int)integer_at(&call->args[SHIFT], c));
    }
    return qc_real_load(m->dtype, m->data, m->offset + (m->rank ? c * m->strides[0] : 0));
}

static channel channel_load(const qc_call *call, int64_t c)
{
    int32_t qmin;
    int32_t qmax;
    channel result = {.multiplier = multiplier_at(call, c),
                      .int_zp = (int32_t)integer_at(&call->args[ZERO_POINT], c)};
    qc_call_grid(call, &qmin, &qmax);
    result.low = qmin - result.int_zp;
    result.high = qmax - result.int_zp;
    return result;
}

/* The integer nearest to |acc| * M, which lies within 2^-30 of the tie `below` + 1/2 and is
   below 2^9. M = B 2^-down, 2^52 <= B < 2^53: |acc| B <= 2^116 against (2 below + 1)
   2^(down - 1), which is next to it and so fits as well; M < 2^10, so down >= 43. */
static int64_t beside_tie(uint64_t magnitude, double multiplier, int64_t below)
{
    int exponent;
    const double fraction = frexp(multiplier, &exponent);
    const int down = 53 - exponent;
    const wide product = (wide)magnitude * (uint64_t)ldexp(fraction, 53);
    const wide tie = (wide)(2 * (uint64_t)below + 1) << (down - 1);
    return product == tie ? below + (below & 1) : below + (product > tie);
}

/* RNE of v, held within the grid and one beyond its ends. */
QC_INLINE double rounded_product(const channel *c, int64_t acc, double slack)
{
    const double d = (double)acc * c->multiplier;
    const double v = qc_clamped(d, c->low - 1, c->high + 1);
    double code = qc_rounded(v);
    if (0.5 - fabs(v - code) <= fabs(v) * slack) {
        const uint64_t magnitude = acc < 0 ? -(uint64_t)acc : (uint64_t)acc;
        const int64_t below = (int64_t)floor(fabs(v) + fabs(v) * 0x1p-40 - 0.5);
        const double whole = (double)beside_tie(magnitude, c->multiplier, below);
        code = acc < 0 ? -whole : whole;
    }
    return code;
}

/* Specialised by the dtype of acc, and strides that are all 1. */
QC_INLINE void line(const qc_call *call, const qc_run *run, int is_s64, int is_dense)
{
    const int64_t acc_stride = is_dense ? 1 : run->stride[ACC];
    const int64_t q_stride = is_dense ? 1 : run->stride[Q];
    const double slack = is_s64 ? 0x1p-50 : 0.0;
    channel c = channel_load(call, run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        int32_t s32;
        int64_t acc;
        if (i > 0 && run->channel_step) {
            c = channel_load(call, run->channel + i);
        }
        if (is_s64) {
            memcpy(&acc, run->data[ACC] + 8 * i * acc_stride, 8);
        } else {
            memcpy(&s32, run->data[ACC] + 4 * i * acc_stride, 4);
            acc = s32;
        }
        const double code = qc_clamped(rounded_product(&c, acc, slack), c.low, c.high);
        run->data[Q][i * q_stride] = (char)(uint8_t)((int32_t)code + c.int_zp);
    }
}

void qc_requantize_portable(const qc_call *call, const qc_run *run)
{
    const int is_dense = run->stride[ACC] == 1 && run->stride[Q] == 1;
    if (call->args[ACC].dtype == QC_S64) {
        is_dense ? line(call, run, 1, 1) : line(call, run, 1, 0);
    } else {
        is_dense ? line(call, run, 0, 1) : line(call, run, 0, 0);
    }
}
