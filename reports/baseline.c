/* SPDX-License-Identifier: Apache-2.0 */
/* A run held against an earlier one: which findings are new, known or fixed. */
#include <stdlib.h>
#include <string.h>

#include "reports.h"

/* "profile ideal", "profiles as claimed" */
static void profile_phrase(const char *profile, char text[80])
{
    const int is_chosen = profile != NULL && profile[0] != '\0';
    snprintf(text, 80, "profile%s", is_chosen ? " " : "s as claimed");
    if (is_chosen) {
        snprintf(text + strlen(text), 80 - strlen(text), "%.63s", profile);
    }
}

static qc_status check(const char *folder, const char *profile, const char *rows_digest,
                       const qc_results *baseline, qc_message *message)
{
    char theirs[80], ours[80];
    if (baseline->cases_version != QC_CASES_VERSION) {
        return qc_fail(QC_FAULT, message,
                       "baseline %.120s: cases version %u, expected %d: other cases were "
                       "judged",
                       folder, baseline->cases_version, QC_CASES_VERSION);
    }
    profile_phrase(baseline->info.profile, theirs);
    profile_phrase(profile, ours);
    if (strcmp(theirs, ours) != 0) {
        return qc_fail(QC_FAULT, message, "baseline %.120s: judged under %s, expected %s",
                       folder, theirs, ours);
    }
    if (strcmp(baseline->info.rows_digest, rows_digest) != 0) {
        return qc_fail(
            QC_FAULT, message,
            "baseline %.120s: the rows of %s have changed since: digest %.12s, "
            "expected %.12s",
            folder, ours, baseline->info.rows_digest, rows_digest);
    }
    return QC_OK;
}

qc_status qc_baseline_read(const char *folder, const char *profile,
                           const char *rows_digest, qc_results *baseline_ret,
                           qc_message *message)
{
    qc_status status = qc_results_read_folder(folder, baseline_ret, message);
    if (status == QC_OK) {
        status = check(folder, profile, rows_digest, baseline_ret, message);
        if (status != QC_OK) {
            qc_results_free(baseline_ret);
        }
    }
    return status == QC_OK ? QC_OK : QC_FAULT;
}

/* One side of the comparison. */
typedef struct side {
    const char *backend;
    uint32_t level;
    const qc_group_result *results;
    size_t count;
} side;

static int has_finding(const side *of, const char *id)
{
    char other[QC_FINDING_ID];
    for (size_t i = 0; i < of->count; i++) {
        qc_finding_id(of->backend, &of->results[i], other);
        if (strcmp(id, other) == 0) {
            return 1;
        }
    }
    return 0;
}

static int has_judged(const side *of, const qc_group *group)
{
    char id[QC_GROUP_ID], other[QC_GROUP_ID];
    qc_group_id(group, id);
    for (size_t i = 0; i < of->count; i++) {
        const uint32_t claim = of->results[i].claim;
        qc_group_id(&of->results[i].group, other);
        if (strcmp(id, other) == 0) {
            return claim == QC_CLAIM_CONFORMS || claim == QC_CLAIM_DOES_NOT;
        }
    }
    return 0;
}

/* A finding of `before` that `now` has not. */
static uint32_t gone_kind(const side *before, const side *now, const char *id)
{
    char other[QC_FINDING_ID];
    for (size_t i = 0; i < before->count; i++) {
        qc_finding_id(before->backend, &before->results[i], other);
        if (strcmp(id, other) == 0 && !has_judged(now, &before->results[i].group)) {
            return QC_CHANGE_UNJUDGED;
        }
    }
    return now->level < before->level ? QC_CHANGE_UNJUDGED : QC_CHANGE_FIXED;
}

static int is_listed(const qc_comparison *comparison, const char *id)
{
    for (size_t i = 0; i < comparison->count; i++) {
        if (strcmp(comparison->changes[i].id, id) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Each finding of `from` that is not listed yet, held against both sides. */
static void list(const side *from, const side *before, const side *now,
                 qc_comparison *comparison)
{
    for (size_t i = 0; i < from->count; i++) {
        qc_change *change = &comparison->changes[comparison->count];
        qc_finding_id(from->backend, &from->results[i], change->id);
        if (change->id[0] == '\0' || is_listed(comparison, change->id)) {
            continue;
        }
        change->kind = !has_finding(before, change->id) ? QC_CHANGE_NEW
                       : has_finding(now, change->id)
                           ? QC_CHANGE_KNOWN
                           : gone_kind(before, now, change->id);
        comparison->counts[change->kind]++;
        comparison->count++;
    }
}

static int compare_changes(const void *left, const void *right)
{
    const qc_change *a = left;
    const qc_change *b = right;
    return strcmp(a->id, b->id);
}

qc_status qc_baseline_compare(const qc_results *baseline, const qc_run_info *info,
                              const qc_group_result *results, size_t count,
                              qc_comparison *comparison_ret)
{
    const side before = {baseline->info.backend, baseline->info.level, baseline->results,
                         baseline->count};
    const side now = {info->backend, info->level, results, count};
    *comparison_ret = (qc_comparison){.count = 0};
    comparison_ret->changes =
        calloc(baseline->count + count + 1, sizeof *comparison_ret->changes);
    if (comparison_ret->changes == NULL) {
        return QC_NO_MEMORY;
    }
    list(&before, &before, &now, comparison_ret);
    list(&now, &before, &now, comparison_ret);
    qsort(comparison_ret->changes, comparison_ret->count, sizeof *comparison_ret->changes,
          compare_changes);
    return QC_OK;
}

void qc_comparison_free(qc_comparison *comparison)
{
    free(comparison->changes);
    *comparison = (qc_comparison){.count = 0};
}

qc_status qc_comparison_write(FILE *out, const qc_results *baseline,
                              const qc_run_info *info, const qc_comparison *comparison)
{
    static const char *const words[QC_CHANGE_COUNT] = {"new", "known", "fixed",
                                                       "not judged again"};
    const size_t *counts = comparison->counts;
    fprintf(out,
            "baseline %s: %s %s, level %s; %zu new, %zu known, %zu fixed, %zu not judged "
            "again\n",
            info->baseline, baseline->info.backend, baseline->info.backend_version,
            qc_level_name(baseline->info.level), counts[QC_CHANGE_NEW],
            counts[QC_CHANGE_KNOWN], counts[QC_CHANGE_FIXED], counts[QC_CHANGE_UNJUDGED]);
    for (uint32_t kind = 0; kind < QC_CHANGE_COUNT; kind++) {
        for (size_t i = 0; i < comparison->count && kind != QC_CHANGE_KNOWN; i++) {
            if (comparison->changes[i].kind == kind) {
                fprintf(out, "  %s: %s\n", words[kind], comparison->changes[i].id);
            }
        }
    }
    return fflush(out) != 0 || ferror(out) ? QC_FAULT : QC_OK;
}
