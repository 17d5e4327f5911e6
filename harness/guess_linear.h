/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses for linear: as harness/guess.h, per output. */
#ifndef QUANTCERT_GUESS_LINEAR_H
#define QUANTCERT_GUESS_LINEAR_H

#include "quantcert/profile.h"

/* Arguments that are looked up by name. */
typedef enum qc_linear_place {
    QC_LINEAR_X_SCALE,
    QC_LINEAR_W_SCALE,
    QC_LINEAR_OUT_SCALE,
    QC_LINEAR_MULTIPLIER,
    QC_LINEAR_SHIFT,
    QC_LINEAR_BIAS,
    QC_LINEAR_PLACES
} qc_linear_place;

/* One output at hand: its parameters, and the sums that the lists of all rivals ask
   for. */
typedef struct qc_linear_guess {
    const qc_call *call;
    uint32_t args[QC_LINEAR_PLACES]; /* argument index, QC_MAX_ARGS: the op has none */
    int64_t output;                  /* whose values stand below; -1: of none */
    double values[QC_LINEAR_PLACES];
    int32_t w_zp[2]; /* of row 0, and of the output's row */
    int64_t sum;     /* of products */
    int64_t x_sum;   /* of x_q less its zero point */
    int64_t excess;  /* what pairs that saturate in s16 add to the sum */
    float f32;       /* the sum, each step of it in f32 */
} qc_linear_guess;

void qc_linear_guess_open(qc_linear_guess *guess, const qc_call *call);
void qc_linear_guess_load(qc_linear_guess *guess, int64_t i);

/* The value of the output at hand behind the steps of linear that the list begins with;
   *next_ret: the step after those. */
double qc_guess_linear(const qc_linear_guess *guess, const qc_steps *steps,
                       uint32_t *next_ret);

#endif
