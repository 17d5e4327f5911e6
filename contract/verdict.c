/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/verdict.h"

#include <string.h>

static const struct {
    const char *name;
    int conforms;
    const char *junit;
} verdicts[QC_VERDICT_COUNT] = {
#define X(id, name, conforms, junit, meaning) {name, conforms, junit},
    QC_VERDICTS(X)
#undef X
};

static const char *const claims[QC_CLAIM_COUNT] = {
#define X(id, name) name,
    QC_CLAIMS(X)
#undef X
};

static const char *const accuracies[QC_ACCURACY_COUNT] = {
#define X(id, name) name,
    QC_ACCURACIES(X)
#undef X
};

static const struct {
    const char *name;
    int64_t elems;
} levels[QC_LEVEL_COUNT] = {
#define X(id, name, elems) {name, elems},
    QC_LEVELS(X)
#undef X
};

const char *qc_verdict_name(uint32_t verdict)
{
    return verdict < QC_VERDICT_COUNT ? verdicts[verdict].name : "?";
}

const char *qc_verdict_junit(uint32_t verdict)
{
    return verdict < QC_VERDICT_COUNT ? verdicts[verdict].junit : "error";
}

int qc_verdict_conforms(uint32_t verdict)
{
    return verdict < QC_VERDICT_COUNT && verdicts[verdict].conforms;
}

qc_verdict qc_verdict_find(const char *name)
{
    unsigned v = 0;
    while (v < QC_VERDICT_COUNT && strcmp(verdicts[v].name, name)) {
        v++;
    }
    return (qc_verdict)v;
}

const char *qc_claim_name(uint32_t claim)
{
    return claim < QC_CLAIM_COUNT ? claims[claim] : "?";
}

const char *qc_accuracy_name(uint32_t accuracy)
{
    return accuracy < QC_ACCURACY_COUNT ? accuracies[accuracy] : "?";
}

const char *qc_level_name(uint32_t level)
{
    return level < QC_LEVEL_COUNT ? levels[level].name : "?";
}

qc_level qc_level_find(const char *name)
{
    unsigned l = 0;
    while (l < QC_LEVEL_COUNT && strcmp(levels[l].name, name)) {
        l++;
    }
    return (qc_level)l;
}

int64_t qc_level_elems(uint32_t level)
{
    return level < QC_LEVEL_COUNT ? levels[level].elems : 0;
}
