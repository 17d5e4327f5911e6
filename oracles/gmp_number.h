/* SPDX-License-Identifier: Apache-2.0 */
/* The second path's numbers: whole * 2^exponent, integers alone. */
#ifndef QUANTCERT_ORACLE_GMP_NUMBER_H
#define QUANTCERT_ORACLE_GMP_NUMBER_H

#include <stdint.h>

#include <gmp.h>

typedef struct qc_dyadic {
    mpz_t whole;
    int64_t exponent;
} qc_dyadic;

typedef enum qc_bits_class {
    QC_BITS_FINITE,
    QC_BITS_INFINITE,
    QC_BITS_NAN
} qc_bits_class;

void qc_dyadic_init(qc_dyadic *number);
void qc_dyadic_clear(qc_dyadic *number);
void qc_dyadic_set(qc_dyadic *number, int64_t whole);

/* The value of finite bits; of an infinity only the sign is set: +1 or -1. */
qc_bits_class qc_dyadic_decode(qc_dyadic *number, uint32_t dtype, uint64_t bits);

/* product := a * b; it may be one of them. */
void qc_dyadic_mul(qc_dyadic *product, const qc_dyadic *a, const qc_dyadic *b);

/* a := a - b, b kept; and the sign of a - b. Both align the numbers by shifts in `spare`.
 */
void qc_dyadic_sub(qc_dyadic *a, const qc_dyadic *b, qc_dyadic *spare);
int qc_dyadic_compare(const qc_dyadic *a, const qc_dyadic *b, qc_dyadic *spare);

/* Bits of the number rounded into a float dtype: nearest, ties to even; zero is +0. */
uint64_t qc_dyadic_round(const qc_dyadic *number, uint32_t dtype, qc_dyadic *spare);

#endif
