/* SPDX-License-Identifier: Apache-2.0 */
/* corpus/vectors/<topic>.json to vectors, one for each value of each entry. */
#include "cases.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vector_list {
    qc_vector *vectors;
    size_t count;
    size_t capacity;
    const char *folder;
    const char *file;
    qc_message *message;
} vector_list;

void qc_vectors_free(qc_vector *vectors, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        free(vectors[n].id);
        free(vectors[n].file);
        free(vectors[n].line);
        free(vectors[n].answer);
        free(vectors[n].flags);
        free(vectors[n].rationale);
    }
    free(vectors);
}

static qc_status bad(const vector_list *list, const char *place, const char *expected)
{
    return qc_fail(QC_INVALID, list->message, "%s/%s: %s: %s expected", list->folder,
                   list->file, place, expected);
}

/* The case line with profile=<name> in its place; the fallback is left out. */
static char *line_under(const char *line, const char *profile)
{
    const char *const op = strstr(line, "op=");
    const char *const rest = op != NULL ? strchr(op, ' ') : NULL;
    if (strcmp(profile, "ideal") == 0 || rest == NULL) {
        return strdup(line);
    }
    char *text = NULL;
    const int length =
        asprintf(&text, "%.*s profile=%s%s", (int)(rest - line), line, profile, rest);
    return length < 0 ? NULL : text;
}

static char *join_flags(const json_t *flags)
{
    char *text = calloc(1, 1);
    size_t n;
    json_t *flag;
    json_array_foreach(flags, n, flag)
    {
        char *longer = NULL;
        const char *const word = json_string_value(flag);
        if (text == NULL ||
            asprintf(&longer, "%s%s%s", text, n > 0 ? " " : "", word ? word : "") < 0) {
            free(text);
            return NULL;
        }
        free(text);
        text = longer;
    }
    return text;
}

static qc_status append(vector_list *list, const qc_vector *vector)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity * 2 + 64;
        qc_vector *const vectors = realloc(list->vectors, capacity * sizeof *vectors);
        if (vectors == NULL) {
            return qc_fail(QC_NO_MEMORY, list->message, "no memory for the vectors");
        }
        list->vectors = vectors;
        list->capacity = capacity;
    }
    list->vectors[list->count++] = *vector;
    const int complete = vector->id && vector->file && vector->line && vector->answer &&
                         vector->flags && vector->rationale;
    return complete ? QC_OK
                    : qc_fail(QC_NO_MEMORY, list->message, "no memory for the vectors");
}

static qc_status read_entry(vector_list *list, const json_t *entry)
{
    const char *const id = json_string_value(json_object_get(entry, "id"));
    const char *const line = json_string_value(json_object_get(entry, "case"));
    const char *const rationale = json_string_value(json_object_get(entry, "rationale"));
    const json_t *const flags = json_object_get(entry, "flags");
    json_t *const values = json_object_get(entry, "values");
    if (id == NULL || line == NULL || rationale == NULL || !json_is_array(flags)) {
        return bad(list, id != NULL ? id : "an entry", "id, case, flags and rationale");
    }
    if (json_object_size(values) == 0 || json_object_get(values, "ideal") == NULL) {
        return bad(list, id, "values with one for ideal");
    }
    const char *profile;
    json_t *value;
    json_object_foreach(values, profile, value)
    {
        if (!json_is_string(value)) {
            return bad(list, id, "an answer as text");
        }
        const qc_vector vector = {.id = strdup(id),
                                  .file = strdup(list->file),
                                  .line = line_under(line, profile),
                                  .answer = strdup(json_string_value(value)),
                                  .flags = join_flags(flags),
                                  .rationale = strdup(rationale)};
        const qc_status status = append(list, &vector);
        if (status != QC_OK) {
            return status;
        }
    }
    return QC_OK;
}

static qc_status read_file(vector_list *list)
{
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", list->folder, list->file);
    json_t *const root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        return qc_fail(QC_INVALID, list->message, "%s:%d: %s", path, error.line,
                       error.text);
    }
    const json_t *const entries = json_object_get(root, "vectors");
    qc_status status = QC_OK;
    if (json_integer_value(json_object_get(root, "schema")) != 1 ||
        !json_is_array(entries)) {
        status = bad(list, "top", "\"schema\": 1 and a list \"vectors\"");
    }
    for (size_t n = 0; status == QC_OK && n < json_array_size(entries); n++) {
        status = read_entry(list, json_array_get(entries, n));
    }
    json_decref(root);
    return status;
}

static int is_vector_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 &&
           strcmp(entry->d_name, "schema.json") != 0;
}

qc_status qc_vectors_read(const char *folder, qc_vector **vectors_ret, size_t *count_ret,
                          qc_message *message)
{
    vector_list list = {.folder = folder, .message = message};
    struct dirent **entries = NULL;
    const int files = scandir(folder, &entries, is_vector_file, alphasort);
    qc_status status = QC_OK;
    if (files < 0) {
        return qc_fail(QC_INVALID, message, "%s: %s; a folder of vectors expected",
                       folder, strerror(errno));
    }
    for (int n = 0; n < files; n++) {
        list.file = entries[n]->d_name;
        status = status == QC_OK ? read_file(&list) : status;
        free(entries[n]);
    }
    free(entries);
    if (status != QC_OK) {
        qc_vectors_free(list.vectors, list.count);
        return status;
    }
    *vectors_ret = list.vectors;
    *count_ret = list.count;
    return QC_OK;
}
