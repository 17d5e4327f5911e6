/* SPDX-License-Identifier: Apache-2.0 */
/* Failing groups gathered by (op, dtypes), and the witnesses that explain them. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"

static qc_finding *finding_of(qc_finding *findings, size_t *made, const qc_group *group)
{
    char dtypes[QC_GROUP_DTYPES];
    qc_group_dtypes(group, dtypes);
    for (size_t i = 0; i < *made; i++) {
        if (findings[i].op == group->op && strcmp(findings[i].dtypes, dtypes) == 0) {
            return &findings[i];
        }
    }
    qc_finding *fresh = &findings[(*made)++];
    *fresh = (qc_finding){.op = group->op};
    strcpy(fresh->dtypes, dtypes);
    return fresh;
}

static int is_picked(const qc_finding *finding, const qc_witness *witness, int by_verdict)
{
    for (size_t i = 0; i < finding->pick_count; i++) {
        const qc_witness *pick = finding->picks[i].witness;
        if (pick == witness || (by_verdict && pick->verdict == witness->verdict)) {
            return 1;
        }
    }
    return 0;
}

/* Adds witnesses of the verdict, first those that stand first in their group. */
static void pick_verdict(qc_finding *finding, const qc_group_result *const *sorted,
                         size_t count, uint32_t verdict, size_t most, int by_verdict)
{
    char dtypes[QC_GROUP_DTYPES];
    for (uint32_t at = 0; at < QC_MAX_WITNESSES; at++) {
        for (size_t i = 0; i < count && finding->pick_count < most; i++) {
            if (sorted[i]->claim != QC_CLAIM_DOES_NOT ||
                sorted[i]->group.op != finding->op || at >= sorted[i]->witness_count) {
                continue;
            }
            const qc_witness *witness = &sorted[i]->witnesses[at];
            qc_group_dtypes(&sorted[i]->group, dtypes);
            if (witness->verdict == verdict && strcmp(dtypes, finding->dtypes) == 0 &&
                !is_picked(finding, witness, by_verdict)) {
                finding->picks[finding->pick_count++] = (qc_pick){sorted[i], witness};
            }
        }
    }
}

/* One witness of each verdict, the gravest first; then more of the gravest. */
static void pick(qc_finding *finding, const qc_group_result *const *sorted, size_t count,
                 size_t most)
{
    for (int by_verdict = 1; by_verdict >= 0; by_verdict--) {
        for (uint32_t verdict = QC_VERDICT_COUNT; verdict-- > 0;) {
            pick_verdict(finding, sorted, count, verdict, most, by_verdict);
        }
    }
}

static qc_finding *drop_sound(qc_finding *findings, size_t *made)
{
    size_t kept = 0;
    for (size_t i = 0; i < *made; i++) {
        if (findings[i].failing > 0) {
            findings[kept++] = findings[i];
        }
    }
    *made = kept;
    return findings;
}

qc_finding *qc_findings_make(const qc_group_result *const *sorted, size_t count,
                             size_t most, size_t *count_ret)
{
    size_t made = 0;
    qc_finding *findings = calloc(count + 1, sizeof *findings);
    if (findings == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        qc_finding *finding = finding_of(findings, &made, &sorted[i]->group);
        finding->groups++;
        finding->failing += sorted[i]->claim == QC_CLAIM_DOES_NOT;
        for (int v = 0; v < QC_VERDICT_COUNT; v++) {
            finding->counts[v] += sorted[i]->counts[v];
        }
    }
    drop_sound(findings, &made);
    for (size_t i = 0; i < made; i++) {
        const size_t all = findings[i].failing * QC_MAX_WITNESSES;
        findings[i].picks = calloc(all, sizeof *findings[i].picks);
        if (findings[i].picks == NULL) {
            qc_findings_free(findings, made);
            return NULL;
        }
        pick(&findings[i], sorted, count, most < all ? most : all);
    }
    *count_ret = made;
    return findings;
}

void qc_findings_free(qc_finding *findings, size_t count)
{
    for (size_t i = 0; findings != NULL && i < count; i++) {
        free(findings[i].picks);
    }
    free(findings);
}

void qc_finding_title(FILE *out, const qc_finding *finding)
{
    char text[QC_COUNT_TEXT];
    const char *separator = " (";
    fprintf(out, "%s %s: %zu of %zu group%s %s not conform", qc_op_name(finding->op),
            finding->dtypes, finding->failing, finding->groups,
            finding->groups == 1 ? "" : "s", finding->failing == 1 ? "does" : "do");
    for (uint32_t verdict = QC_VERDICT_COUNT; verdict-- > 0;) {
        if (finding->counts[verdict] == 0 || qc_verdict_conforms(verdict)) {
            continue;
        }
        fprintf(out, "%s%s %s", separator, qc_count_text(finding->counts[verdict], text),
                qc_verdict_name(verdict));
        separator = ", ";
    }
    fputs(separator[0] == ',' ? ")" : "", out);
}
