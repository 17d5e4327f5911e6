/* SPDX-License-Identifier: Apache-2.0 */
/* Records to JSON objects and back, by table. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

json_t *qc_json_text(const char *text)
{
    json_t *node = json_string(text != NULL ? text : "");
    if (node != NULL) {
        return node;
    }
    char *plain = strdup(text);
    if (plain == NULL) {
        return NULL;
    }
    for (char *at = plain; *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80) {
            *at = '?';
        }
    }
    node = json_string(plain);
    free(plain);
    return node;
}

static json_t *real_node(double value)
{
    char hex[40];
    json_t *decimal = isfinite(value) ? json_real(value) : json_null();
    snprintf(hex, sizeof hex, "%a", value);
    return json_pack("{s:o, s:s}", "decimal", decimal, "hex", hex);
}

static json_t *field_node(const qc_field *field, const char *member)
{
    char text[24];
    switch (field->kind) {
    case QC_FIELD_I32: return json_integer(*(const int32_t *)(const void *)member);
    case QC_FIELD_U32: return json_integer(*(const uint32_t *)(const void *)member);
    case QC_FIELD_COUNT: return json_integer(*(const int64_t *)(const void *)member);
    case QC_FIELD_U64:
        snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)(const void *)member);
        return json_string(text);
    case QC_FIELD_REAL: return real_node(*(const double *)(const void *)member);
    case QC_FIELD_TEXT: return qc_json_text(member);
    case QC_FIELD_OWNED: return qc_json_text(*(char *const *)(const void *)member);
    case QC_FIELD_WORD:
        return json_string(field->word(*(const uint32_t *)(const void *)member));
    }
    return NULL;
}

int qc_fields_write(json_t *object, const qc_field_table *table, const void *record)
{
    int failed = 0;
    for (size_t i = 0; i < table->count; i++) {
        const qc_field *field = &table->fields[i];
        const char *member = (const char *)record + field->offset;
        failed |= json_object_set_new(object, field->key, field_node(field, member));
    }
    return failed;
}

json_t *qc_json_get(json_t *object, const char *key, json_type type, qc_message *message)
{
    static const char *const names[] = {"object", "array", "string", "integer", "real"};
    json_t *node = json_object_get(object, key);
    if (node != NULL && json_typeof(node) == type) {
        return node;
    }
    qc_fail(QC_INVALID, message, "expected \"%s\", of type %s%s", key, names[type],
            node == NULL ? "; it is missing" : "");
    return NULL;
}

qc_status qc_json_only(json_t *object, size_t count, const char *what,
                       qc_message *message)
{
    if (json_object_size(object) == count) {
        return QC_OK;
    }
    return qc_fail(QC_INVALID, message, "expected %zu keys in %s, found %zu", count, what,
                   json_object_size(object));
}

static qc_status read_integer(json_t *object, const qc_field *field, int64_t low,
                              int64_t high, int64_t *value_ret, qc_message *message)
{
    json_t *node = qc_json_get(object, field->key, JSON_INTEGER, message);
    if (node == NULL) {
        return QC_INVALID;
    }
    *value_ret = json_integer_value(node);
    if (*value_ret >= low && *value_ret <= high) {
        return QC_OK;
    }
    return qc_fail(QC_INVALID, message, "expected \"%s\" in %" PRId64 " ... %" PRId64,
                   field->key, low, high);
}

static qc_status read_u64(const char *text, const qc_field *field, uint64_t *value_ret,
                          qc_message *message)
{
    char again[24];
    *value_ret = strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, *value_ret);
    if (strcmp(text, again) == 0) {
        return QC_OK;
    }
    return qc_fail(QC_INVALID, message, "expected \"%s\", a decimal below 2^64",
                   field->key);
}

/* The hexfloat is the value; text that the writer would not write is refused. */
static qc_status read_real(json_t *object, const qc_field *field, double *value_ret,
                           qc_message *message)
{
    char again[40];
    json_t *node = qc_json_get(object, field->key, JSON_OBJECT, message);
    json_t *decimal = json_object_get(node, "decimal");
    const char *hex = json_string_value(json_object_get(node, "hex"));
    if (node == NULL) {
        return QC_INVALID;
    }
    if (hex != NULL && json_object_size(node) == 2) {
        *value_ret = strtod(hex, NULL);
        snprintf(again, sizeof again, "%a", *value_ret);
        const int agrees =
            isfinite(*value_ret)
                ? json_is_real(decimal) && json_real_value(decimal) == *value_ret
                : json_is_null(decimal);
        if (agrees && strcmp(again, hex) == 0) {
            return QC_OK;
        }
    }
    return qc_fail(QC_INVALID, message,
                   "expected \"%s\" as {\"decimal\", \"hex\"}, one value", field->key);
}

static qc_status read_word(const char *text, const qc_field *field, uint32_t *value_ret,
                           qc_message *message)
{
    for (uint32_t value = 0; value < field->word_count; value++) {
        const char *word = field->word(value);
        if (word != NULL && strcmp(word, text) == 0) {
            *value_ret = value;
            return QC_OK;
        }
    }
    return qc_fail(QC_INVALID, message, "expected a known \"%s\", found \"%.40s\"",
                   field->key, text);
}

static qc_status read_string(json_t *object, const qc_field *field, void *member,
                             qc_message *message)
{
    json_t *node = qc_json_get(object, field->key, JSON_STRING, message);
    const char *text = json_string_value(node);
    if (text == NULL) {
        return QC_INVALID;
    }
    if (field->kind == QC_FIELD_U64) {
        return read_u64(text, field, member, message);
    }
    if (field->kind == QC_FIELD_WORD) {
        return read_word(text, field, member, message);
    }
    if (field->kind == QC_FIELD_OWNED) {
        *(char **)member = strdup(text);
        return *(char **)member ? QC_OK
                                : qc_fail(QC_NO_MEMORY, message, "memory is short");
    }
    if (strlen(text) >= field->bytes) {
        return qc_fail(QC_INVALID, message, "expected \"%s\" of at most %zu bytes",
                       field->key, field->bytes - 1);
    }
    strcpy(member, text);
    return QC_OK;
}

static qc_status read_field(json_t *object, const qc_field *field, void *member,
                            qc_message *message)
{
    int64_t value = 0;
    qc_status status;
    switch (field->kind) {
    case QC_FIELD_I32:
        status = read_integer(object, field, INT32_MIN, INT32_MAX, &value, message);
        *(int32_t *)member = (int32_t)value;
        return status;
    case QC_FIELD_U32:
        status = read_integer(object, field, 0, UINT32_MAX, &value, message);
        *(uint32_t *)member = (uint32_t)value;
        return status;
    case QC_FIELD_COUNT:
        return read_integer(object, field, 0, INT64_MAX, member, message);
    case QC_FIELD_REAL: return read_real(object, field, member, message);
    default: return read_string(object, field, member, message);
    }
}

qc_status qc_fields_read(json_t *object, const qc_field_table *table, void *record,
                         qc_message *message)
{
    qc_status status = QC_OK;
    for (size_t i = 0; i < table->count && status == QC_OK; i++) {
        const qc_field *field = &table->fields[i];
        status = read_field(object, field, (char *)record + field->offset, message);
    }
    return status;
}

uint64_t qc_checksum(const char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a 64: offset basis and prime */
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
