/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a results folder, and refuses what its writer would not have written. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

typedef struct text_file {
    char path[512];
    char *bytes;
    size_t length;
} text_file;

static qc_status file_read(const char *folder, const char *name, text_file *file_ret,
                           qc_message *message)
{
    size_t room = 1 << 16;
    *file_ret = (text_file){.bytes = malloc(room)};
    snprintf(file_ret->path, sizeof file_ret->path, "%s/%s", folder, name);
    FILE *in = fopen(file_ret->path, "rb");
    if (in == NULL) {
        return qc_fail(QC_FAULT, message, "%.160s: cannot be opened: %s", file_ret->path,
                       strerror(errno));
    }
    while (file_ret->bytes != NULL) {
        file_ret->length +=
            fread(file_ret->bytes + file_ret->length, 1, room - file_ret->length, in);
        if (file_ret->length < room) {
            break;
        }
        char *larger = realloc(file_ret->bytes, room *= 2);
        if (larger == NULL) {
            free(file_ret->bytes);
        }
        file_ret->bytes = larger;
    }
    const int failed = ferror(in);
    fclose(in);
    if (file_ret->bytes == NULL) {
        return qc_fail(QC_NO_MEMORY, message, "%.160s: memory is short", file_ret->path);
    }
    return failed ? qc_fail(QC_FAULT, message, "%.160s: cannot be read", file_ret->path)
                  : QC_OK;
}

static qc_status fail_at(const text_file *file, size_t line, const qc_message *reason,
                         qc_message *message)
{
    return qc_fail(QC_FAULT, message, "%.100s:%zu: %.120s", file->path, line,
                   reason->text);
}

/* One JSON object; NULL with file and line in the message. */
static json_t *parse(const text_file *file, size_t line, const char *bytes, size_t length,
                     qc_message *message)
{
    json_error_t error;
    qc_message reason;
    json_t *node = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(node)) {
        return node;
    }
    if (node == NULL) {
        qc_fail(QC_INVALID, &reason, "expected a JSON object: %s", error.text);
    } else {
        qc_fail(QC_INVALID, &reason, "expected a JSON object");
    }
    fail_at(file, line + (node == NULL && error.line > 0 ? (size_t)error.line - 1 : 0),
            &reason, message);
    json_decref(node);
    return NULL;
}

static qc_status read_run(const text_file *file, qc_results *results,
                          qc_digest *digest_ret, qc_message *message)
{
    qc_message reason;
    json_t *node = parse(file, 1, file->bytes, file->length, message);
    if (node == NULL) {
        return QC_FAULT;
    }
    qc_status status = qc_run_read(node, results, digest_ret, &reason);
    if (status == QC_OK && file->bytes[file->length - 1] != '\n') {
        status = qc_fail(QC_INVALID, &reason, "expected a newline at the end");
    }
    json_decref(node);
    return status == QC_OK ? QC_OK : fail_at(file, 1, &reason, message);
}

static qc_status check_order(const qc_group_result *results, size_t at,
                             qc_message *message)
{
    char before[QC_GROUP_ID], now[QC_GROUP_ID];
    if (at == 0 || results[at - 1].group.op < results[at].group.op) {
        return QC_OK;
    }
    qc_group_id(&results[at - 1].group, before);
    qc_group_id(&results[at].group, now);
    if (results[at - 1].group.op == results[at].group.op && strcmp(before, now) < 0) {
        return QC_OK;
    }
    return qc_fail(QC_INVALID, message,
                   "expected groups sorted by (op, group), each once");
}

static qc_status read_line(const text_file *file, size_t line, const char *bytes,
                           size_t length, qc_results *results, qc_message *message)
{
    qc_message reason;
    json_t *node = parse(file, line, bytes, length, message);
    if (node == NULL) {
        return QC_FAULT;
    }
    qc_status status = qc_result_read(node, results->info.backend,
                                      &results->results[results->count++], &reason);
    if (status == QC_OK) {
        status = check_order(results->results, results->count - 1, &reason);
    }
    json_decref(node);
    return status == QC_OK ? QC_OK : fail_at(file, line, &reason, message);
}

static qc_status check_digest(const text_file *file, const qc_digest *said,
                              const qc_results *results, qc_message *message)
{
    qc_message reason;
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016" PRIx64,
             qc_checksum(file->bytes, file->length));
    if (said->groups != (int64_t)results->count) {
        qc_fail(QC_INVALID, &reason,
                "expected %" PRId64 " groups as run.json says, found %zu", said->groups,
                results->count);
    } else if (said->bytes != (int64_t)file->length ||
               strcmp(said->checksum, checksum) != 0) {
        qc_fail(QC_INVALID, &reason, "expected checksum %s as run.json says, found %s",
                said->checksum, checksum);
    } else {
        return QC_OK;
    }
    return fail_at(file, results->count, &reason, message);
}

static qc_status read_lines(const text_file *file, const qc_digest *said,
                            qc_results *results, qc_message *message)
{
    size_t lines = 0;
    qc_status status = QC_OK;
    for (size_t i = 0; i < file->length; i++) {
        lines += file->bytes[i] == '\n';
    }
    results->results = calloc(lines + 1, sizeof *results->results);
    if (results->results == NULL) {
        return qc_fail(QC_NO_MEMORY, message, "%.160s: memory is short", file->path);
    }
    const char *at = file->bytes;
    const char *end = file->bytes + file->length;
    for (size_t line = 1; at < end && status == QC_OK; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL) {
            return qc_fail(QC_FAULT, message,
                           "%.100s:%zu: cut short: expected a JSON object and a newline",
                           file->path, line);
        }
        status = read_line(file, line, at, (size_t)(newline - at), results, message);
        at = newline + 1;
    }
    return status == QC_OK ? check_digest(file, said, results, message) : status;
}

qc_status qc_results_read_folder(const char *folder, qc_results *results_ret,
                                 qc_message *message)
{
    text_file run = {.bytes = NULL}, lines = {.bytes = NULL};
    qc_digest said = {0};
    *results_ret = (qc_results){.count = 0};
    qc_status status = file_read(folder, "run.json", &run, message);
    if (status == QC_OK) {
        status = file_read(folder, "results.jsonl", &lines, message);
    }
    if (status == QC_OK) {
        status = read_run(&run, results_ret, &said, message);
    }
    if (status == QC_OK) {
        status = read_lines(&lines, &said, results_ret, message);
    }
    if (status != QC_OK) {
        qc_results_free(results_ret);
    }
    free(run.bytes);
    free(lines.bytes);
    return status;
}

void qc_results_free(qc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        qc_group_result_free(&results->results[i]);
    }
    free(results->results);
    *results = (qc_results){.count = 0};
}
