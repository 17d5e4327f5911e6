/* SPDX-License-Identifier: Apache-2.0 */
/* One channel's parameters, and single elements. */
#ifndef QC_IMPL_CHANNEL_H
#define QC_IMPL_CHANNEL_H

#include "quantcert/half.h"
#include "quantcert/ops.h"

#include <math.h>
#include <string.h>

#define QC_INLINE static inline __attribute__((always_inline))

/* Codes here are less the integer zero point: a float one is inside the rounding (Q3). */
typedef struct qc_channel {
    double scale;
    double float_zp;
    int32_t int_zp; /* 0 with a float zero point */
    int32_t low;    /* of the grid, less int_zp */
    int32_t high;
    int32_t
        nan_code; /* Q5: the zero point, rounded half to even, clamped into the grid */
    int8_t is_float_zp;
    int8_t multiplies; /* x * scale */
    int8_t is_f32_scale;
    int8_t may_tie; /* the f64 quotient or product may be a tie where the exact is none */
} qc_channel;

/* The arguments stand in the order body, scale, zero point. */
qc_channel qc_channel_load(const qc_call *call, int64_t channel);

QC_INLINE double qc_real_load(uint32_t dtype, const char *data, int64_t i)
{
    uint16_t half;
    float f32;
    double f64;
    switch (dtype) {
    case QC_F32: memcpy(&f32, data + 4 * i, 4); return f32;
    case QC_F16: memcpy(&half, data + 2 * i, 2); return qc_f16_to_f32(half);
    case QC_BF16: memcpy(&half, data + 2 * i, 2); return qc_bf16_to_f32(half);
    default: memcpy(&f64, data + 8 * i, 8); return f64;
    }
}

#endif
