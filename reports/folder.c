/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a results folder so that no failure costs the results that stood there before. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports.h"

/* run.json last: until it takes its name, the pair of old run.json and new results.jsonl is
   told apart by its checksum. */
static const qc_report_format formats[] = {
    {"text", "report.txt", qc_report_text},
    {"markdown", "report.md", qc_report_markdown},
    {"junit", "junit.xml", qc_report_junit},
    {"jsonl", "results.jsonl", qc_report_jsonl},
    {"run", "run.json", qc_report_run},
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

typedef struct temporary {
    char path[512];
    char final[512];
    int is_made;
} temporary;

const qc_report_format *qc_report_formats(size_t *count_ret)
{
    *count_ret = FORMAT_COUNT;
    return formats;
}

static qc_status make_folder(const char *folder, qc_message *message)
{
    char path[400];
    const size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path) {
        return qc_fail(QC_FAULT, message, "expected a folder name of 1 to %zu bytes",
                       sizeof path - 1);
    }
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return qc_fail(QC_FAULT, message, "%.160s: the folder cannot be made: %s",
                           path, strerror(errno));
        }
        path[i] = folder[i];
    }
    return QC_OK;
}

/* All bytes on disk, under the temporary name. */
static qc_status write_temporary(const qc_report_format *format, temporary *file,
                                 const qc_run_info *info, const qc_group_result *results,
                                 size_t count, qc_message *message)
{
    const int descriptor = mkstemp(file->path);
    FILE *out = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    file->is_made = descriptor >= 0;
    if (out == NULL) {
        const int reason = errno;
        if (descriptor >= 0) {
            close(descriptor);
        }
        return qc_fail(QC_FAULT, message, "%.160s: cannot be made: %s", file->path,
                       strerror(reason));
    }
    errno = 0;
    const qc_status status = format->write(out, info, results, count);
    int failed =
        status != QC_OK || fchmod(descriptor, 0644) != 0 || fsync(descriptor) != 0;
    const int reason = errno;
    failed |= fclose(out) != 0;
    if (!failed) {
        return QC_OK;
    }
    return qc_fail(QC_FAULT, message, "%.160s: cannot be written: %s", file->final,
                   status == QC_NO_MEMORY ? "memory is short" : strerror(reason));
}

/* What a rename could still stumble over, found before the first one. */
static qc_status check_target(const char *path, qc_message *message)
{
    struct stat found;
    if (lstat(path, &found) != 0 || S_ISREG(found.st_mode)) {
        return QC_OK;
    }
    return qc_fail(QC_FAULT, message, "%.160s: expected a regular file, or none", path);
}

static qc_status rename_all(temporary *files, const char *folder, qc_message *message)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (rename(files[i].path, files[i].final) != 0) {
            return qc_fail(QC_FAULT, message, "%.160s: cannot be replaced: %s",
                           files[i].final, strerror(errno));
        }
        files[i].is_made = 0;
    }
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY);
    const int failed = descriptor < 0 || fsync(descriptor) != 0;
    const int reason = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return failed ? qc_fail(QC_FAULT, message, "%.160s: cannot be synced: %s", folder,
                            strerror(reason))
                  : QC_OK;
}

qc_status qc_results_write_folder(const char *folder, const qc_run_info *info,
                                  const qc_group_result *results, size_t count,
                                  qc_message *message)
{
    temporary files[FORMAT_COUNT] = {{.is_made = 0}};
    qc_status status = make_folder(folder, message);
    for (size_t i = 0; i < FORMAT_COUNT && status == QC_OK; i++) {
        snprintf(files[i].final, sizeof files[i].final, "%s/%s", folder, formats[i].file);
        snprintf(files[i].path, sizeof files[i].path, "%s/.%s.XXXXXX", folder,
                 formats[i].file);
        status = check_target(files[i].final, message);
        if (status == QC_OK) {
            status =
                write_temporary(&formats[i], &files[i], info, results, count, message);
        }
    }
    if (status == QC_OK) {
        status = rename_all(files, folder, message);
    }
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (files[i].is_made) {
            unlink(files[i].path);
        }
    }
    return status;
}
