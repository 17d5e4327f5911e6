/* SPDX-License-Identifier: Apache-2.0 */
/* A quick guess at what a step list gives, in the machine's doubles. Nothing rests on it: it
   only picks the elements that MPFR looks at when rivals are counted. A wrong guess costs a
   look, or a hit that is not counted. */
#ifndef QUANTCERT_GUESS_H
#define QUANTCERT_GUESS_H

#include "quantcert/profile.h"

typedef struct qc_guess_call {
    const qc_call *call;
    int32_t qmin;
    int32_t qmax;
    uint32_t own;  /* dtype of x, or of y in dequantize */
    uint32_t code; /* dtype of codes */
} qc_guess_call;

void qc_guess_open(qc_guess_call *guess, const qc_call *call);

/* The bits that output `arg` of element i might have; 0 for NaN elements, no guess. */
int qc_guess(const qc_guess_call *guess, const qc_steps *steps, uint32_t arg, int64_t i,
             uint64_t *bits_ret);

#endif
