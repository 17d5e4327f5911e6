/* SPDX-License-Identifier: Apache-2.0 */
/* From a failure to what a person needs: the smallest case at hand that still shows it. */
#ifndef QUANTCERT_WITNESS_H
#define QUANTCERT_WITNESS_H

#include "harness/evaluate.h"
#include "harness/isolate.h"

/* Adds a witness for the verdict of this case to the result, when there is room: the case cut
   down to the one element that failed if the backend still fails on it, else the case whole.
   `exchange` is what the backend answered. Without an isolate (NULL) the case stays whole. */
void qc_witness_add(qc_evaluation *evaluation, qc_isolate *isolate, const qc_case *item,
                    uint32_t verdict, const qc_exchange *exchange);

/* 1 when the result has room for a witness of this verdict. */
int qc_witness_wanted(const qc_group_result *result, uint32_t verdict);

#endif
