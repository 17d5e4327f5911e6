/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and products of the filtered path of linear in 126 bits. */
#ifndef QUANTCERT_ORACLE_LINEAR_DYADIC_H
#define QUANTCERT_ORACLE_LINEAR_DYADIC_H

#include "filter.h"

/* whole * 2^exponent, negated where is_negative. */
typedef struct qc_linear_dyadic {
    qc_u128 whole;
    int exponent;
    int is_negative;
} qc_linear_dyadic;

qc_linear_dyadic qc_linear_dyadic_of(double value);

/* *a *= b; 0: 126 bits do not hold it. */
int qc_linear_dyadic_mul(qc_linear_dyadic *a, double b);

/* *a += b; 0: 126 bits do not hold it. Exact, or one of them lies so far below the
   other that any number between 0 and the unit of its 120 bits would do as well: half
   that unit, which keeps the side of every number of 63 bits and its place between two
   of 53. */
int qc_linear_dyadic_add(qc_linear_dyadic *a, qc_linear_dyadic b);

/* Rounds to nearest f32, ties to even; the number is not 0. */
uint64_t qc_linear_dyadic_round(const qc_linear_dyadic *a);

/* The bits of RN_f32(value). */
uint64_t qc_linear_f32(double value);

#endif
