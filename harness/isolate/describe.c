/* SPDX-License-Identifier: Apache-2.0 */
/* A description crosses in shared memory: flattened by the child, where a lying pointer ends
   the child alone, checked and rebuilt by the parent. */
#include <stdlib.h>
#include <string.h>

#include "harness/isolate/shared.h"
#include "quantcert/profile.h"

/* Copies a bounded string; 0 when there is none or no end to it. */
static int copy_name(const char *from, char to[QC_NAME_BYTES])
{
    if (!from || strnlen(from, QC_NAME_BYTES) == QC_NAME_BYTES) {
        return 0;
    }
    strcpy(to, from);
    return 1;
}

static qc_status flatten_claims(const qc_capability *capability, uint32_t index,
                                qc_flat_description *flat, qc_message *message)
{
    uint32_t count = 0;
    while (count < QC_MAX_CLAIMS && capability->claims[count]) {
        if (!copy_name(capability->claims[count], flat->claims[index][count])) {
            return qc_fail(
                QC_FAULT, message,
                "describe: capabilities[%u].claims[%u] is longer than %u bytes", index,
                count, QC_NAME_BYTES - 1);
        }
        count++;
    }
    if (count == QC_MAX_CLAIMS) {
        return qc_fail(
            QC_FAULT, message,
            "describe: capabilities[%u].claims has no NULL among its %d entries", index,
            QC_MAX_CLAIMS);
    }
    return QC_OK;
}

static qc_status flatten(const qc_description *description, qc_flat_description *flat,
                         qc_message *message)
{
    if (description->size_bytes != sizeof *description) {
        return qc_fail(QC_FAULT, message, "describe: size_bytes is %u, expected %zu",
                       description->size_bytes, sizeof *description);
    }
    if (!copy_name(description->name, flat->name) ||
        !copy_name(description->version, flat->version)) {
        return qc_fail(QC_FAULT, message,
                       "describe: name and version must be strings of at most %u bytes",
                       QC_NAME_BYTES - 1);
    }
    if (description->capability_count > QC_MAX_CAPABILITIES ||
        (description->capability_count && !description->capabilities)) {
        return qc_fail(QC_FAULT, message,
                       "describe: %u capabilities at %s, expected an array of at most %u",
                       description->capability_count,
                       description->capabilities ? "an address" : "NULL",
                       QC_MAX_CAPABILITIES);
    }
    flat->capability_count = description->capability_count;
    for (uint32_t i = 0; i < flat->capability_count; i++) {
        flat->capabilities[i] = description->capabilities[i];
        const qc_status status =
            flatten_claims(&description->capabilities[i], i, flat, message);
        if (status != QC_OK) {
            return status;
        }
    }
    return QC_OK;
}

void qc_flatten(const qc_description *description, qc_flat_description *flat_ret,
                qc_answer_record *answer)
{
    memset(flat_ret, 0, sizeof *flat_ret);
    answer->status = flatten(description, flat_ret, &answer->message);
}

/* NULL, or the field that holds what no capability can. */
static const char *wrong_field(const qc_capability *c)
{
    const uint32_t dtypes = (1u << QC_DTYPE_COUNT) - 1;
    if (c->op >= QC_OP_COUNT) {
        return "op";
    }
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        if (c->arg_dtypes[arg] & ~dtypes) {
            return "arg_dtypes";
        }
    }
    return c->granularities & ~(QC_PER_TENSOR | QC_PER_CHANNEL)    ? "granularities"
           : c->scale_forms & ~(QC_FORM_DIVIDE | QC_FORM_MULTIPLY) ? "scale_forms"
           : c->grids & ~(QC_GRID_FULL | QC_GRID_NARROW)           ? "grids"
           : c->max_rank > QC_MAX_RANK                             ? "max_rank"
           : c->min_rank > c->max_rank                             ? "min_rank"
           : c->alignment_bytes > 4096 || c->alignment_bytes & (c->alignment_bytes - 1)
               ? "alignment_bytes"
           : c->max_elems < 0                                       ? "max_elems"
           : !(c->scale_low >= 0)                                   ? "scale_low"
           : !(c->scale_high == 0 || c->scale_high >= c->scale_low) ? "scale_high"
           : c->zero_points & ~(QC_ZP_COMMON | QC_ZP_ZERO)          ? "zero_points"
           : c->shift_low > c->shift_high                           ? "shift_low"
           : c->min_terms < 0                                       ? "min_terms"
           : c->max_terms < 0                                       ? "max_terms"
           : !(c->multiplier_low >= 0)                              ? "multiplier_low"
           : !(c->multiplier_high == 0 || c->multiplier_high >= c->multiplier_low)
               ? "multiplier_high"
               : NULL;
}

qc_status qc_unflatten(qc_flat_description *flat, qc_description *description_ret,
                       qc_message *message)
{
    flat->name[QC_NAME_BYTES - 1] = flat->version[QC_NAME_BYTES - 1] = '\0';
    if (flat->capability_count > QC_MAX_CAPABILITIES) {
        return qc_fail(QC_FAULT, message, "describe: too many capabilities");
    }
    for (uint32_t i = 0; i < flat->capability_count; i++) {
        qc_capability *capability = &flat->capabilities[i];
        const char *field = wrong_field(capability);
        if (field) {
            return qc_fail(QC_FAULT, message,
                           "describe: capabilities[%u].%s is out of range", i, field);
        }
        for (uint32_t k = 0; k < QC_MAX_CLAIMS; k++) {
            char *claim = flat->claims[i][k];
            claim[QC_NAME_BYTES - 1] = '\0';
            capability->claims[k] = claim[0] ? claim : NULL;
            if (claim[0] && !qc_profile_exists(claim)) {
                return qc_fail(QC_FAULT, message,
                               "describe: capabilities[%u].claims[%u]: unknown profile "
                               "'%.60s'; `quantcert list profiles` names them",
                               i, k, claim);
            }
        }
    }
    *description_ret = (qc_description){.size_bytes = sizeof *description_ret,
                                        .capability_count = flat->capability_count,
                                        .capabilities = flat->capabilities,
                                        .name = flat->name,
                                        .version = flat->version};
    return QC_OK;
}
