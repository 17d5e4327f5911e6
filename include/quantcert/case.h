/* SPDX-License-Identifier: Apache-2.0 */
/* A case: one call with its data, and its text form, the case line.

     case   = "qc1" SP "op=" name *(SP key "=" value)
     tensor = dtype "[" dims "]" ["{s=" strides ",o=" offset "}"] ":" values
            | dtype "[" dims "]" ["{s=" strides ",o=" offset "}"] "@" generator "(" args ")"
     output = dtype ["{s=" strides ",o=" offset "}"]        its dims follow from the op
     value  = C hexfloat | decimal integer | "#" raw bits in hex | nan | inf | -inf
     answer = "=>" SP name "=" tensor *(SP name "=" tensor) | "=> !invalid" | "=> !unsupported"

   Keys come in a fixed order: profile, align, threads, repeat, then the op's keys, then its
   arguments in the order of ops.def; fallbacks are left out; dims and strides are joined by
   `x` ("f32[2x3]", rank 0 is "f32[]"). `nan` is the quiet NaN 0x7fc00000 (and its like in
   other dtypes); any other NaN is written as raw bits. */
#ifndef QUANTCERT_CASE_H
#define QUANTCERT_CASE_H

#include "quantcert/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QC_GENERATOR_TEXT 96

/* A case owns its tensors' data. Freed by qc_case_free; a zeroed one holds nothing. */
typedef struct qc_case {
    qc_call call; /* args[].data is owned by the case; outputs have none */
    char profile[64];
    int32_t align_bytes; /* start of each tensor modulo 64, in bytes; -1: unset */
    int32_t repeat;      /* how many runs of one plan; 1 by default */
    /* "name(args)" where data was generated */
    char generator[QC_MAX_ARGS][QC_GENERATOR_TEXT];
    void *storage[QC_MAX_ARGS];
    size_t storage_bytes[QC_MAX_ARGS];
} qc_case;

typedef enum qc_answer_kind {
    QC_ANSWER_NONE, /* the line has no answer */
    QC_ANSWER_VALUES,
    QC_ANSWER_INVALID,
    QC_ANSWER_UNSUPPORTED
} qc_answer_kind;

/* Outputs in row-major order, without strides. Freed by qc_answer_free. */
typedef struct qc_answer {
    uint32_t kind; /* qc_answer_kind */
    uint32_t reserved;
    qc_tensor outputs[QC_MAX_ARGS]; /* by argument; dtype QC_NONE: not an output */
} qc_answer;

/* Parses a case line, with or without an answer. QC_INVALID: malformed, the message says
   where (column) and what was expected. A well-formed line whose call is invalid for its op
   parses: it is a negative test. `answer_ret` may be NULL when no answer is allowed. */
qc_status qc_case_parse(const char *line, qc_case *case_ret, qc_answer *answer_ret,
                        qc_message *message);

/* The line of a case, without newline; malloc'd, NULL when memory is short. Generated data
   is written as its generator unless `values` is 1. */
char *qc_case_format(const qc_case *item, int values);

/* " => ..." ready to append to a case line; malloc'd. */
char *qc_answer_format(const qc_case *item, const qc_answer *answer);

/* One value as text, into at least 40 bytes. */
void qc_value_format(uint32_t dtype, uint64_t bits, char text[40]);

/* Gives args[arg] dims that stand in `tensor`, contiguous storage of its own, zeroed. */
qc_status qc_case_allocate(qc_case *item, uint32_t arg, const qc_tensor *tensor);

/* Dims, contiguous strides and dtype for outputs that are declared by dtype only. */
void qc_case_shape_outputs(qc_case *item);

void qc_case_init(qc_case *item, qc_op op);
void qc_case_free(qc_case *item);
void qc_answer_free(qc_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
