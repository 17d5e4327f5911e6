/* SPDX-License-Identifier: Apache-2.0 */
/* What an oracle says of an element, and what the judge makes of a group. */
#ifndef QUANTCERT_EXPECT_H
#define QUANTCERT_EXPECT_H

#include "quantcert/profile.h"
#include "quantcert/verdict.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qc_expect_kind {
    QC_EXPECT_VALUE,      /* these bits */
    QC_EXPECT_CONSISTENT, /* any value of the grid, but one for the group (NaN inputs) */
    QC_EXPECT_UNDEFINED,  /* the profile gives no value */
    QC_EXPECT_UNKNOWN     /* this oracle path does not answer here; another must */
} qc_expect_kind;

typedef struct qc_expected {
    uint64_t bits; /* of the output's dtype, in the low bits */
    uint8_t kind;  /* qc_expect_kind */
} qc_expected;

/* Where an element lies among the ties k + 1/2, qmin - 1/2 ... qmax + 1/2, on the code axis
   less zero point (float zero points: with it). */
typedef struct qc_position {
    int32_t tie;     /* k of the nearest tie k + 1/2, the lower of two */
    int32_t side;    /* -1 below it, 0 on it, +1 above it */
    double distance; /* lower bound of the distance in codes; 0 only on the tie */
    int32_t defined; /* 0: NaN, or the op has no code axis */
} qc_position;

/* How far a code is from the exact value v = x/s or x*s (float zero points: with it). */
typedef struct qc_deviation {
    double excess; /* upper bound of |v - k| - 1/2 in codes; INFINITY: v is not finite */
    double magnitude; /* lower bound of |x/s| or |x*s|, a float zero point left out */
    double sum;       /* lower bound of |x/s + z| or |x*s + z| (rule N4) */
} qc_deviation;

#ifdef __cplusplus
}
#endif
#endif
