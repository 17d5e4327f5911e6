/* SPDX-License-Identifier: Apache-2.0 */
/* The MPFR machine with what the steps of linear need beside. */
#ifndef QUANTCERT_ORACLE_LINEAR_MACHINE_H
#define QUANTCERT_ORACLE_LINEAR_MACHINE_H

#include "linear.h"
#include "mpfr_machine.h"

typedef struct qc_linear_machine {
    qc_machine machine; /* first: steps and positions get a pointer to it */
    qc_linear linear;
    int64_t m;
    int64_t n;
    qc_step wzp;      /* whose weight zero point; kind 0: each row's own */
    qc_step pair;     /* type of the pairs' sums; kind 0: no pairs */
    int is_scaled;    /* the multiplier is in v */
    int is_apart;     /* but for out_scale */
    int is_typed;     /* and was rounded: it stands in typed */
    mpfr_t factor[3]; /* M[n] = factor[0] factor[1] / factor[2] */
    mpfr_t typed;
    mpfr_t spare[3];
} qc_linear_machine;

/* v := the exact value that is rounded into element i's code. */
void qc_linear_value(qc_oracle *oracle, int64_t i);

#endif
