/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: what a run found, written for people and programs, and read back. Nothing here
   computes a verdict. Every writer lists groups in the order (op, group id), whatever order
   they come in, and none but those of run.json and of the summary line knows a clock. */
#ifndef QC_REPORTS_H
#define QC_REPORTS_H

#include <stdio.h>

#include "quantcert/result.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QC_RUN_FORMAT 2 /* of run.json and results.jsonl; changes with their schemas */
#define QC_REPORT_REASON 96   /* bytes that hold the reason of an exit code */
#define QC_REPORT_MAX_ROWS 40 /* of the table; beyond, rows are merged */

/* A writer. QC_NO_MEMORY, or QC_FAULT when `out` cannot be written. */
typedef qc_status (*qc_report_writer)(FILE *out, const qc_run_info *info,
                                      const qc_group_result *results, size_t count);

/* The terminal table: one row per (op, dtypes, granularity), failing ones first; then at most
   three witnesses per (op, dtypes), each ending in its repro line; then the counts and the
   reason of the exit code. `verbose` gives every witness. */
qc_status qc_report_text(FILE *out, const qc_run_info *info,
                         const qc_group_result *results, size_t count);
qc_status qc_report_verbose(FILE *out, const qc_run_info *info,
                            const qc_group_result *results, size_t count);

/* The same for a pull request. */
qc_status qc_report_markdown(FILE *out, const qc_run_info *info,
                             const qc_group_result *results, size_t count);

/* JUnit XML: one testcase per group; qc_verdict_junit says whether a group that does not
   conform is a failure or an error. Incomplete and not offered groups are `skipped` with
   their note: nothing is known against the backend. The exit code (5) is what stops a gate
   that demands completeness. */
qc_status qc_report_junit(FILE *out, const qc_run_info *info,
                          const qc_group_result *results, size_t count);

/* results.jsonl: one group a line (reports/results.schema.json). Equal runs, equal bytes. */
qc_status qc_report_jsonl(FILE *out, const qc_run_info *info,
                          const qc_group_result *results, size_t count);

/* run.json (reports/run.schema.json): the run, and length and checksum of its results.jsonl. */
qc_status qc_report_run(FILE *out, const qc_run_info *info,
                        const qc_group_result *results, size_t count);

typedef struct qc_report_format {
    const char *name; /* "text", as on the command line */
    const char *file; /* "report.txt", its name in a results folder */
    qc_report_writer write;
} qc_report_format;

/* All formats that a results folder holds. */
const qc_report_format *qc_report_formats(size_t *count_ret);

/* The exit code that the claims call for, and why, in a few words. With fail_on new, groups
   that the baseline has as findings do not count. */
qc_exit qc_report_exit(const qc_run_info *info, const qc_group_result *results,
                       size_t count, char reason_ret[QC_REPORT_REASON]);

/* Writes every format into the folder, which is made when missing. All files are complete on
   disk under temporary names before the first takes its name: on failure the earlier files
   stand as they were. QC_FAULT: the message names the file and the system's reason. */
qc_status qc_results_write_folder(const char *folder, const qc_run_info *info,
                                  const qc_group_result *results, size_t count,
                                  qc_message *message);

/* A results folder that was read. */
typedef struct qc_results {
    char suite_version[16]; /* of the suite that wrote it */
    uint32_t cases_version; /* results of different versions are not comparable */
    qc_run_info info;
    qc_group_result *results;
    size_t count;
} qc_results;

/* Reads run.json and results.jsonl, strictly: every key must be there, be known and be of its
   type and range; groups must stand in order; length and checksum must agree. QC_FAULT: the
   message is one line: file, line, and what was expected. `results_ret` then holds nothing. */
qc_status qc_results_read_folder(const char *folder, qc_results *results_ret,
                                 qc_message *message);
void qc_results_free(qc_results *results);

/* What became of a finding since the baseline. It is fixed when every group that it was seen
   in was judged again, at no lower level, and no group has it now. */
typedef enum qc_change_kind {
    QC_CHANGE_NEW,
    QC_CHANGE_KNOWN,
    QC_CHANGE_FIXED,
    QC_CHANGE_UNJUDGED, /* not seen, but not judged again in full either */
    QC_CHANGE_COUNT
} qc_change_kind;

typedef struct qc_change {
    uint32_t kind;
    char id[QC_FINDING_ID];
} qc_change;

typedef struct qc_comparison {
    size_t counts[QC_CHANGE_COUNT];
    qc_change *changes; /* sorted by id */
    size_t count;
} qc_comparison;

/* Reads a baseline and says whether a run under this profile ("": as claimed) and these rows
   can be held against it: the versions of the cases and the rows must be equal. QC_FAULT: the
   message is one line, and `baseline_ret` holds nothing. */
qc_status qc_baseline_read(const char *folder, const char *profile,
                           const char *rows_digest, qc_results *baseline_ret,
                           qc_message *message);

/* QC_NO_MEMORY, else the changes, freed by qc_comparison_free. */
qc_status qc_baseline_compare(const qc_results *baseline, const qc_run_info *info,
                              const qc_group_result *results, size_t count,
                              qc_comparison *comparison_ret);
void qc_comparison_free(qc_comparison *comparison);

/* One line that counts, and one per finding that is new, fixed or not judged again. */
qc_status qc_comparison_write(FILE *out, const qc_results *baseline,
                              const qc_run_info *info, const qc_comparison *comparison);

/* "quantcert repro '<line>' --backend <given>", quoted for a shell; of info: backend_given. */
void qc_witness_repro(FILE *out, const qc_witness *witness, const qc_run_info *info);

#ifdef __cplusplus
}
#endif
#endif
