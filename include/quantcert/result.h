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
#define QC_GROUP_DTYPES 24
#define QC_FINDING_ID 224
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

/* Dtypes of the body and of the first output: "f32->s8", or "f32" when they are one. */
void qc_group_dtypes(const qc_group *group, char text[QC_GROUP_DTYPES]);

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

/* The finding that a group which does not conform belongs to, one for all groups of the same
   (backend, op, dtypes, fault, profile): "onnx/quantize/f32->s8/fail-tie/ideal". It is the
   same in every run and version of the backend. Its fault is the verdict of the group. "" for
   a group that conforms or was not judged. */
void qc_finding_id(const char *backend, const qc_group_result *result,
                   char id[QC_FINDING_ID]);

/* What makes a run exit with 1: every finding, or those that its baseline has not. */
#define QC_FAIL_ONS(X) \
    X(ANY, "any")      \
    X(NEW, "new")

typedef enum qc_fail_on {
#define X(id, name) QC_FAIL_ON_##id,
    QC_FAIL_ONS(X)
#undef X
        QC_FAIL_ON_COUNT
} qc_fail_on;

const char *qc_fail_on_name(uint32_t fail_on);
qc_fail_on qc_fail_on_find(const char *name); /* QC_FAIL_ON_COUNT when there is none */

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
    char baseline[256];      /* results folder that this run was held against, or "" */
    uint32_t fail_on;        /* qc_fail_on */
    int64_t new_findings;    /* that the baseline has not; 0 without one */
    double seconds;
    char started[32]; /* UTC, ISO 8601 */
    uint32_t fact_count;
    qc_fact facts[32];
} qc_run_info;

#ifdef __cplusplus
}
#endif
#endif
