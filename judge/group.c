/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <stdio.h>

void qc_judge_count(qc_group_result *result, qc_verdict verdict, int64_t how_many)
{
    if (how_many > 0) {
        result->counts[verdict] += how_many;
        if (verdict > result->verdict) {
            result->verdict = verdict;
        }
    }
}

/* The first rival that too few elements tell apart, or NULL. */
static const qc_rival_count *rival_short(const qc_group_result *result)
{
    for (uint32_t r = 0; r < result->rival_count; r++) {
        if (result->rivals[r].body < QC_NEEDED_HITS ||
            result->rivals[r].tail < QC_NEEDED_HITS) {
            return &result->rivals[r];
        }
    }
    return NULL;
}

static qc_accuracy accuracy_of(const qc_group_result *ideal)
{
    for (uint32_t v = QC_VERDICT_FAIL; v < QC_VERDICT_COUNT; v++) {
        if (ideal->counts[v]) {
            return QC_ACCURACY_WRONG;
        }
    }
    return ideal->counts[QC_VERDICT_FAIL_TIE] ? QC_ACCURACY_NEAREST
                                              : QC_ACCURACY_CORRECTLY_ROUNDED;
}

void qc_judge_group(qc_group_result *result, const qc_group_result *against_ideal)
{
    result->accuracy = accuracy_of(against_ideal);
    const qc_rival_count *const rival = rival_short(result);
    if (!qc_verdict_conforms(result->verdict)) {
        result->claim = QC_CLAIM_DOES_NOT;
    } else if (!result->elems) {
        result->claim = QC_CLAIM_INCOMPLETE;
        snprintf(result->note, sizeof result->note, "no element was judged");
    } else if (rival) {
        result->claim = QC_CLAIM_INCOMPLETE;
        snprintf(result->note, sizeof result->note,
                 "rival %s told apart %lld times in bodies and %lld in tails, %d needed",
                 rival->name, (long long)rival->body, (long long)rival->tail,
                 QC_NEEDED_HITS);
    } else {
        result->claim = QC_CLAIM_CONFORMS;
    }
}
