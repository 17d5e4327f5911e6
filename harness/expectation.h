/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle paths of one call behind one face: the filter where it answers, MPFR where it
   does not, and MPFR again to confirm. */
#ifndef QUANTCERT_EXPECTATION_H
#define QUANTCERT_EXPECTATION_H

#include "oracles/oracles.h"

typedef struct qc_expectation {
    const qc_call *call;
    const qc_steps *steps; /* NULL: the row of the call's profile */
    qc_oracle *fast;       /* NULL where the filter does not know the list */
    qc_oracle *exact;      /* opened when first needed */
    int64_t unknown;       /* elements that the filter left to MPFR */
} qc_expectation;

qc_status qc_expectation_open(qc_expectation *expectation, const qc_call *call,
                              const qc_steps *steps, qc_message *message);
void qc_expectation_close(qc_expectation *expectation);

/* Expected values; none of them QC_EXPECT_UNKNOWN. */
qc_status qc_expectation_fill(qc_expectation *expectation, uint32_t arg, int64_t first,
                              int64_t count, qc_expected *want_ret, qc_message *message);

/* The MPFR oracle of the call; NULL with a message when it cannot be opened. */
qc_oracle *qc_expectation_exact(qc_expectation *expectation, qc_message *message);

#endif
