/* SPDX-License-Identifier: Apache-2.0 */
/* How large a case may be, so that no line makes the suite allocate absurdly. */
#ifndef QC_CASES_LIMITS_H
#define QC_CASES_LIMITS_H

#include "quantcert/case.h"

#define QC_LIMIT_ELEMS \
    (INT64_C(1) << 24) /* of one tensor, and of the storage of one case */

/* Elements of storage that a view needs, counted from its data; -1 when the view has too
   many elements, or reaches below 0 or beyond the limit. */
int64_t qc_tensor_room(const qc_tensor *tensor);

/* Dims and contiguous strides of an output, from the op's shape rule. */
void qc_output_shape(const qc_call *call, uint32_t arg, qc_tensor *output);

#endif
