/* SPDX-License-Identifier: Apache-2.0 */
/* The child: loads one backend and runs the calls that stand in the shared region. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/isolate/worker.h"

typedef struct child {
    const qc_region *region;
    qc_shared *shared;
    const qc_backend *backend;
    uint32_t writable; /* set of 1 << argument: whose arenas may be written */
    qc_plan *plan;
} child;

static const qc_backend *load(const child *c, const char *given, qc_answer_record *answer)
{
    qc_message *message = &answer->message;
    const char *command = qc_worker_command(given);
    if (command) {
        return qc_worker_backend(command, &c->shared->trouble);
    }
    if (!qc_backend_is_path(given)) {
        const qc_backend *table = qc_builtin_find(given);
        if (!table) {
            answer->status =
                qc_fail(QC_FAULT, message, "%s: cannot work on this machine", given);
        }
        return table;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s%s", strchr(given, '/') ? "" : "./", given);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        answer->status = qc_fail(QC_FAULT, message, "cannot load %s", dlerror());
        return NULL;
    }
    qc_backend_entry entry = NULL;
    *(void **)&entry = dlsym(library, QC_BACKEND_SYMBOL);
    if (!entry) {
        answer->status =
            qc_fail(QC_FAULT, message, "%s: no plugin, it does not export %s", given,
                    QC_BACKEND_SYMBOL);
        return NULL;
    }
    const qc_backend *table = entry();
    if (!table) {
        answer->status =
            qc_fail(QC_FAULT, message, "%s: cannot work on this machine", given);
    }
    return table;
}

/* QC_OK when the table can be called at all. */
static qc_status check_table(const char *given, const qc_backend *table,
                             qc_message *message)
{
    if (table->abi_version != QC_ABI_VERSION) {
        return qc_fail(QC_FAULT, message, "%s: has ABI version %u, expected %u", given,
                       table->abi_version, QC_ABI_VERSION);
    }
    if (table->size_bytes < sizeof *table) {
        return qc_fail(QC_FAULT, message,
                       "%s: its table has %u bytes, expected %zu or more", given,
                       table->size_bytes, sizeof *table);
    }
    if (!table->describe || !table->prepare || !table->run) {
        return qc_fail(QC_FAULT, message, "%s: its table lacks %s", given,
                       !table->describe  ? "describe"
                       : !table->prepare ? "prepare"
                                         : "run");
    }
    return QC_OK;
}

/* Notes a changed environment, and sets it right for the next. */
static void check_env(qc_shared *shared)
{
    const uint32_t changed = qc_env_changed();
    if (changed) {
        shared->clobbered_stage =
            shared->clobbered ? shared->clobbered_stage : shared->stage;
        shared->clobbered |= changed;
        qc_env_canonical();
    }
}

static void start(child *c, const char *given)
{
    qc_answer_record *answer = &c->shared->loaded;
    c->shared->stage = QC_STAGE_LOAD;
    c->backend = load(c, given, answer);
    if (!c->backend) {
        return;
    }
    answer->status = check_table(given, c->backend, &answer->message);
    if (answer->status != QC_OK) {
        return;
    }
    c->shared->stage = QC_STAGE_DESCRIBE;
    qc_env_canonical();
    qc_description description = {.size_bytes = sizeof description};
    answer->status =
        c->backend->describe(c->backend->self, &description, &answer->message);
    if (answer->status == QC_OK) {
        qc_flatten(&description, &c->shared->description, answer);
    }
    qc_env_canonical(); /* describe may load a library that sets its own */
    c->shared->stage = QC_STAGE_IDLE;
}

/* Inputs must not be written, outputs must: changes hands when another op is called. */
static void protect(child *c)
{
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        const uint32_t bit = 1u << arg;
        if ((c->writable ^ c->shared->outputs) & bit) {
            qc_region_protect(c->region, arg, (c->shared->outputs & bit) != 0);
        }
    }
    c->writable = c->shared->outputs;
}

static int prepare(child *c, uint32_t frame)
{
    qc_shared *shared = c->shared;
    qc_answer_record *answer = &shared->answers[frame];
    shared->frame = frame;
    shared->stage = QC_STAGE_PREPARE;
    c->plan = NULL;
    answer->status = c->backend->prepare(c->backend->self, &shared->calls[frame],
                                         &c->plan, &answer->message);
    check_env(shared);
    return answer->status == QC_OK;
}

static void run(child *c, uint32_t frame)
{
    qc_shared *shared = c->shared;
    qc_answer_record *answer = &shared->answers[frame];
    shared->frame = frame;
    shared->stage = QC_STAGE_RUN;
    answer->status = c->backend->run(c->backend->self, c->plan, &shared->calls[frame],
                                     &answer->message);
    check_env(shared);
}

static void release(child *c)
{
    c->shared->stage = QC_STAGE_RELEASE;
    if (c->backend->release) {
        c->backend->release(c->backend->self, c->plan);
        check_env(c->shared);
    }
    c->shared->stage = QC_STAGE_IDLE;
}

/* Further runs of the plan, each compared with the second. */
static void repeat(child *c)
{
    qc_shared *shared = c->shared;
    unsigned char *kept[QC_MAX_ARGS] = {NULL};
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        const qc_extent *extent = &shared->repeated[arg];
        kept[arg] = extent->bytes ? malloc(extent->bytes) : NULL;
        if (kept[arg]) {
            memcpy(kept[arg], extent->start, extent->bytes);
        }
    }
    for (int32_t i = 3; i <= shared->runs && !shared->run_that_differs; i++) {
        run(c, QC_FRAME_AGAIN);
        for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
            const qc_extent *extent = &shared->repeated[arg];
            if (kept[arg] && memcmp(kept[arg], extent->start, extent->bytes)) {
                shared->run_that_differs = i;
            }
        }
    }
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        free(kept[arg]);
    }
}

static void serve(child *c)
{
    protect(c);
    if (prepare(c, QC_FRAME_END)) {
        run(c, QC_FRAME_END);
        run(c, QC_FRAME_AGAIN);
        if (c->shared->runs > 2) {
            repeat(c);
        }
        release(c);
    } else {
        c->shared->answers[QC_FRAME_AGAIN] = c->shared->answers[QC_FRAME_END];
    }
    if (c->shared->with_front && prepare(c, QC_FRAME_FRONT)) {
        run(c, QC_FRAME_FRONT);
        release(c);
    }
}

_Noreturn void qc_child_main(const qc_region *region, int channel, const char *given)
{
    child c = {.region = region, .shared = region->shared, .writable = ~0u};
    char byte = 0;
    qc_fault_catch(&c.shared->fault);
    start(&c, given);
    while (write(channel, &byte, 1) == 1 && read(channel, &byte, 1) == 1 &&
           !c.shared->closing) {
        serve(&c);
    }
    c.shared->stage = QC_STAGE_CLOSE;
    if (c.backend && c.backend->close) {
        c.backend->close(c.backend->self);
    }
    _exit(0);
}
