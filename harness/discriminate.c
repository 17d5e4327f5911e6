/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/discriminate.h"

#include "harness/expectation.h"

#include <stdio.h>

/* Beyond this many elements a case is bulk: the edges that tell rivals apart come before. */
enum { MOST_ELEMS = 8192, CHUNK = 64 };

static int satisfied(int64_t hits)
{
    return hits >= QC_NEEDED_HITS;
}

qc_status qc_discriminate_open(qc_discrimination *discrimination, const qc_call *call,
                               qc_group_result *result, qc_message *message)
{
    qc_steps steps;
    const qc_profile_row *const row = qc_profile_find(call);
    if (!row) {
        return qc_fail(QC_UNSUPPORTED, message, "profile %s has no row for %s", call->profile,
                       qc_op_get(call->op)->name);
    }
    const qc_status status = qc_steps_parse(row->steps_text, &steps, message);
    if (status != QC_OK) {
        return status;
    }
    discrimination->count =
        (uint32_t)qc_rivals_of(call, &steps, discrimination->rivals);
    result->rival_count = discrimination->count;
    for (uint32_t r = 0; r < discrimination->count; r++) {
        qc_rival_count *const counted = &result->rivals[r];
        *counted = (qc_rival_count){0};
        snprintf(counted->name, sizeof counted->name, "%s", discrimination->rivals[r].name);
        snprintf(counted->fault, sizeof counted->fault, "%s", discrimination->rivals[r].fault);
    }
    return QC_OK;
}

/* Whether element i of the chunk is told apart in any output. */
static void chunk_compare(const qc_expected *row, const qc_expected *rival, int64_t count,
                          uint8_t *differs)
{
    for (int64_t i = 0; i < count; i++) {
        differs[i] |= row[i].kind == QC_EXPECT_VALUE && rival[i].kind == QC_EXPECT_VALUE &&
                      row[i].bits != rival[i].bits;
    }
}

static void chunk_count(const uint8_t *differs, int64_t first, int64_t count, int64_t body,
                        qc_rival_count *counted)
{
    for (int64_t i = 0; i < count; i++) {
        if (differs[i]) {
            *(first + i < body ? &counted->body : &counted->tail) += 1;
        }
    }
}

/* One rival on one call, a chunk at a time, until it has all the hits that it needs. */
static qc_status rival_count(qc_expectation *row, const qc_rival *rival,
                             qc_rival_count *counted, qc_message *message)
{
    const qc_call *const call = row->call;
    const qc_op_info *const info = qc_op_get(call->op);
    const int64_t elems = qc_tensor_elems(&call->args[qc_op_body(call->op)]);
    const int64_t body = elems - elems % QC_TAIL_ELEMS;
    qc_oracle *oracle;
    qc_status status =
        qc_oracle_open(call, &rival->steps, QC_ORACLE_MPFR, &oracle, message);
    if (status != QC_OK) {
        return status;
    }
    int64_t first = satisfied(counted->body) ? body : 0;
    while (first < elems && status == QC_OK) {
        const int64_t end = first < body ? body : elems;
        const int64_t count = end - first < CHUNK ? end - first : CHUNK;
        uint8_t differs[CHUNK] = {0};
        for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
            if (info->args[a].is_output && call->args[a].dtype != QC_NONE) {
                qc_expected want[CHUNK];
                qc_expected other[CHUNK];
                status = qc_expectation_fill(row, a, first, count, want, message);
                qc_oracle_expect(oracle, a, first, count, other);
                chunk_compare(want, other, count, differs);
            }
        }
        chunk_count(differs, first, count, body, counted);
        first = first < body && satisfied(counted->body) ? body : first + count;
        if (satisfied(counted->tail) && first >= body) {
            break;
        }
    }
    qc_oracle_close(oracle);
    return status;
}

qc_status qc_discriminate(const qc_discrimination *discrimination, const qc_call *call,
                          qc_group_result *result, qc_message *message)
{
    const int64_t elems = qc_tensor_elems(&call->args[qc_op_body(call->op)]);
    qc_expectation row = {0};
    qc_status status = QC_OK;
    for (uint32_t r = 0; r < discrimination->count && status == QC_OK; r++) {
        qc_rival_count *const counted = &result->rivals[r];
        if (elems > MOST_ELEMS || (satisfied(counted->body) && satisfied(counted->tail))) {
            continue;
        }
        if (!row.call) {
            status = qc_expectation_open(&row, call, NULL, message);
        }
        if (status == QC_OK) {
            status = rival_count(&row, &discrimination->rivals[r], counted, message);
        }
    }
    if (row.call) {
        qc_expectation_close(&row);
    }
    return status;
}
