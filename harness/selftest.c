/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/selftest.h"

#include "cases/cases.h"
#include "harness/full.h"
#include "oracles/oracles.h"

#include <stdlib.h>

enum { CHUNK = 256 };

typedef struct paths {
    qc_oracle *mpfr;
    qc_oracle *gmp;
    qc_oracle *filter;
} paths;

static qc_status paths_open(paths *p, const qc_call *call, qc_message *message)
{
    *p = (paths){NULL, NULL, NULL};
    qc_status status = qc_oracle_open(call, NULL, QC_ORACLE_MPFR, &p->mpfr, message);
    if (status == QC_OK) {
        status = qc_oracle_open(call, NULL, QC_ORACLE_GMP, &p->gmp, message);
    }
    if (status == QC_OK) {
        status = qc_oracle_open(call, NULL, QC_ORACLE_FILTER, &p->filter, message);
    }
    return status;
}

static void paths_close(paths *p)
{
    qc_oracle_close(p->mpfr);
    qc_oracle_close(p->gmp);
    qc_oracle_close(p->filter);
}

static int differs(const qc_expected *a, const qc_expected *b)
{
    return a->kind != b->kind || (a->kind == QC_EXPECT_VALUE && a->bits != b->bits);
}

static void output_compare(const paths *p, const qc_call *call, uint32_t arg,
                           qc_selftest *selftest)
{
    const int64_t elems = qc_tensor_elems(&call->args[arg]);
    for (int64_t first = 0; first < elems; first += CHUNK) {
        const int64_t count = elems - first < CHUNK ? elems - first : CHUNK;
        qc_expected mpfr[CHUNK];
        qc_expected gmp[CHUNK];
        qc_expected filter[CHUNK];
        qc_oracle_expect(p->mpfr, arg, first, count, mpfr);
        qc_oracle_expect(p->gmp, arg, first, count, gmp);
        qc_oracle_expect(p->filter, arg, first, count, filter);
        for (int64_t i = 0; i < count; i++) {
            const int answered = filter[i].kind != QC_EXPECT_UNKNOWN;
            selftest->elems++;
            selftest->filtered += answered;
            selftest->differing +=
                differs(&mpfr[i], &gmp[i]) || (answered && differs(&mpfr[i], &filter[i]));
        }
    }
}

static qc_status case_compare(const qc_case *item, qc_selftest *selftest,
                              qc_message *message)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    paths p;
    const qc_status status = paths_open(&p, &item->call, message);
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (info->args[a].is_output && item->call.args[a].dtype != QC_NONE) {
            output_compare(&p, &item->call, a, selftest);
        }
    }
    paths_close(&p);
    selftest->cases++;
    return status;
}

static qc_status group_compare(const qc_group *group, uint64_t seed, int64_t elems,
                               qc_selftest *selftest, qc_message *message)
{
    const int64_t cases = qc_group_cases(group, QC_LEVEL_SMOKE);
    const int64_t enough = selftest->elems + elems;
    qc_status status = QC_OK;
    for (int64_t i = 0; i < cases && status == QC_OK && selftest->elems < enough; i++) {
        qc_case item;
        status = qc_group_case(group, seed, i, &item);
        if (status == QC_OK) {
            status = case_compare(&item, selftest, message);
        }
        qc_case_free(&item);
    }
    selftest->groups++;
    return status;
}

qc_status qc_selftest_run(uint64_t seed, int64_t elems, qc_selftest *selftest_ret,
                          qc_message *message)
{
    size_t count;
    *selftest_ret = (qc_selftest){0};
    qc_status status = qc_oracle_preconditions(message);
    qc_group *const groups = qc_full_groups(UINT32_MAX, NULL, &count);
    for (size_t g = 0; g < count && status == QC_OK; g++) {
        status = group_compare(&groups[g], seed, elems, selftest_ret, message);
    }
    free(groups);
    if (status == QC_OK && selftest_ret->differing) {
        status = qc_fail(QC_FAULT, message, "oracle paths disagree on %lld elements",
                         (long long)selftest_ret->differing);
    }
    if (status == QC_OK && qc_oracle_faults(message)) {
        status = QC_FAULT;
    }
    return status;
}
