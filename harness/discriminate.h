/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how many elements of a group's cases tell each rival choice from the row's own. */
#ifndef QUANTCERT_DISCRIMINATE_H
#define QUANTCERT_DISCRIMINATE_H

#include "quantcert/result.h"

typedef struct qc_discrimination {
    qc_steps row; /* the row's own list */
    uint32_t count;
    qc_rival rivals[QC_MAX_RIVALS];
} qc_discrimination;

/* The rivals of the call's row, with their names in result->rivals and counts of 0. */
qc_status qc_discriminate_open(qc_discrimination *discrimination, const qc_call *call,
                               qc_group_result *result, qc_message *message);

/* Adds the elements of one call; rivals that have QC_NEEDED_HITS in bodies and in tails are
   not looked at again. MPFR evaluates the rivals' lists. */
qc_status qc_discriminate(const qc_discrimination *discrimination, const qc_call *call,
                          qc_group_result *result, qc_message *message);

#endif
