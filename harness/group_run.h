/* SPDX-License-Identifier: Apache-2.0 */
/* One group: its cases through the isolated backend, the oracles and the judge. */
#ifndef QUANTCERT_GROUP_RUN_H
#define QUANTCERT_GROUP_RUN_H

#include "harness/isolate.h"
#include "quantcert/result.h"

/* QC_OK whatever the backend did; QC_FAULT: the suite or its oracles are at fault. The
   result's strings are freed by qc_group_result_free. */
qc_status qc_group_run(qc_isolate *isolate, const qc_group *group, uint32_t level,
                       uint64_t seed, qc_group_result *result_ret, qc_message *message);

/* One case on its own, as `repro` does: the verdict, with a witness in the result. */
qc_status qc_case_run(qc_isolate *isolate, const qc_case *item,
                      qc_group_result *result_ret, qc_message *message);

/* The group that a case belongs to. */
void qc_group_of_case(const qc_case *item, qc_group *group_ret);

#endif
