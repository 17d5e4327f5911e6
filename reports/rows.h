/* SPDX-License-Identifier: Apache-2.0 */
/* What text and Markdown show alike: sorted groups, rows, findings, counts. */
#ifndef QC_REPORTS_ROWS_H
#define QC_REPORTS_ROWS_H

#include "reports.h"

#define QC_ROW_CELLS 9
#define QC_CELL 40
#define QC_COUNT_TEXT 28

/* How groups are merged into rows. */
typedef enum qc_merge {
    QC_MERGE_NONE,        /* op, dtypes, granularity */
    QC_MERGE_GRANULARITY, /* op, dtypes */
    QC_MERGE_DTYPES       /* op */
} qc_merge;

typedef struct qc_row {
    uint32_t op;
    char dtypes[QC_GROUP_DTYPES]; /* "f32->s8"; "all" when merged */
    uint32_t granularity;         /* 0: merged */
    uint32_t claim;               /* the worst; not offered only when nothing was */
    uint32_t accuracy;            /* the worst of what was offered */
    uint32_t verdict;             /* the highest */
    double delta;
    size_t groups;
    size_t conforming;
    int64_t elems;
    int64_t pairs; /* rivals told apart often enough, over all groups */
    int64_t pairs_needed;
} qc_row;

typedef struct qc_pick {
    const qc_group_result *result;
    const qc_witness *witness;
} qc_pick;

/* The failing groups of one (op, dtypes), and the witnesses chosen to explain them. */
typedef struct qc_finding {
    uint32_t op;
    char dtypes[QC_GROUP_DTYPES];
    size_t groups;
    size_t failing;
    int64_t counts[QC_VERDICT_COUNT];
    qc_pick *picks;
    size_t pick_count;
} qc_finding;

typedef struct qc_tally {
    size_t claims[QC_CLAIM_COUNT];
    int64_t elems;
    int64_t undefined;
    int64_t negative_cases;
    int64_t unknown;
    int64_t confirmed;
} qc_tally;

/* Pointers in the order (op, group id); malloc'd, NULL when memory is short. */
const qc_group_result **qc_results_sort(const qc_group_result *results, size_t count);

const char *qc_op_name(uint32_t op);
const char *qc_granularity_name(uint32_t granularity);

/* Rows in table order, merged until QC_REPORT_MAX_ROWS hold them; malloc'd. */
qc_row *qc_rows_make(const qc_group_result *const *sorted, size_t count,
                     size_t *count_ret);
extern const char *const qc_row_heads[QC_ROW_CELLS];
void qc_row_cells(const qc_row *row, char cells[QC_ROW_CELLS][QC_CELL]);

/* Findings in the order of the groups, `most` witnesses each; freed by qc_findings_free. */
qc_finding *qc_findings_make(const qc_group_result *const *sorted, size_t count,
                             size_t most, size_t *count_ret);
void qc_findings_free(qc_finding *findings, size_t count);

/* "quantize f32->s8: 2 of 12 groups do not conform (1,204 fail-tie, 3 fail)" */
void qc_finding_title(FILE *out, const qc_finding *finding);

qc_tally qc_tally_make(const qc_group_result *results, size_t count);

/* "12,345,678" */
const char *qc_count_text(int64_t value, char text[QC_COUNT_TEXT]);

/* What the witness's case line holds, in decimal where it is one value. */
void qc_witness_input(FILE *out, const qc_witness *witness);

/* What was got, what is right, and where it lies, a line each; what is not known is left out. */
void qc_witness_facts(FILE *out, const qc_witness *witness);

/* The lines about groups that were not judged in full: each note once, with its groups. */
void qc_notes_write(FILE *out, const qc_group_result *const *sorted, size_t count,
                    const char *prefix);

/* The closing lines: groups by claim, counts, exit code and its reason. */
void qc_summary_write(FILE *out, const qc_run_info *info, const qc_group_result *results,
                      size_t count, const char *prefix);

/* "quantcert 0.1.0: onednn 2.6.3, profile ideal, level quick, seed 1" */
void qc_title_write(FILE *out, const qc_run_info *info);

/* QC_OK, or QC_FAULT when something written so far did not arrive. */
qc_status qc_out_status(FILE *out);

#endif
