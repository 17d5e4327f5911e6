/* SPDX-License-Identifier: Apache-2.0 */
/* The object of run.json. */
#include <inttypes.h>
#include <string.h>

#include "read.h"

static qc_status read_facts(json_t *node, qc_run_info *info, qc_message *message)
{
    const char *key;
    json_t *value;
    const size_t most = sizeof info->facts / sizeof info->facts[0];
    json_object_foreach(node, key, value)
    {
        if (info->fact_count == most) {
            return qc_fail(QC_INVALID, message, "expected at most %zu facts", most);
        }
        qc_fact *fact = &info->facts[info->fact_count++];
        if (!json_is_string(value) || strlen(key) >= sizeof fact->key ||
            json_string_length(value) >= sizeof fact->value) {
            return qc_fail(QC_INVALID, message,
                           "expected facts of short strings, not \"%.40s\"", key);
        }
        strcpy(fact->key, key);
        strcpy(fact->value, json_string_value(value));
    }
    return QC_OK;
}

static qc_status read_digest(json_t *node, qc_digest *digest_ret, qc_message *message)
{
    json_t *bytes = qc_json_get(node, "bytes", JSON_INTEGER, message);
    json_t *groups = bytes ? qc_json_get(node, "groups", JSON_INTEGER, message) : NULL;
    json_t *checksum = groups ? qc_json_get(node, "fnv1a64", JSON_STRING, message) : NULL;
    if (checksum == NULL) {
        return QC_INVALID;
    }
    if (json_string_length(checksum) != 16) {
        return qc_fail(QC_INVALID, message, "expected \"fnv1a64\" of 16 hex digits");
    }
    digest_ret->bytes = json_integer_value(bytes);
    digest_ret->groups = json_integer_value(groups);
    memcpy(digest_ret->checksum, json_string_value(checksum), 17);
    return qc_json_only(node, 3, "results", message);
}

static qc_status read_versions(json_t *node, qc_results *results, qc_message *message)
{
    json_t *format = qc_json_get(node, "format", JSON_INTEGER, message);
    if (format == NULL) {
        return QC_INVALID;
    }
    if (json_integer_value(format) != QC_RUN_FORMAT) {
        return qc_fail(QC_INVALID, message, "expected \"format\" %d, found %" PRId64,
                       QC_RUN_FORMAT, (int64_t)json_integer_value(format));
    }
    static const qc_field rows[] = {
        {"suite_version", QC_FIELD_TEXT, offsetof(qc_results, suite_version),
         sizeof((qc_results *)NULL)->suite_version, 0, NULL},
        {"cases_version", QC_FIELD_U32, offsetof(qc_results, cases_version), 0, 0, NULL},
    };
    static const qc_field_table versions = {"the run", rows, 2};
    return qc_fields_read(node, &versions, results, message);
}

qc_status qc_run_read(json_t *node, qc_results *results, qc_digest *digest_ret,
                      qc_message *message)
{
    qc_status status = read_versions(node, results, message);
    if (status == QC_OK) {
        status = qc_fields_read(node, &qc_run_fields, &results->info, message);
    }
    if (status != QC_OK) {
        return status;
    }
    json_t *facts = qc_json_get(node, "facts", JSON_OBJECT, message);
    json_t *digests = facts ? qc_json_get(node, "results", JSON_OBJECT, message) : NULL;
    status = digests ? read_facts(facts, &results->info, message) : QC_INVALID;
    if (status == QC_OK) {
        status = read_digest(digests, digest_ret, message);
    }
    return status == QC_OK
               ? qc_json_only(node, qc_run_fields.count + 5, "the run", message)
               : status;
}
