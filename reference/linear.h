/* SPDX-License-Identifier: Apache-2.0 */
/* One output of linear_s32, quantized_linear or quantized_linear_f32 under way: what the
   steps of linear share (rules S20 to S24). */
#ifndef QC_REFERENCE_LINEAR_H
#define QC_REFERENCE_LINEAR_H

#include "steps.h"

struct qc_linear_at {
    const qc_call *call;
    int64_t m;
    int64_t n;
    qc_step wzp;  /* whose weight zero point: kind 0 before that step */
    qc_step pair; /* type of the pairs' sums: kind 0 before that step */
    int is_scaled; /* the multiplier is in v */
    qc_value s;    /* what step multiplier multiplied by, where it was rounded */
    double factor[2]; /* the exact multiplier is factor[0] factor[1] / divisor */
    double divisor;
    double out_scale; /* left to step rescale */
};

void qc_reference_linear(const qc_call *call, const qc_steps *steps);

#endif
