/* SPDX-License-Identifier: Apache-2.0 */
/* One object of results.jsonl. */
#include <string.h>

#include "read.h"

static qc_status read_dtypes(json_t *node, qc_group *group, qc_message *message)
{
    const qc_op_info *op = qc_op_get(group->op);
    size_t found = 0;
    for (uint32_t arg = 0; arg < op->arg_count; arg++) {
        const char *name = json_string_value(json_object_get(node, op->args[arg].name));
        if (name == NULL) {
            continue;
        }
        found++;
        group->dtypes[arg] = qc_dtype_find(name, strlen(name));
        if (group->dtypes[arg] == QC_NONE) {
            return qc_fail(QC_INVALID, message, "expected a dtype, found \"%.40s\"",
                           name);
        }
    }
    return qc_json_only(node, found, "dtypes", message);
}

static qc_status read_counts(json_t *node, qc_group_result *result, qc_message *message)
{
    size_t found = 0;
    for (uint32_t verdict = 0; verdict < QC_VERDICT_COUNT; verdict++) {
        json_t *count = json_object_get(node, qc_verdict_name(verdict));
        if (count == NULL) {
            continue;
        }
        found++;
        result->counts[verdict] = json_integer_value(count);
        if (!json_is_integer(count) || result->counts[verdict] <= 0) {
            return qc_fail(QC_INVALID, message, "expected \"%s\", an integer above 0",
                           qc_verdict_name(verdict));
        }
    }
    return qc_json_only(node, found, "counts", message);
}

/* `count_ret` counts what was read, so that the result can be freed at any point. */
static qc_status read_records(json_t *object, const char *key,
                              const qc_field_table *table, void *records,
                              size_t record_bytes, size_t most, uint32_t *count_ret,
                              qc_message *message)
{
    json_t *array = qc_json_get(object, key, JSON_ARRAY, message);
    if (array == NULL) {
        return QC_INVALID;
    }
    if (json_array_size(array) > most) {
        return qc_fail(QC_INVALID, message, "expected at most %zu in \"%s\"", most, key);
    }
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *node = json_array_get(array, i);
        ++*count_ret;
        qc_status status =
            qc_fields_read(node, table, (char *)records + i * record_bytes, message);
        if (status == QC_OK) {
            status = qc_json_only(node, table->count, table->what, message);
        }
        if (status != QC_OK) {
            return status;
        }
    }
    return QC_OK;
}

static qc_status read_nested(json_t *node, qc_group_result *result, qc_message *message)
{
    json_t *dtypes = qc_json_get(node, "dtypes", JSON_OBJECT, message);
    json_t *counts = dtypes ? qc_json_get(node, "counts", JSON_OBJECT, message) : NULL;
    json_t *limits = counts ? qc_json_get(node, "limits", JSON_OBJECT, message) : NULL;
    qc_status status = limits ? read_dtypes(dtypes, &result->group, message) : QC_INVALID;
    if (status == QC_OK) {
        status = read_counts(counts, result, message);
    }
    if (status == QC_OK) {
        status =
            qc_fields_read(limits, &qc_limits_fields, &result->group.limits, message);
    }
    if (status == QC_OK) {
        status = qc_json_only(limits, qc_limits_fields.count, "limits", message);
    }
    if (status == QC_OK) {
        status = read_records(node, "rivals", &qc_rival_fields, result->rivals,
                              sizeof result->rivals[0], QC_MAX_RIVALS,
                              &result->rival_count, message);
    }
    if (status == QC_OK) {
        status = read_records(node, "witnesses", &qc_witness_fields, result->witnesses,
                              sizeof result->witnesses[0], QC_MAX_WITNESSES,
                              &result->witness_count, message);
    }
    return status;
}

/* An id is redundant: it must be that of the members. */
static qc_status check_id(json_t *node, const char *key, const char *id,
                          qc_message *message)
{
    json_t *found = qc_json_get(node, key, JSON_STRING, message);
    if (found == NULL) {
        return QC_INVALID;
    }
    return strcmp(id, json_string_value(found)) == 0
               ? QC_OK
               : qc_fail(QC_INVALID, message, "expected \"%s\" \"%.90s\"", key, id);
}

qc_status qc_result_read(json_t *node, const char *backend, qc_group_result *result,
                         qc_message *message)
{
    char id[QC_GROUP_ID], finding[QC_FINDING_ID];
    qc_status status = qc_fields_read(node, &qc_group_fields, &result->group, message);
    result->group.limits.op = result->group.op;
    if (status == QC_OK) {
        status = qc_fields_read(node, &qc_result_fields, result, message);
    }
    if (status == QC_OK) {
        status = read_nested(node, result, message);
    }
    if (status == QC_OK) {
        qc_group_id(&result->group, id);
        status = check_id(node, "group", id, message);
    }
    if (status == QC_OK) {
        qc_finding_id(backend, result, finding);
        status = check_id(node, "finding", finding, message);
    }
    return status == QC_OK
               ? qc_json_only(node, qc_group_fields.count + qc_result_fields.count + 7,
                              "the group", message)
               : status;
}
