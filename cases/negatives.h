/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks a valid call, and what those share. */
#ifndef QC_CASES_NEGATIVES_H
#define QC_CASES_NEGATIVES_H

#include "generate.h"
#include "groups.h"

/* Changes a valid case of two rows and three columns so that exactly one rule is broken.
   1: done; 0: the group has no such rule; -1: no memory. */
typedef int qc_breaker(const qc_group *group, qc_case *item);

/* One entry more than there are channels, or one where none is expected. */
int qc_break_count(qc_case *item, const char *name);

/* Breakers of rule U4: requantize_negatives.c. */
qc_breaker qc_break_multiplier_zero, qc_break_multiplier_negative,
    qc_break_multiplier_nan, qc_break_multiplier_infinite, qc_break_multiplier_count,
    qc_break_multiplier_dtype, qc_break_shift_missing, qc_break_shift_unasked,
    qc_break_shift_count, qc_break_params;

#endif
