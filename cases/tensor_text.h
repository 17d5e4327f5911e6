/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as text: dtype[dims]{s=strides,o=offset}:values or @generator(args). */
#ifndef QC_CASES_TENSOR_TEXT_H
#define QC_CASES_TENSOR_TEXT_H

#include "limits.h"
#include "text.h"

/* A dtype name; `expected` tells what should have stood there. */
qc_status qc_dtype_parse(qc_reader *reader, const char *expected, uint32_t *dtype_ret);

/* "dtype[dims]" with contiguous strides. */
qc_status qc_shape_parse(qc_reader *reader, qc_tensor *tensor);

/* Optional "{s=...,o=...}" for the rank that stands in the tensor. */
qc_status qc_strides_parse(qc_reader *reader, qc_tensor *tensor);

/* Values separated by commas into the tensor's data, row-major. Elements that share a place
   must have equal values. */
qc_status qc_values_parse(qc_reader *reader, const qc_tensor *tensor);

/* What follows "=>", for a case whose outputs are shaped. */
qc_status qc_answer_parse(qc_reader *reader, const qc_case *item, qc_answer *answer);

void qc_shape_put(qc_writer *writer, const qc_tensor *tensor);
void qc_strides_put(qc_writer *writer, const qc_tensor *tensor);
void qc_values_put(qc_writer *writer, const qc_tensor *tensor);

#endif
