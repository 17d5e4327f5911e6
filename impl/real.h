/* SPDX-License-Identifier: Apache-2.0 */
/* The real value of a code, rounded once (D1, D2). */
#ifndef QC_IMPL_REAL_H
#define QC_IMPL_REAL_H

#include "channel.h"

/* d * s in f64, but where bits are lost the last one is set (round to odd): any
   narrower type then gets the one rounding of the exact product. */
double qc_product_to_odd(double d, double s);

/* RN_T((code - z) s) for float zero points, as an f64 value of T. */
double qc_real_float_zp(const qc_channel *c, int32_t code, uint32_t dtype);

/* `code` is less the integer zero point, so at most 9 bits: times an f32 scale it is
   exact in f64. The f64 product of any scale is the one rounding into f64. */
QC_INLINE void qc_real_store(const qc_channel *c, int32_t code, uint32_t dtype,
                             char *data, int64_t i)
{
    double y;
    if (c->is_float_zp) {
        y = qc_real_float_zp(c, code, dtype);
    } else if (dtype == QC_F64 || c->is_f32_scale) {
        y = code * c->scale;
    } else {
        y = qc_product_to_odd(code, c->scale);
    }
    float f32;
    uint16_t half;
    switch (dtype) {
    case QC_F32:
        f32 = (float)y;
        memcpy(data + 4 * i, &f32, 4);
        break;
    case QC_F16:
        half = qc_f64_to_f16(y);
        memcpy(data + 2 * i, &half, 2);
        break;
    case QC_BF16:
        half = qc_f64_to_bf16(y);
        memcpy(data + 2 * i, &half, 2);
        break;
    default: memcpy(data + 8 * i, &y, 8);
    }
}

#endif
