/* SPDX-License-Identifier: Apache-2.0 */
/* What each <op>.c defines, and what they share. */
#ifndef QC_REFERENCE_OP_H
#define QC_REFERENCE_OP_H

#include "steps.h"

#include "quantcert/backend.h"

/* Evaluates the list for every element of a checked call. */
typedef void qc_reference_op(const qc_call *call, const qc_steps *steps);

#define QC_REFERENCE(op, scale_forms, ...) qc_reference_op qc_reference_##op;
#define QC_REFERENCE_FUNCTION(op) qc_reference_op qc_reference_##op;
#include "reference.def"
#undef QC_REFERENCE
#undef QC_REFERENCE_FUNCTION

/* Elements by their row-major index. Codes and masks are exact in a double. */
double qc_load(const qc_tensor *tensor, int64_t i);
int64_t qc_load_integer(const qc_tensor *tensor, int64_t i); /* s32 or s64 */
void qc_store_code(const qc_tensor *tensor, int64_t i, const qc_value *code);
void qc_store_real(const qc_tensor *tensor, int64_t i, const qc_value *value);

/* x, s and z of the i-th element of the body, the grid and the code dtype; the arguments
   stand in the order body, scale, zero point. */
void qc_registers_load(const qc_call *call, int64_t i, qc_registers *r);

#endif
