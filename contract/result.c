/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void qc_group_id(const qc_group *group, char id[QC_GROUP_ID])
{
    const qc_op_info *const info = qc_op_get(group->op);
    const char *const choice = qc_attr_word(qc_op_choice(group->op), group->choice);
    size_t used = (size_t)snprintf(id, QC_GROUP_ID, "%s", info->name);
    for (uint32_t a = 0; a < info->arg_count && used < QC_GROUP_ID; a++) {
        if (group->dtypes[a] != QC_NONE) {
            used += (size_t)snprintf(id + used, QC_GROUP_ID - used, "/%s:%s",
                                     info->args[a].name, qc_dtype_name(group->dtypes[a]));
        }
    }
    if (used < QC_GROUP_ID) {
        snprintf(id + used, QC_GROUP_ID - used, "/%s/%s%s%s/%d..%d/%s",
                 group->granularity == QC_PER_CHANNEL ? "per_channel" : "per_tensor",
                 qc_attr_word(QC_ATTR_scale_form, group->scale_form), choice ? "/" : "",
                 choice ? choice : "", group->qmin, group->qmax, group->profile);
    }
}

void qc_group_dtypes(const qc_group *group, char text[QC_GROUP_DTYPES])
{
    const qc_op_info *const info = qc_op_get(group->op);
    const uint32_t body = group->dtypes[qc_op_body(group->op)];
    uint32_t output = QC_NONE;
    for (uint32_t arg = info->arg_count; arg-- > 0;) {
        if (info->args[arg].is_output && group->dtypes[arg] != QC_NONE) {
            output = group->dtypes[arg];
        }
    }
    if (output == body || output == QC_NONE) {
        snprintf(text, QC_GROUP_DTYPES, "%s", qc_dtype_name(body));
    } else {
        snprintf(text, QC_GROUP_DTYPES, "%s->%s", qc_dtype_name(body),
                 qc_dtype_name(output));
    }
}

/* What is wrong with the group. */
static const char *fault_name(const qc_group_result *result)
{
    return qc_verdict_name(result->verdict);
}

void qc_finding_id(const char *backend, const qc_group_result *result,
                   char id[QC_FINDING_ID])
{
    char dtypes[QC_GROUP_DTYPES];
    id[0] = '\0';
    if (result->claim == QC_CLAIM_DOES_NOT) {
        qc_group_dtypes(&result->group, dtypes);
        snprintf(id, QC_FINDING_ID, "%s/%s/%s/%s/%s", backend,
                 qc_op_get(result->group.op)->name, dtypes, fault_name(result),
                 result->group.profile);
    }
}

static const char *const fail_ons[QC_FAIL_ON_COUNT] = {
#define X(id, name) name,
    QC_FAIL_ONS(X)
#undef X
};

const char *qc_fail_on_name(uint32_t fail_on)
{
    return fail_on < QC_FAIL_ON_COUNT ? fail_ons[fail_on] : "?";
}

qc_fail_on qc_fail_on_find(const char *name)
{
    unsigned f = 0;
    while (f < QC_FAIL_ON_COUNT && strcmp(fail_ons[f], name)) {
        f++;
    }
    return (qc_fail_on)f;
}

void qc_group_result_free(qc_group_result *result)
{
    for (uint32_t w = 0; w < result->witness_count; w++) {
        qc_witness *const witness = &result->witnesses[w];
        free(witness->line);
        free(witness->got);
        free(witness->want);
        free(witness->position);
    }
    memset(result->witnesses, 0, sizeof result->witnesses);
    result->witness_count = 0;
}
