/* SPDX-License-Identifier: Apache-2.0 */
/* One answered call against the oracles: every element gets its verdict, and no verdict but
   pass without MPFR. */
#ifndef QUANTCERT_EVALUATE_H
#define QUANTCERT_EVALUATE_H

#include "judge/judge.h"
#include "oracles/oracles.h"

/* What is known of one group while its cases come by. */
typedef struct qc_evaluation {
    qc_group_result *result;
    qc_consistency *consistency;
    const qc_steps *steps; /* of the calls' row, parsed; NULL: looked up for each call */
    int64_t until_confirm; /* passes until the next one that MPFR derives again */
    int64_t sample_period; /* 1,000 in runs; 1 derives every element twice */
    qc_message fault;      /* oracles that disagree: text of the first, else "" */
    /* The worst element of the last call, for its witness. */
    struct {
        uint32_t verdict;
        uint32_t arg;
        int64_t index;
        uint64_t got;
        qc_expected want;
        qc_codes before; /* CONSISTENT: the codes that earlier answers agree on */
        qc_position position;
    } worst;
} qc_evaluation;

/* QC_OK also when elements failed; QC_FAULT: the oracles disagree, see `fault`.
   outputs[arg]: packed, row-major, NULL where the call has no such output. */
qc_status qc_evaluate(qc_evaluation *evaluation, const qc_call *call,
                      const void *const outputs[QC_MAX_ARGS]);

#endif
