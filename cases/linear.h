/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of linear: shapes, codes whose sums are known, and parameters made for
   them. */
#ifndef QC_CASES_LINEAR_H
#define QC_CASES_LINEAR_H

#include "generate.h"
#include "groups.h"

/* What a case is made to show. */
typedef enum qc_linear_recipe {
    QC_LINEAR_TIES,    /* one place of K counts; v = c/2 exactly, or beside it */
    QC_LINEAR_RANDOM,  /* any codes, v about the grid */
    QC_LINEAR_NEAR,    /* equal outputs, out_scale or multiplier made for a tie */
    QC_LINEAR_HUGE,    /* v far outside, beyond s32 and s64 */
    QC_LINEAR_STEEP,   /* one accumulator unit is several codes; fractional bias */
    QC_LINEAR_CANCEL,  /* the bias takes back what the sum is */
    QC_LINEAR_EXTREME, /* scales at the ends of their types */
    QC_LINEAR_LONG,    /* sums beyond 2^24, equal outputs */
    QC_LINEAR_FULL     /* K = 33,025 and more: sums at the end of s32 (L20) */
} qc_linear_recipe;

typedef struct qc_linear_plan {
    int64_t m;
    int64_t n;
    int64_t k;
    qc_linear_recipe recipe;
    int equal_rows; /* all rows of x_q are one row, and of w_q */
    int pivot;      /* x_q differs from its zero point in one place of K alone */
} qc_linear_plan;

void qc_linear_plan_case(const qc_group *group, int64_t i, qc_linear_plan *plan_ret);
int64_t qc_linear_cases(uint32_t level);

/* The i-th case, allocated by the plan and shaped; then all values. */
qc_status qc_linear_case(const qc_group *group, uint64_t seed, int64_t i,
                         qc_case *case_ret);
void qc_linear_fill(const qc_linear_plan *plan, const qc_capability *limits, uint64_t key,
                    int64_t i, qc_case *item);

int64_t qc_linear_negatives(const qc_group *group);
qc_status qc_linear_negative(const qc_group *group, int64_t i, qc_case *case_ret);

/* One of linear's arguments, or NULL where the call lacks it. */
qc_tensor *qc_linear_arg(qc_case *item, const char *name);

#endif
