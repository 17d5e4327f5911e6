/* SPDX-License-Identifier: Apache-2.0 */
/* The mask of one element (rules M1, M2, S8), in the form that a call asks for. */
#ifndef QC_IMPL_MASK_H
#define QC_IMPL_MASK_H

#include "code.h"

typedef enum qc_mask_kind {
    QC_MASK_GRID,    /* the rounded code */
    QC_MASK_BOUNDS,  /* low <= x <= high */
    QC_MASK_PRODUCT, /* (x - low)(x - high) <= 0 in f32 */
    QC_MASK_PRODUCT_F64
} qc_mask_kind;

typedef struct qc_mask {
    qc_channel channel;
    qc_mask_kind kind;
    double low; /* BOUNDS: finite, so that infinite x lie outside */
    double high;
} qc_mask;

/* The arguments stand in the order x, scale, zero point; the profile is a known one. */
qc_mask qc_mask_load(const qc_call *call, int64_t channel);

/* NaN is outside every bound, and makes a product NaN. */
QC_INLINE int qc_mask_of(const qc_mask *m, double x)
{
    if (m->kind == QC_MASK_GRID) {
        const int32_t code = qc_code(&m->channel, x);
        return code >= m->channel.low && code <= m->channel.high;
    }
    if (m->kind == QC_MASK_BOUNDS) {
        return x >= m->low && x <= m->high;
    }
    if (m->kind == QC_MASK_PRODUCT_F64) {
        return (x - m->low) * (x - m->high) <= 0.0;
    }
    const float below = (float)x - (float)m->low;
    const float above = (float)x - (float)m->high;
    return below * above <= 0.0f;
}

#endif
