/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: (got, expected) -> verdict, elements -> group. Pure: no I/O, no clock, no
   knowledge of any implementation, no bare epsilon. Used by the harness. */
#ifndef QUANTCERT_JUDGE_H
#define QUANTCERT_JUDGE_H

#include "quantcert/case.h"
#include "quantcert/expect.h"
#include "quantcert/result.h"

/* Bits of element i of a packed array. */
uint64_t qc_judge_bits(uint32_t dtype, const void *packed, int64_t i);

/* Indices of elements that are not plainly equal to a QC_EXPECT_VALUE, at most `capacity`,
   starting at *from; *from moves behind the last one looked at. */
size_t qc_judge_differing(uint32_t dtype, const void *got, const qc_expected *want,
                          int64_t count, int64_t *from, int64_t *index_ret,
                          size_t capacity);

/* FAIL_TIE when the deviation lies inside delta* of spec/nearest.def (rules N1 to N5). */
qc_verdict qc_judge_code(const qc_group *group, const qc_deviation *deviation);

/* Distance of two floats in units of the last place; INT64_MAX when either is NaN. */
int64_t qc_judge_ulps(uint32_t dtype, uint64_t a, uint64_t b);

/* Answers to NaN elements across a group (rule Q5): one code per (output, zero point). A
   float output may stand for several codes (an underflow, an overflow): then low < high, and
   what is kept is the set of codes that explains all answers so far. */
typedef struct qc_consistency qc_consistency;

typedef struct qc_codes {
    int32_t low;
    int32_t high;
} qc_codes;

qc_consistency *qc_consistency_open(void);
void qc_consistency_close(qc_consistency *table);

/* PASS; POSITION_DEPENDENT when the same input bits had another answer before; FAIL when
   other NaN bits had. *before_ret: the codes that all earlier answers agree on. */
qc_verdict qc_consistency_judge(qc_consistency *table, uint32_t arg, uint64_t zero_point,
                                uint64_t input, qc_codes got, qc_codes *before_ret);

/* Raises the group's verdict to at least this one and counts it. */
void qc_judge_count(qc_group_result *result, qc_verdict verdict, int64_t how_many);

/* Sets claim and accuracy from the counts, and the note when the group is incomplete.
   `against_ideal`: the same elements judged under ideal; the result itself when the
   profile's steps are ideal's. */
void qc_judge_group(qc_group_result *result, const qc_group_result *against_ideal);

/* "-1.5 = -0x1.8p+0", "127", "nan #7fc00001": decimal, and hexfloat for floats. */
void qc_explain_value(uint32_t dtype, uint64_t bits, char text[96]);

/* "1.3e-06 codes above the tie 126.5", "exactly on the tie 0.5", ...; "" where there is none. */
void qc_explain_position(const qc_position *position, char text[96]);

#endif
