/* SPDX-License-Identifier: Apache-2.0 */
/* A whole run: every group that a backend offers, on several processes. */
#ifndef QUANTCERT_RUN_H
#define QUANTCERT_RUN_H

#include "harness/isolate.h"
#include "quantcert/result.h"

typedef struct qc_run_options {
    const char *backend; /* built-in name, or a path */
    const char *profile; /* NULL: the first that each capability claims */
    uint32_t ops;        /* set of 1 << qc_op; 0: all */
    uint32_t level;      /* qc_level */
    uint64_t seed;
    int jobs;     /* processes; 0: one per CPU */
    int progress; /* 1: a line with an ETA on stderr */
    qc_isolate_options isolate;
} qc_run_options;

typedef struct qc_run {
    qc_run_info info;
    qc_group_result *results;
    size_t count;
} qc_run;

/* QC_INVALID: unknown backend name. QC_FAULT with *exit_ret set to QC_EXIT_CANNOT_LOAD or
   QC_EXIT_SUITE_FAULT: the backend cannot be loaded, or the suite is at fault. A backend that
   offers none of the ops gives QC_OK and no results. */
qc_status qc_run_all(const qc_run_options *options, qc_run *run_ret, qc_exit *exit_ret,
                     qc_message *message);
void qc_run_free(qc_run *run);

/* Hex SHA-256 of all profile rows, or of those of one profile. */
void qc_rows_digest(const char *profile, char text[72]);

/* Environment, versions and digests of a run. */
void qc_run_info_fill(qc_run_info *info, const qc_run_options *options,
                      const qc_description *description);

#endif
