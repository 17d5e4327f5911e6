/* SPDX-License-Identifier: Apache-2.0 */
/* Groups, sorted and merged into the rows of the table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

const char *const qc_row_heads[QC_ROW_CELLS] = {
    "op",       "dtypes",   "granularity", "claim", "groups",
    "accuracy", "elements", "pairs",       "worst",
};

const char *qc_op_name(uint32_t op)
{
    const qc_op_info *info = qc_op_get(op);
    return info != NULL ? info->name : "unknown";
}

const char *qc_granularity_name(uint32_t granularity)
{
    if (granularity == QC_PER_TENSOR) {
        return "per_tensor";
    }
    return granularity == QC_PER_CHANNEL ? "per_channel" : "both";
}

static int compare_results(const void *left, const void *right)
{
    const qc_group_result *a = *(const qc_group_result *const *)left;
    const qc_group_result *b = *(const qc_group_result *const *)right;
    char a_id[QC_GROUP_ID], b_id[QC_GROUP_ID];
    if (a->group.op != b->group.op) {
        return a->group.op < b->group.op ? -1 : 1;
    }
    qc_group_id(&a->group, a_id);
    qc_group_id(&b->group, b_id);
    return strcmp(a_id, b_id);
}

const qc_group_result **qc_results_sort(const qc_group_result *results, size_t count)
{
    const qc_group_result **sorted = calloc(count + 1, sizeof *sorted);
    if (sorted == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &results[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_results);
    return sorted;
}

static void row_start(qc_row *row, const qc_group_result *result, qc_merge merge)
{
    *row = (qc_row){.op = result->group.op, .claim = QC_CLAIM_NOT_OFFERED};
    if (merge < QC_MERGE_GRANULARITY) {
        row->granularity = result->group.granularity;
    }
    if (merge < QC_MERGE_DTYPES) {
        qc_group_dtypes(&result->group, row->dtypes);
    } else {
        strcpy(row->dtypes, "all");
    }
}

static int row_is(const qc_row *row, const qc_row *other)
{
    return row->op == other->op && row->granularity == other->granularity &&
           strcmp(row->dtypes, other->dtypes) == 0;
}

/* Not offered gives way to any other claim; among the others the later one is the worse. */
static uint32_t worse_claim(uint32_t a, uint32_t b)
{
    if (a == QC_CLAIM_NOT_OFFERED || b == QC_CLAIM_NOT_OFFERED) {
        return a == QC_CLAIM_NOT_OFFERED ? b : a;
    }
    return a > b ? a : b;
}

static void row_add(qc_row *row, const qc_group_result *result)
{
    row->groups++;
    row->claim = worse_claim(row->claim, result->claim);
    if (result->claim == QC_CLAIM_NOT_OFFERED) {
        return;
    }
    row->conforming += result->claim == QC_CLAIM_CONFORMS;
    row->accuracy = result->accuracy > row->accuracy ? result->accuracy : row->accuracy;
    row->verdict = result->verdict > row->verdict ? result->verdict : row->verdict;
    row->delta = result->delta > row->delta ? result->delta : row->delta;
    row->elems += result->elems;
    row->pairs_needed += result->rival_count;
    for (uint32_t i = 0; i < result->rival_count; i++) {
        row->pairs += result->rivals[i].body >= QC_NEEDED_HITS &&
                      result->rivals[i].tail >= QC_NEEDED_HITS;
    }
}

static size_t rows_fill(qc_row *rows, const qc_group_result *const *sorted, size_t count,
                        qc_merge merge)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        qc_row start;
        size_t at = 0;
        row_start(&start, sorted[i], merge);
        while (at < made && !row_is(&rows[at], &start)) {
            at++;
        }
        if (at == made) {
            rows[made++] = start;
        }
        row_add(&rows[at], sorted[i]);
    }
    return made;
}

/* What does not conform first, then what is incomplete; else by op, dtypes, granularity. */
static int compare_rows(const void *left, const void *right)
{
    const qc_row *a = left;
    const qc_row *b = right;
    if (a->claim != b->claim &&
        (a->claim > QC_CLAIM_NOT_OFFERED || b->claim > QC_CLAIM_NOT_OFFERED)) {
        return a->claim > b->claim ? -1 : 1;
    }
    if (a->op != b->op) {
        return a->op < b->op ? -1 : 1;
    }
    const int dtypes = strcmp(a->dtypes, b->dtypes);
    return dtypes != 0 ? dtypes : (int)a->granularity - (int)b->granularity;
}

qc_row *qc_rows_make(const qc_group_result *const *sorted, size_t count,
                     size_t *count_ret)
{
    qc_row *rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    size_t made = rows_fill(rows, sorted, count, QC_MERGE_NONE);
    for (int merge = QC_MERGE_GRANULARITY;
         made > QC_REPORT_MAX_ROWS && merge <= QC_MERGE_DTYPES; merge++) {
        made = rows_fill(rows, sorted, count, (qc_merge)merge);
    }
    qsort(rows, made, sizeof *rows, compare_rows);
    *count_ret = made;
    return rows;
}

/* The exponent is rounded up to a tenth, so that the measured delta lies within it. */
static void accuracy_text(const qc_row *row, char text[QC_CELL])
{
    if (row->accuracy == QC_ACCURACY_NEAREST && row->delta > 0 && isfinite(row->delta)) {
        snprintf(text, QC_CELL, "nearest(2^%.1f)", ceil(log2(row->delta) * 10) / 10);
    } else {
        snprintf(text, QC_CELL, "%s", qc_accuracy_name(row->accuracy));
    }
}

void qc_row_cells(const qc_row *row, char cells[QC_ROW_CELLS][QC_CELL])
{
    const int judged = row->claim != QC_CLAIM_NOT_OFFERED;
    char elems[QC_COUNT_TEXT], pairs[QC_COUNT_TEXT], needed[QC_COUNT_TEXT];
    snprintf(cells[0], QC_CELL, "%s", qc_op_name(row->op));
    snprintf(cells[1], QC_CELL, "%s", row->dtypes);
    snprintf(cells[2], QC_CELL, "%s", qc_granularity_name(row->granularity));
    snprintf(cells[3], QC_CELL, "%s", qc_claim_name(row->claim));
    snprintf(cells[4], QC_CELL, "%zu of %zu", row->conforming, row->groups);
    accuracy_text(row, cells[5]);
    snprintf(cells[6], QC_CELL, "%s", qc_count_text(row->elems, elems));
    snprintf(cells[7], QC_CELL, "%.15s of %.15s", qc_count_text(row->pairs, pairs),
             qc_count_text(row->pairs_needed, needed));
    snprintf(cells[8], QC_CELL, "%s", qc_verdict_name(row->verdict));
    for (int i = 5; i < QC_ROW_CELLS && !judged; i++) {
        strcpy(cells[i], "-");
    }
}
