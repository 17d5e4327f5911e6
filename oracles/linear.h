/* SPDX-License-Identifier: Apache-2.0 */
/* What the three derivations of linear share: which argument is what, and raw numbers out
   of memory. Sums and everything behind them each derives by itself. */
#ifndef QUANTCERT_ORACLE_LINEAR_H
#define QUANTCERT_ORACLE_LINEAR_H

#include "engine.h"

/* M[n] = factor[0] factor[1] / factor[2], or factor[0] 2^shift; NULL: absent, 1 or 0. */
typedef struct qc_linear {
    const qc_tensor *x;
    const qc_tensor *w;
    const qc_tensor *x_zp;
    const qc_tensor *w_zp;
    const qc_tensor *factor[3];
    const qc_tensor *shift;
    const qc_tensor *bias;
    int bias_is_real; /* in real units, else in the accumulator's */
    int64_t count;    /* K */
    int64_t columns;  /* N */
} qc_linear;

void qc_linear_view(const qc_call *call, qc_linear *linear_ret);

/* A code of x or w; the bits and the integer of a parameter of row n of the weights. */
int32_t qc_linear_code(const qc_tensor *codes, int64_t row, int64_t k);
uint64_t qc_linear_bits(const qc_tensor *parameter, int64_t n);
int32_t qc_linear_integer(const qc_tensor *parameter, int64_t n);

/* 1 when the oracle's list is ideal's for its op and parameters. */
int qc_linear_is_ideal(const qc_oracle *oracle);

/* Rules V11 to V14; layouts have been found sound. */
qc_status qc_linear_validate(const qc_call *call, qc_message *message);

#endif
