/* SPDX-License-Identifier: Apache-2.0 */
/* What a run finds: groups, their results, and the record of the run itself. Plain data that
   the harness fills and the reports read; none of it depends on a clock but qc_run_info. */
#ifndef QUANTCERT_RESULT_H
#define QUANTCERT_RESULT_H

#include "quantcert/backend.h"
#include "quantcert/expect.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QC_CASES_VERSION 1 /* changes whenever a generated case does */
#define QC_VERSION "0.1.0"
#define QC_NEEDED_HITS 8 /* per rival, in vector bodies and again in tails */
#define QC_TAIL_ELEMS 32 /* a row's last length % 32 elements are its tail */
#define QC_GROUP_ID 256
#define QC_MAX_WITNESSES 3

/* The cases of one (op, dtypes, granularity, scale_form, grid, profile). */
typedef struct qc_group {
    uint32_t op;
    uint32_t dtypes[QC_MAX_ARGS]; /* qc_dtype of each argument; QC_NONE: absent */
    uint32_t granularity;         /* QC_PER_TENSOR or QC_PER_CHANNEL */
    uint32_t scale_form;          /* qc_scale_form */
    uint32_t choice;              /* word of qc_op_choice; 0 where the op has none */
    int32_t qmin;
    int32_t qmax;
    char profile[64];
    qc_capability limits; /* ranks, sizes, strides, nonfinite, scales: what may be sent */
} qc_group;

/* "quantize/x:f32/scale:f32/zero_point:s32/q:s8/per_tensor/divide/-128..127/ideal": stable. */
void qc_group_id(const qc_group *group, char id[QC_GROUP_ID]);

/* One failure, with all that a person needs. Strings are malloc'd. */
typedef struct qc_witness {
    uint32_t verdict;
    char *line; /* case line that reproduces it */
    char *got;  /* in decimal and hexfloat, or raw */
    char *want;
    char *position; /* "0.0000013 codes below the tie 126.5", or why there is none */
} qc_witness;

typedef struct qc_rival_count {
    char name[48];
    char fault[8];
    int64_t body; /* elements that tell it from the row, in vector bodies */
    int64_t tail; /* and in tails */
} qc_rival_count;

typedef struct qc_group_result {
    qc_group group;
    uint32_t verdict;  /* qc_verdict: the highest that occurred */
    uint32_t claim;    /* qc_claim */
    uint32_t accuracy; /* qc_accuracy, against ideal */
    int64_t cases;
    int64_t negative_cases;
    int64_t elems;                    /* judged */
    int64_t counts[QC_VERDICT_COUNT]; /* elements, or cases for verdicts on whole calls */
    int64_t consistent;               /* NaN elements, judged across the group */
    int64_t unknown;                  /* elements that the filtered path left to MPFR */
    int64_t confirmed;                /* elements that MPFR derived again */
    double delta; /* measured: largest |v - k| - 1/2 of a fail-tie code, in codes */
    int64_t code_distance; /* largest distance in codes */
    int64_t ulp_distance;  /* largest distance of a float output whose code was right */
    uint32_t rival_count;
    uint32_t witness_count;
    qc_rival_count rivals[QC_MAX_RIVALS];
    qc_witness witnesses[QC_MAX_WITNESSES]; /* of the highest verdicts, in order found */
    char note[240];                         /* why incomplete or not offered */
} qc_group_result;

void qc_group_result_free(qc_group_result *result);

/* A key of the environment record: compiler, CPU, libraries, rounding mode, ... */
typedef struct qc_fact {
    char key[32];
    char value[200];
} qc_fact;

typedef struct qc_run_info {
    char backend[64]; /* as described */
    char backend_version[64];
    char backend_given[256]; /* as given on the command line */
    char profile[64];        /* "" : the first that each capability claims */
    uint32_t level;
    uint64_t seed;
    char rows_digest[72];    /* SHA-256 of the profile rows that were judged under */
    char backend_digest[72]; /* SHA-256 of the backend's file; "" when built in */
    double seconds;
    char started[32]; /* UTC, ISO 8601 */
    uint32_t fact_count;
    qc_fact facts[32];
} qc_run_info;

#ifdef __cplusplus
}
#endif
#endif
