/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over all groups, the exit code that they call for, and the lines that say so. */
#include <inttypes.h>
#include <string.h>

#include "rows.h"

#define SHOWN_NOTES 8

const char *qc_count_text(int64_t value, char text[QC_COUNT_TEXT])
{
    char digits[QC_COUNT_TEXT];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    const int sign = digits[0] == '-';
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

qc_tally qc_tally_make(const qc_group_result *results, size_t count)
{
    qc_tally tally = {0};
    for (size_t i = 0; i < count; i++) {
        tally.claims[results[i].claim]++;
        tally.elems += results[i].elems;
        tally.undefined += results[i].counts[QC_VERDICT_UNDEFINED];
        tally.negative_cases += results[i].negative_cases;
        tally.unknown += results[i].unknown;
        tally.confirmed += results[i].confirmed;
    }
    return tally;
}

qc_exit qc_report_exit(const qc_run_info *info, const qc_group_result *results,
                       size_t count, char reason_ret[QC_REPORT_REASON])
{
    const int only_new = info->fail_on == QC_FAIL_ON_NEW;
    const qc_tally tally = qc_tally_make(results, count);
    const size_t bad = tally.claims[QC_CLAIM_DOES_NOT];
    const size_t incomplete = tally.claims[QC_CLAIM_INCOMPLETE];
    const size_t good = tally.claims[QC_CLAIM_CONFORMS];
    if (only_new && info->new_findings > 0) {
        snprintf(reason_ret, QC_REPORT_REASON, "%" PRId64 " new finding%s",
                 info->new_findings, info->new_findings == 1 ? "" : "s");
        return QC_EXIT_NOT_CONFORMANT;
    }
    if (bad > 0 && !only_new) {
        snprintf(reason_ret, QC_REPORT_REASON, "%zu group%s not conform", bad,
                 bad == 1 ? " does" : "s do");
        return QC_EXIT_NOT_CONFORMANT;
    }
    if (incomplete > 0) {
        snprintf(reason_ret, QC_REPORT_REASON, "%zu group%s incomplete, %s", incomplete,
                 incomplete == 1 ? " is" : "s are",
                 only_new ? "no finding is new" : "none fails");
        return QC_EXIT_INCOMPLETE;
    }
    if (good + bad == 0) {
        snprintf(reason_ret, QC_REPORT_REASON, "nothing was judged");
        return QC_EXIT_INCOMPLETE;
    }
    snprintf(reason_ret, QC_REPORT_REASON, "%s",
             bad > 0 ? "no finding is new" : "every group that is offered conforms");
    return QC_EXIT_CONFORMANT;
}

void qc_title_write(FILE *out, const qc_run_info *info)
{
    const int is_chosen = info->profile[0] != '\0';
    fprintf(out, "quantcert %s: %s %s, profile%s %s, level %s, seed %" PRIu64, QC_VERSION,
            info->backend, info->backend_version, is_chosen ? "" : "s",
            is_chosen ? info->profile : "as claimed", qc_level_name(info->level),
            info->seed);
}

static int is_noted(const qc_group_result *result)
{
    return result->note[0] != '\0' && (result->claim == QC_CLAIM_INCOMPLETE ||
                                       result->claim == QC_CLAIM_NOT_OFFERED);
}

static int is_same_note(const qc_group_result *a, const qc_group_result *b)
{
    return is_noted(a) && a->claim == b->claim && strcmp(a->note, b->note) == 0;
}

void qc_notes_write(FILE *out, const qc_group_result *const *sorted, size_t count,
                    const char *prefix)
{
    size_t shown = 0, kinds = 0;
    for (size_t i = 0; i < count; i++) {
        size_t earlier = 0, groups = 0;
        if (!is_noted(sorted[i])) {
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            const int same = is_same_note(sorted[k], sorted[i]);
            groups += (size_t)same;
            earlier += same && k < i;
        }
        if (earlier > 0 || ++kinds > SHOWN_NOTES) {
            continue;
        }
        shown++;
        fprintf(out, "%s%s, %zu group%s: %s\n", prefix, qc_claim_name(sorted[i]->claim),
                groups, groups == 1 ? "" : "s", sorted[i]->note);
    }
    if (kinds > shown) {
        fprintf(out, "%sand %zu other reasons, in results.jsonl\n", prefix,
                kinds - shown);
    }
}

void qc_summary_write(FILE *out, const qc_run_info *info, const qc_group_result *results,
                      size_t count, const char *prefix)
{
    const qc_tally tally = qc_tally_make(results, count);
    char text[5][QC_COUNT_TEXT], reason[QC_REPORT_REASON];
    const qc_exit code = qc_report_exit(info, results, count, reason);
    fprintf(
        out, "%s%zu groups: %zu conform, %zu do not, %zu incomplete, %zu not offered\n",
        prefix, count, tally.claims[QC_CLAIM_CONFORMS], tally.claims[QC_CLAIM_DOES_NOT],
        tally.claims[QC_CLAIM_INCOMPLETE], tally.claims[QC_CLAIM_NOT_OFFERED]);
    fprintf(out,
            "%s%s elements (%s undefined), %s negative tests, %s filter unknowns, "
            "%s MPFR confirmations, %.1f s\n",
            prefix, qc_count_text(tally.elems, text[0]),
            qc_count_text(tally.undefined, text[1]),
            qc_count_text(tally.negative_cases, text[2]),
            qc_count_text(tally.unknown, text[3]),
            qc_count_text(tally.confirmed, text[4]), info->seconds);
    fprintf(out, "%sexit %d: %s\n", prefix, (int)code, reason);
}

qc_status qc_out_status(FILE *out)
{
    return fflush(out) != 0 || ferror(out) ? QC_FAULT : QC_OK;
}
