/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of products over the whole range of f64 times f32 times s64: a fixed-point
   number of 2^-1344 ... 2^1536 in limbs of 32 bits, each held in 64 until carries count.
   Only for what binary64 cannot decide. */
#ifndef QC_IMPL_WIDE_H
#define QC_IMPL_WIDE_H

#include <stdint.h>

#define QC_WIDE_LIMBS 90
#define QC_WIDE_UNIT (-1344) /* exponent of the lowest bit */

typedef struct qc_wide_sum {
    int64_t limb[QC_WIDE_LIMBS];
} qc_wide_sum;

/* sum += integer a b, |integer| <= 2^63, a and b finite; at most a hundred times. The
   product is a multiple of 2^(-1074 - 149) and below 2^(63 + 1024 + 128). */
void qc_wide_add(qc_wide_sum *sum, int64_t integer, double a, double b);

/* Settles the carries: -1, 0, +1. */
int qc_wide_sign(qc_wide_sum *sum);

/* The sum as a double of 53 bits whose last one is set if anything was cut off (rounding to
   odd): one more rounding to f32 gives that of the sum. Beyond 2^200 and below 2^-400 it is
   2^200 and 2^-400 of its sign, which f32 rounds the same way. */
double qc_wide_to_odd(qc_wide_sum *sum);

#endif
