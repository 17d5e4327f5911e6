/* SPDX-License-Identifier: Apache-2.0 */
/* The oracles: what each output element must be, derived three independent ways. Used by the
   harness; knows no implementation. */
#ifndef QUANTCERT_ORACLES_H
#define QUANTCERT_ORACLES_H

#include "quantcert/expect.h"

typedef enum qc_oracle_path {
    QC_ORACLE_MPFR,  /* any step list; every element */
    QC_ORACLE_GMP,   /* ideal lists only; every element; integers alone */
    QC_ORACLE_FILTER /* ideal lists only; proved domain, else QC_EXPECT_UNKNOWN; fast */
} qc_oracle_path;

/* "mpfr", "gmp", "filtered"; NULL behind the last. */
const char *qc_oracle_path_name(uint32_t path);

/* 1 when the path derives values of the op. */
int qc_oracle_has(uint32_t op, uint32_t path);

typedef struct qc_oracle qc_oracle;

/* Readies the expectation of one call under its own profile's row, or under `steps` when
   given (probing, rivals). QC_INVALID: the call is invalid for its op (expect `!invalid`);
   QC_UNSUPPORTED: no row, or a path that does not know the list. The call must outlive it.
   Not thread-safe: MPFR's exponent range is process state. */
qc_status qc_oracle_open(const qc_call *call, const qc_steps *steps, qc_oracle_path path,
                         qc_oracle **oracle_ret, qc_message *message);
void qc_oracle_close(qc_oracle *oracle);

/* Expected values of elements first ... first+count-1 (row-major) of output argument `arg`. */
void qc_oracle_expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                      qc_expected *expected_ret);

/* Where element i lies among the ties (MPFR path only). */
void qc_oracle_position(qc_oracle *oracle, int64_t i, qc_position *position_ret);

/* How far a code is from the exact value of element i under ideal (MPFR path only).
   clamped 1: the code stands for every integer k with clamp(k + z) = code; 0: for k = code - z
   alone, and the code may lie outside the grid (masks). */
void qc_oracle_deviation(qc_oracle *oracle, int64_t i, int32_t code, int clamped,
                         qc_deviation *deviation_ret);

/* The codes of the grid whose dequantized values have these bits: fake_quantize (MPFR path
   only). Returns 0 when there are none. */
int qc_oracle_codes_of(qc_oracle *oracle, int64_t i, uint64_t bits, int32_t *low_ret,
                       int32_t *high_ret);

/* Round to nearest, no flush to zero, no contraction, no excess precision. QC_FAULT says
   which is broken; the suite must then stop with exit code 4. */
qc_status qc_oracle_preconditions(qc_message *message);

/* Counts of run-time checks that failed (a ternary value that had to be 0, a path that
   disagreed); must stay 0. The message of the first is kept. */
int64_t qc_oracle_faults(qc_message *first_ret);

/* Independent of qc_call_check: QC_OK or QC_INVALID. */
qc_status qc_oracle_validate(const qc_call *call, qc_message *message);

#endif
