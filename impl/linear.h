/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of linear share: exact sums, and what becomes of one. */
#ifndef QC_IMPL_LINEAR_H
#define QC_IMPL_LINEAR_H

#include "kernel.h"

/* v = (S f[0] f[1] + b g[0] g[1]) / divisor, of one row of the weights. An s32 bias in
   accumulator units has joined S: b is then 0. */
typedef struct qc_linear_row {
    double factor[2];
    double divisor;
    double bias;
    double bias_factor[2];
    int64_t bias_whole; /* to be added to S */
    int32_t low;        /* of the grid, less the output zero point */
    int32_t high;
    int32_t out_zp;
} qc_linear_row;

qc_linear_row qc_linear_row_load(const qc_call *call, int64_t n);

/* clamp(RNE(v)) + out_zp, and RN_f32(v). Exact on every input. */
int32_t qc_sum_code(const qc_linear_row *row, int64_t sum);
float qc_sum_real(const qc_linear_row *row, int64_t sum);

/* Writes output (m, n) from its sum. */
typedef void qc_linear_store(const qc_call *call, const qc_linear_row *row, char *at,
                             int64_t sum);

/* All outputs of a checked call. */
void qc_linear_run(const qc_call *call, qc_linear_store *store);

#endif
