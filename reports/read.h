/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a results folder, read strictly. Messages say what was expected; the caller
   adds file and line. */
#ifndef QC_REPORTS_READ_H
#define QC_REPORTS_READ_H

#include "fields.h"

/* What run.json says of results.jsonl. */
typedef struct qc_digest {
    int64_t bytes;
    int64_t groups;
    char checksum[17];
} qc_digest;

qc_status qc_run_read(json_t *node, qc_results *results, qc_digest *digest_ret,
                      qc_message *message);

/* On failure, too, `result` is fit for qc_group_result_free. */
qc_status qc_result_read(json_t *node, const char *backend, qc_group_result *result,
                         qc_message *message);

#endif
