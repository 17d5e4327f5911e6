/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's check of itself on the machine it runs on. */
#ifndef QUANTCERT_SELFTEST_H
#define QUANTCERT_SELFTEST_H

#include "quantcert/types.h"

typedef struct qc_selftest {
    int64_t groups;
    int64_t cases;
    int64_t elems;     /* derived by MPFR and by the integer path */
    int64_t filtered;  /* of these, answered by the filter too */
    int64_t differing; /* elements on which two paths disagree */
} qc_selftest;

/* Holds the three oracle paths against each other on the first cases of every group: about
   `elems` elements a group. QC_FAULT: a path disagrees, or a precondition does not hold. */
qc_status qc_selftest_run(uint64_t seed, int64_t elems, qc_selftest *selftest_ret,
                          qc_message *message);

#endif
