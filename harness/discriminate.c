/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/discriminate.h"

#include "harness/expectation.h"
#include "harness/guess.h"

#include <stdio.h>

/* Beyond this many elements a case is bulk: the edges that tell rivals apart come before. */
enum { MOST_ELEMS = 8192 };

static int satisfied(const qc_rival_count *counted)
{
    return counted->body >= QC_NEEDED_HITS && counted->tail >= QC_NEEDED_HITS;
}

qc_status qc_discriminate_open(qc_discrimination *discrimination, const qc_call *call,
                               qc_group_result *result, qc_message *message)
{
    qc_steps steps;
    const qc_profile_row *const row = qc_profile_find(call);
    if (!row) {
        return qc_fail(QC_UNSUPPORTED, message, "profile %s has no row for %s",
                       call->profile, qc_op_get(call->op)->name);
    }
    const qc_status status = qc_steps_parse(row->steps_text, &steps, message);
    if (status != QC_OK) {
        return status;
    }
    discrimination->count = (uint32_t)qc_rivals_of(call, &steps, discrimination->rivals);
    result->rival_count = discrimination->count;
    for (uint32_t r = 0; r < discrimination->count; r++) {
        qc_rival_count *const counted = &result->rivals[r];
        *counted = (qc_rival_count){0};
        snprintf(counted->name, sizeof counted->name, "%s",
                 discrimination->rivals[r].name);
        snprintf(counted->fault, sizeof counted->fault, "%s",
                 discrimination->rivals[r].fault);
    }
    return QC_OK;
}

/* One output of a call: what the row gives, and where one rival seems to give another. */
typedef struct output {
    const qc_expected *want;
    const qc_guess_call *guess;
    qc_oracle *oracle; /* of the rival; opened at the first element worth a look */
    uint32_t arg;
    int64_t elems;
} output;

/* MPFR's word on one element. */
static qc_status is_told_apart(output *o, const qc_rival *rival, int64_t i, int *told_ret,
                               qc_message *message)
{
    qc_expected other;
    qc_status status = QC_OK;
    if (!o->oracle) {
        status = qc_oracle_open(o->guess->call, &rival->steps, QC_ORACLE_MPFR, &o->oracle,
                                message);
    }
    if (status == QC_OK) {
        qc_oracle_expect(o->oracle, o->arg, i, 1, &other);
        *told_ret = other.kind == QC_EXPECT_VALUE && other.bits != o->want[i].bits;
    }
    return status;
}

static qc_status rival_count(output *o, const qc_rival *rival, qc_rival_count *counted,
                             qc_message *message)
{
    const int64_t body = o->elems - o->elems % QC_TAIL_ELEMS;
    qc_status status = QC_OK;
    o->oracle = NULL;
    for (int64_t i = 0; i < o->elems && status == QC_OK; i++) {
        int64_t *const hits = i < body ? &counted->body : &counted->tail;
        uint64_t bits;
        int told = 0;
        if (*hits < QC_NEEDED_HITS && o->want[i].kind == QC_EXPECT_VALUE &&
            qc_guess(o->guess, &rival->steps, o->arg, i, &bits) &&
            bits != o->want[i].bits) {
            status = is_told_apart(o, rival, i, &told, message);
            *hits += told;
        }
    }
    qc_oracle_close(o->oracle);
    return status;
}

/* All rivals that are still short, on one output. */
static qc_status output_count(const qc_discrimination *discrimination,
                              qc_expectation *expectation, uint32_t arg,
                              qc_group_result *result, qc_message *message)
{
    static qc_expected want[MOST_ELEMS]; /* one process judges one call at a time */
    const qc_call *const call = expectation->call;
    qc_guess_call guess;
    output o = {want, &guess, NULL, arg, qc_tensor_elems(&call->args[arg])};
    qc_guess_open(&guess, call);
    qc_status status = qc_expectation_fill(expectation, arg, 0, o.elems, want, message);
    for (uint32_t r = 0; r < discrimination->count && status == QC_OK; r++) {
        if (!satisfied(&result->rivals[r])) {
            status =
                rival_count(&o, &discrimination->rivals[r], &result->rivals[r], message);
        }
    }
    return status;
}

static int all_satisfied(const qc_group_result *result)
{
    uint32_t r = 0;
    while (r < result->rival_count && satisfied(&result->rivals[r])) {
        r++;
    }
    return r == result->rival_count;
}

qc_status qc_discriminate(const qc_discrimination *discrimination, const qc_call *call,
                          qc_group_result *result, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(call->op);
    const int64_t elems = qc_tensor_elems(&call->args[qc_op_body(call->op)]);
    if (elems > MOST_ELEMS || all_satisfied(result)) {
        return QC_OK;
    }
    qc_expectation expectation;
    qc_status status = qc_expectation_open(&expectation, call, NULL, message);
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (info->args[a].is_output && call->args[a].dtype != QC_NONE) {
            status = output_count(discrimination, &expectation, a, result, message);
        }
    }
    qc_expectation_close(&expectation);
    return status;
}
