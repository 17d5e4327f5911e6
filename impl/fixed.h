/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of products of doubles in one long fixed-point number: no bit is lost at either
   end of the range, so there is nothing to prove about exponents. */
#ifndef QC_IMPL_FIXED_H
#define QC_IMPL_FIXED_H

#include <stdint.h>

/* Bit 0 weighs 2^-2176, below every product (2^-1074)^2; the top bit is beyond 2^1150: sums
   here stay below 2^1026. Two's complement, low word first. */
#define QC_FIXED_WORDS 52
#define QC_FIXED_LOWEST (-2176)

typedef struct qc_fixed {
    uint64_t word[QC_FIXED_WORDS];
} qc_fixed;

/* number += a * b, both finite, |a * b| < 2^1025. */
void qc_fixed_add_product(qc_fixed *number, double a, double b);

/* number /= divisor, number >= 0. What is left over sets the lowest bit, which lies more
   than a thousand places below any rounding: the quotient rounds as the exact one. */
void qc_fixed_divide(qc_fixed *number, uint32_t divisor);

/* The number rounded once, half to even, into QC_F32, QC_F64, QC_F16 or QC_BF16; overflow
   gives infinity. An exact zero is +0. */
double qc_fixed_round(const qc_fixed *number, uint32_t dtype);

#endif
