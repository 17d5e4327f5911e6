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
