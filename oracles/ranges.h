/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines of choose_qparams and observe share: which list is which. Every engine
   has its own arithmetic. */
#ifndef QUANTCERT_ORACLE_RANGES_H
#define QUANTCERT_ORACLE_RANGES_H

#include "engine.h"

extern const qc_engine qc_engine_qparams_mpfr;
extern const qc_engine qc_engine_qparams_gmp;
extern const qc_engine qc_engine_qparams_filter;
extern const qc_engine qc_engine_observe_mpfr;
extern const qc_engine qc_engine_observe_gmp;
extern const qc_engine qc_engine_observe_filter;

/* The lists that the integer and the filtered paths know: those of ideal, and, the filtered
   one alone, the affine one of tensorplay-doc. */
typedef enum qc_ranges_list {
    QC_RANGES_OTHER,
    QC_RANGES_AFFINE,
    QC_RANGES_SYMMETRIC,
    QC_RANGES_DOCUMENTED,
    QC_RANGES_MIN_MAX,
    QC_RANGES_AVERAGE
} qc_ranges_list;

qc_ranges_list qc_ranges_match(const qc_oracle *oracle);

/* The steps of the scale: qmax - qmin, or half of them, rounded down. */
int32_t qc_ranges_steps(const qc_oracle *oracle, int is_symmetric);

/* One channel's batch, by its own rule of order: which element is least, which greatest. */
typedef struct qc_batch {
    int64_t low; /* index into x; -1: no value */
    int64_t high;
} qc_batch;

/* Index of the first entry of the channel in x, then the next: elements of one channel in
   row-major order. *at starts at -1; 0 when there are no more. */
int qc_ranges_next(const qc_oracle *oracle, int64_t channel, int64_t *at);

/* Whether the call has a state. */
int qc_ranges_has_state(const qc_oracle *oracle);

/* The argument that holds what output `arg` was before this batch. */
const qc_tensor *qc_ranges_old(const qc_oracle *oracle, uint32_t arg);

/* Rules V30 to V35, on their own. */
qc_status qc_ranges_validate(const qc_call *call, qc_message *message);

#endif
