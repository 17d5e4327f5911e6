/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QC_REFERENCE_RANGES_H
#define QC_REFERENCE_RANGES_H

#include "op.h"

/* 1 when the op's lists are made of the steps of ranges (S30 to S39). */
int qc_is_range_op(uint32_t op);

/* QC_UNSUPPORTED names the first step of the list that the op does not have. */
qc_status qc_range_steps_check(uint32_t op, const qc_steps *steps, qc_message *message);

#endif
