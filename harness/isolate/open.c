/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side: a backend's life from open to close. */
#include <stdlib.h>
#include <string.h>

#include "harness/isolate/shared.h"

#ifdef __SANITIZE_ADDRESS__ /* honest code is ten times slower there */
#define DEFAULT_TIMEOUT_MS 100000
#else
#define DEFAULT_TIMEOUT_MS 10000
#endif
#define WORKER_START_TIMEOUT_MS 120000 /* a framework's import reads gigabytes */
#define DEFAULT_MAX_BYTES ((int64_t)64 << 20)
#define CLOSE_TIMEOUT_MS 1000

/* Why there is no description, as one line. */
static qc_status no_description(qc_isolate *isolate, qc_wait wait, qc_message *message)
{
    qc_shared *shared = isolate->region.shared;
    if (wait == QC_WAIT_ANSWERED) {
        qc_message_clean(&shared->loaded.message);
        return qc_fail(QC_FAULT, message, "%s",
                       shared->loaded.message.text[0]
                           ? shared->loaded.message.text
                           : "describe failed without a message");
    }
    qc_exchange exchange = {0};
    qc_post_mortem(isolate, wait, NULL, &exchange);
    return qc_fail(QC_FAULT, message, "%s: %s", isolate->given, exchange.message.text);
}

qc_status qc_isolate_start(qc_isolate *isolate, qc_message *message)
{
    qc_shared *shared = isolate->region.shared;
    memset(shared, 0, sizeof *shared);
    shared->loaded.status = QC_FAULT;
    const qc_status status =
        qc_process_start(&isolate->region, isolate->given, &isolate->process, message);
    if (status != QC_OK) {
        return status;
    }
    const qc_wait wait =
        qc_process_await(&isolate->process, isolate->options.start_timeout_ms);
    if (wait == QC_WAIT_ANSWERED && shared->loaded.status == QC_OK) {
        return QC_OK;
    }
    const qc_status failed = no_description(isolate, wait, message);
    qc_process_end(&isolate->process);
    return failed;
}

static qc_isolate *make(const char *given, const qc_isolate_options *options)
{
    qc_isolate *isolate = calloc(1, sizeof *isolate);
    if (!isolate) {
        return NULL;
    }
    isolate->options = options ? *options : (qc_isolate_options){0};
    if (isolate->options.timeout_ms <= 0) {
        isolate->options.timeout_ms = DEFAULT_TIMEOUT_MS;
    }
    if (isolate->options.start_timeout_ms <= 0) {
        isolate->options.start_timeout_ms =
            qc_worker_command(given) ? WORKER_START_TIMEOUT_MS : DEFAULT_TIMEOUT_MS;
    }
    if (isolate->options.max_bytes <= 0) {
        isolate->options.max_bytes = DEFAULT_MAX_BYTES;
    }
    isolate->given = strdup(given);
    isolate->flat = malloc(sizeof *isolate->flat);
    if (!isolate->given || !isolate->flat) {
        qc_isolate_close(isolate);
        return NULL;
    }
    return isolate;
}

qc_status qc_isolate_open(const char *given, const qc_isolate_options *options,
                          qc_isolate **isolate_ret, qc_message *message)
{
    *isolate_ret = NULL;
    if (!qc_backend_is_path(given) && !qc_builtin_is(given) &&
        !qc_worker_command(given)) {
        return qc_fail(QC_INVALID, message,
                       "no backend named %s; there are%s; a path has a `/` or ends in "
                       ".so; worker:COMMAND starts a program",
                       given, qc_builtin_names());
    }
    qc_isolate *isolate = make(given, options);
    if (!isolate) {
        return qc_fail(QC_NO_MEMORY, message, "no memory to isolate %s", given);
    }
    qc_status status =
        qc_region_open((size_t)isolate->options.max_bytes, &isolate->region, message);
    if (status == QC_OK) {
        status = qc_isolate_start(isolate, message);
    }
    if (status == QC_OK) {
        *isolate->flat = isolate->region.shared->description;
        status = qc_unflatten(isolate->flat, &isolate->description, message);
    }
    if (status != QC_OK) {
        qc_isolate_close(isolate);
        return status;
    }
    *isolate_ret = isolate;
    return QC_OK;
}

void qc_isolate_close(qc_isolate *isolate)
{
    if (!isolate) {
        return;
    }
    if (isolate->process.pid) {
        isolate->region.shared->closing = 1;
        (void)qc_process_ask(&isolate->process, CLOSE_TIMEOUT_MS);
        qc_process_end(&isolate->process);
    }
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        free(isolate->outputs[arg].bytes);
        free(isolate->kept[arg].bytes);
    }
    free(isolate->other.bytes);
    free(isolate->flat);
    qc_region_close(&isolate->region);
    free(isolate->given);
    free(isolate);
}

const qc_description *qc_isolate_description(const qc_isolate *isolate)
{
    return &isolate->description;
}
