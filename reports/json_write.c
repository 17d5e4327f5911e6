/* SPDX-License-Identifier: Apache-2.0 */
/* run.json and results.jsonl. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "rows.h"

static json_t *dtypes_node(const qc_group *group)
{
    const qc_op_info *op = qc_op_get(group->op);
    json_t *node = json_object();
    int failed = 0;
    for (uint32_t arg = 0; arg < op->arg_count; arg++) {
        if (group->dtypes[arg] != QC_NONE) {
            failed |= json_object_set_new(node, op->args[arg].name,
                                          json_string(qc_dtype_name(group->dtypes[arg])));
        }
    }
    if (!failed) {
        return node;
    }
    json_decref(node);
    return NULL;
}

/* Verdicts that did not occur are left out. */
static json_t *counts_node(const qc_group_result *result)
{
    json_t *node = json_object();
    int failed = 0;
    for (uint32_t verdict = 0; verdict < QC_VERDICT_COUNT; verdict++) {
        if (result->counts[verdict] != 0) {
            failed |= json_object_set_new(node, qc_verdict_name(verdict),
                                          json_integer(result->counts[verdict]));
        }
    }
    if (!failed) {
        return node;
    }
    json_decref(node);
    return NULL;
}

static json_t *record_node(const qc_field_table *table, const void *record)
{
    json_t *node = json_object();
    if (!qc_fields_write(node, table, record)) {
        return node;
    }
    json_decref(node);
    return NULL;
}

static json_t *records_node(const qc_field_table *table, const void *records,
                            size_t count, size_t record_bytes)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        failed |= json_array_append_new(
            array, record_node(table, (const char *)records + i * record_bytes));
    }
    if (!failed) {
        return array;
    }
    json_decref(array);
    return NULL;
}

static json_t *result_node(const qc_run_info *info, const qc_group_result *result)
{
    char id[QC_GROUP_ID], finding[QC_FINDING_ID];
    json_t *node = json_object();
    qc_group_id(&result->group, id);
    qc_finding_id(info->backend, result, finding);
    int failed = qc_fields_write(node, &qc_group_fields, &result->group);
    failed |= qc_fields_write(node, &qc_result_fields, result);
    failed |= json_object_set_new(node, "group", qc_json_text(id));
    failed |= json_object_set_new(node, "finding", qc_json_text(finding));
    failed |= json_object_set_new(node, "dtypes", dtypes_node(&result->group));
    failed |= json_object_set_new(node, "limits",
                                  record_node(&qc_limits_fields, &result->group.limits));
    failed |= json_object_set_new(node, "counts", counts_node(result));
    failed |=
        json_object_set_new(node, "rivals",
                            records_node(&qc_rival_fields, result->rivals,
                                         result->rival_count, sizeof result->rivals[0]));
    failed |= json_object_set_new(node, "witnesses",
                                  records_node(&qc_witness_fields, result->witnesses,
                                               result->witness_count,
                                               sizeof result->witnesses[0]));
    if (!failed) {
        return node;
    }
    json_decref(node);
    return NULL;
}

static qc_status dump(FILE *out, json_t *node, size_t flags)
{
    const int failed = node == NULL || json_dumpf(node, out, flags | JSON_SORT_KEYS) != 0;
    fputc('\n', out);
    json_decref(node);
    if (node == NULL) {
        return QC_NO_MEMORY;
    }
    return failed ? QC_FAULT : QC_OK;
}

qc_status qc_report_jsonl(FILE *out, const qc_run_info *info,
                          const qc_group_result *results, size_t count)
{
    const qc_group_result **sorted = qc_results_sort(results, count);
    qc_status status = sorted ? QC_OK : QC_NO_MEMORY;
    for (size_t i = 0; i < count && status == QC_OK; i++) {
        status = dump(out, result_node(info, sorted[i]), JSON_COMPACT);
    }
    free(sorted);
    return status == QC_OK ? qc_out_status(out) : status;
}

/* Length and checksum of the results.jsonl that goes with this run.json. */
static json_t *digest_node(const qc_run_info *info, const qc_group_result *results,
                           size_t count)
{
    char *bytes = NULL, checksum[24];
    size_t length = 0;
    json_t *node = NULL;
    FILE *memory = open_memstream(&bytes, &length);
    if (memory == NULL) {
        return NULL;
    }
    const qc_status status = qc_report_jsonl(memory, info, results, count);
    if (fclose(memory) == 0 && status == QC_OK) {
        snprintf(checksum, sizeof checksum, "%016" PRIx64, qc_checksum(bytes, length));
        node = json_pack("{s:I, s:s, s:I}", "bytes", (json_int_t)length, "fnv1a64",
                         checksum, "groups", (json_int_t)count);
    }
    free(bytes);
    return node;
}

static json_t *facts_node(const qc_run_info *info)
{
    json_t *node = json_object();
    int failed = 0;
    for (uint32_t i = 0; i < info->fact_count; i++) {
        failed |= json_object_set_new(node, info->facts[i].key,
                                      qc_json_text(info->facts[i].value));
    }
    if (!failed) {
        return node;
    }
    json_decref(node);
    return NULL;
}

qc_status qc_report_run(FILE *out, const qc_run_info *info,
                        const qc_group_result *results, size_t count)
{
    json_t *node = json_object();
    int failed = qc_fields_write(node, &qc_run_fields, info);
    failed |= json_object_set_new(node, "format", json_integer(QC_RUN_FORMAT));
    failed |= json_object_set_new(node, "suite_version", json_string(QC_VERSION));
    failed |= json_object_set_new(node, "cases_version", json_integer(QC_CASES_VERSION));
    failed |= json_object_set_new(node, "facts", facts_node(info));
    failed |= json_object_set_new(node, "results", digest_node(info, results, count));
    if (failed) {
        json_decref(node);
        return QC_NO_MEMORY;
    }
    const qc_status status = dump(out, node, JSON_INDENT(2));
    return status == QC_OK ? qc_out_status(out) : status;
}
