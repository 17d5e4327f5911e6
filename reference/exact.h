/* SPDX-License-Identifier: Apache-2.0 */
/* Exact real values in native arithmetic: a sum of long doubles over a divisor. */
#ifndef QC_REFERENCE_EXACT_H
#define QC_REFERENCE_EXACT_H

#include "quantcert/profile.h"

#define QC_EXACT_PARTS 24

__extension__ typedef __int128 qc_wide;

/* (part[0] + part[1] + ...) / divisor. The parts do not overlap and grow in magnitude,
   none is zero: the last has the sign of the sum, and exceeds the others together. */
typedef struct qc_exact {
    int count;
    double divisor; /* finite and > 0 */
    long double part[QC_EXACT_PARTS];
} qc_exact;

qc_exact qc_exact_of(double value); /* finite */
qc_exact qc_exact_of_wide(qc_wide value);

void qc_exact_add(qc_exact *value, double term);                /* value += term */
void qc_exact_add_product(qc_exact *value, double a, double b); /* value += a * b */
void qc_exact_add_exact(qc_exact *value, const qc_exact *term); /* over one divisor */
void qc_exact_multiply(qc_exact *value, double factor);         /* value *= factor */

int qc_exact_sign(const qc_exact *value);                 /* -1, 0, +1 */
int qc_exact_compare(const qc_exact *value, double with); /* the sign of value - with */

/* The integer that `ties` (QC_TOKEN_half_even ... toward_zero) gives. Beyond 2^66 it
   keeps its sign and its low 64 bits, at 2^100: no clamp, cast or code tells the two
   apart. */
qc_wide qc_exact_rint(const qc_exact *value, qc_token ties);

/* One rounding, half to even, into f16, bf16, f32 or f64 (QC_TOKEN_*). */
double qc_exact_round(const qc_exact *value, qc_token type);

#endif
