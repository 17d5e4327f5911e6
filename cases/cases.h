/* SPDX-License-Identifier: Apache-2.0 */
/* Cases: groups from capabilities, and the i-th case of a group as a pure function of
   (QC_CASES_VERSION, seed, group, i). Used by the harness; knows no implementation. */
#ifndef QUANTCERT_CASES_H
#define QUANTCERT_CASES_H

#include "quantcert/case.h"
#include "quantcert/result.h"

/* The groups that the capabilities offer for the ops of the set (1 << op), in a fixed order.
   profile NULL: the first that each capability claims. malloc'd; NULL with count 0. */
qc_group *qc_groups_make(const qc_capability *capabilities, size_t count, uint32_t ops,
                         const char *profile, size_t *count_ret);

/* Cases of the group at a level. Their elements add up to at least qc_level_elems, and each
   level's cases begin with the lower level's: edges first, then dense, then random. */
int64_t qc_group_cases(const qc_group *group, uint32_t level);

/* The i-th case. QC_NO_MEMORY is the only failure. */
qc_status qc_group_case(const qc_group *group, uint64_t seed, int64_t i,
                        qc_case *case_ret);

/* Invalid calls that must be refused: one per rule that the group's op has. */
int64_t qc_group_negatives(const qc_group *group);
qc_status qc_group_negative(const qc_group *group, uint64_t seed, int64_t i,
                            qc_case *case_ret);

/* Fills args[arg] of a case from "name(args)"; the rest of the case must stand already.
   QC_INVALID: no such generator, or malformed arguments. */
qc_status qc_generate(qc_case *item, uint32_t arg, const char *generator,
                      qc_message *message);

/* 64 random bits at an address: the counter-based generator. */
uint64_t qc_random_at(uint64_t seed, uint64_t stream, uint64_t index);

/* One vector of corpus/vectors: a case line, and its value under one profile. */
typedef struct qc_vector {
    char *id;
    char *file;
    char *line;   /* case line, with the profile that the value is of */
    char *answer; /* "=> ..." */
    char *flags;  /* space-separated */
    char *rationale;
} qc_vector;

/* Reads every *.json of a folder. QC_INVALID: names file and place. */
qc_status qc_vectors_read(const char *folder, qc_vector **vectors_ret, size_t *count_ret,
                          qc_message *message);
void qc_vectors_free(qc_vector *vectors, size_t count);

#endif
