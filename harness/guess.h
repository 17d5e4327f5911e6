/* SPDX-License-Identifier: Apache-2.0 */
/* A quick guess at what a step list gives, in the machine's doubles. Nothing rests on it: it
   only picks the elements that MPFR looks at when rivals are counted. A wrong guess costs a
   look, or a hit that is not counted. */
#ifndef QUANTCERT_GUESS_H
#define QUANTCERT_GUESS_H

#include "harness/guess_linear.h"

typedef struct qc_guess {
    const qc_call *call;
    int32_t qmin;
    int32_t qmax;
    uint32_t own;     /* dtype of x, or of y in dequantize */
    uint32_t code;    /* dtype of codes */
    uint32_t element; /* argument index of x or q; scale and zero point follow it */
    int multiplies;
    uint64_t grad; /* bits of the gradient at hand, where the op has one */
    double x;      /* of the element at hand */
    double scale;
    double z;
    int32_t shift; /* the power of two inside scale: requantize */
    qc_linear_guess linear;
} qc_guess;

/* 0 for ops that no guess is made for: MPFR looks at every element of theirs. */
int qc_guess_knows(const qc_call *call);

void qc_guess_open(qc_guess *guess, const qc_call *call);

/* Takes element i at hand; 0 for NaN, which no list is guessed for. */
int qc_guess_load(qc_guess *guess, int64_t i);

/* The bits that output `arg` might have. */
uint64_t qc_guess_bits(const qc_guess *guess, const qc_steps *steps, uint32_t arg);

#endif
