/* SPDX-License-Identifier: Apache-2.0 */
/* What an answered call has left in the region, frame by frame. */
#include <stdlib.h>
#include <string.h>

#include "harness/isolate/shared.h"

static const char *const frame_names[QC_FRAME_COUNT] = {"at the end", "at the end, again",
                                                        "in front"};

/* Room that only grows; NULL when memory is short. */
static unsigned char *room(qc_buffer *buffer, size_t bytes)
{
    if (buffer->room_bytes < bytes) {
        free(buffer->bytes);
        buffer->bytes = malloc(bytes);
        buffer->room_bytes = buffer->bytes ? bytes : 0;
    }
    return buffer->bytes;
}

/* One element of two answers that differ: poison in both was never written. */
static int is_unwritten(const unsigned char *first, const unsigned char *again,
                        size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (first[i] == qc_poison(QC_FRAME_END) &&
            again[i] == qc_poison(QC_FRAME_AGAIN)) {
            return 1;
        }
    }
    return 0;
}

/* Both answers of one plan. */
static void compare_again(const qc_placed *placed, uint32_t arg,
                          const unsigned char *first, const unsigned char *again,
                          qc_exchange *exchange)
{
    const qc_tensor *tensor = &placed->item->call.args[arg];
    const size_t size = qc_dtype_bytes(tensor->dtype);
    const char *name = placed->op->args[arg].name;
    const size_t bytes = qc_elems_bytes(tensor, &placed->extents[QC_FRAME_END][arg]);
    if (!bytes || !memcmp(first, again, bytes)) {
        return;
    }
    for (size_t at = 0; at < bytes; at += size) {
        if (!memcmp(first + at, again + at, size)) {
            continue;
        }
        const int64_t where = (int64_t)(at / size);
        if (is_unwritten(first + at, again + at, size)) {
            qc_raise(exchange, QC_VERDICT_UNWRITTEN, arg, where,
                     "%s[%lld] was not written", name, (long long)where);
            return;
        }
        qc_raise(exchange, QC_VERDICT_NONDETERMINISTIC, arg, where,
                 "%s[%lld] differs between two runs of one plan", name, (long long)where);
    }
}

/* An answer in front against the answer at the end; the caller excludes nondeterminism. */
static void compare_front(const qc_placed *placed, uint32_t arg, const unsigned char *end,
                          const unsigned char *front, qc_exchange *exchange)
{
    const qc_tensor *tensor = &placed->item->call.args[arg];
    const size_t size = qc_dtype_bytes(tensor->dtype);
    const size_t bytes = qc_elems_bytes(tensor, &placed->extents[QC_FRAME_END][arg]);
    size_t at = 0;
    while (at < bytes && !memcmp(end + at, front + at, size)) {
        at += size;
    }
    if (at < bytes) {
        const long long where = (long long)(at / size);
        qc_raise(
            exchange, QC_VERDICT_POSITION_DEPENDENT, arg, where,
            "%s[%lld] differs between tensors at the end and in front of their pages",
            placed->op->args[arg].name, where);
    }
}

/* A refused call leaves outputs alone; an answered one writes elements and nothing else. */
static void inspect_output(qc_isolate *isolate, const qc_placed *placed, uint32_t frame,
                           uint32_t arg, qc_exchange *exchange)
{
    const qc_tensor *tensor = &placed->item->call.args[arg];
    const qc_extent *extent = &placed->extents[frame][arg];
    const char *name = placed->op->args[arg].name;
    const int refused = isolate->region.shared->answers[frame].status != QC_OK;
    qc_buffer *buffer = frame == QC_FRAME_END ? &isolate->outputs[arg] : &isolate->other;
    unsigned char *elems = room(buffer, qc_elems_bytes(tensor, extent) + 1);
    if (!elems) {
        qc_raise(exchange, QC_VERDICT_RESOURCE, arg, -1, "the suite has no memory for %s",
                 name);
        return;
    }
    if (refused) {
        if (!qc_poison_untouched(extent, frame)) {
            qc_raise(
                exchange, QC_VERDICT_OOB_WRITE, arg, -1,
                "outputs touched on error: %s was written though the call was refused",
                name);
        }
    } else {
        qc_gather(tensor, extent, elems);
        if (frame == QC_FRAME_END) {
            exchange->outputs[arg] = elems;
        }
    }
    if (!qc_poison_stands(tensor, extent, frame)) {
        qc_raise(exchange, QC_VERDICT_OOB_WRITE, arg, -1,
                 "written beside the elements of %s, placed %s", name,
                 frame_names[frame]);
    }
    const unsigned char *end = exchange->outputs[arg];
    if (!refused && end && frame == QC_FRAME_AGAIN) {
        compare_again(placed, arg, end, elems, exchange);
    } else if (!refused && end && frame == QC_FRAME_FRONT) {
        compare_front(placed, arg, end, elems, exchange);
    }
}

/* Inputs lie in read-only pages; a backend that unlocks them first is seen by the bytes. */
static void inspect_input(const qc_placed *placed, uint32_t frame, uint32_t arg,
                          qc_exchange *exchange)
{
    const qc_extent *extent = &placed->extents[frame][arg];
    if (placed->sources[arg] && extent->bytes &&
        memcmp(extent->start, placed->sources[arg], extent->bytes)) {
        qc_raise(exchange, QC_VERDICT_INPUT_WRITE, arg, -1,
                 "%s, placed %s, is not what it was", placed->op->args[arg].name,
                 frame_names[frame]);
    }
}

static void inspect_statuses(const qc_shared *shared, qc_exchange *exchange)
{
    const qc_answer_record *answers = shared->answers;
    const uint32_t frames = shared->with_front ? QC_FRAME_COUNT : QC_FRAME_FRONT;
    for (uint32_t frame = 0; frame < frames; frame++) {
        if (answers[frame].status > QC_FAULT) {
            qc_raise(exchange, QC_VERDICT_PROTOCOL, 0, -1,
                     "status %u is none of qc_status", answers[frame].status);
        }
        if (answers[frame].status != answers[QC_FRAME_END].status) {
            qc_raise(exchange,
                     frame == QC_FRAME_AGAIN ? QC_VERDICT_NONDETERMINISTIC
                                             : QC_VERDICT_POSITION_DEPENDENT,
                     0, -1, "status %u with tensors %s, status %u %s", answers[0].status,
                     frame_names[0], answers[frame].status, frame_names[frame]);
        }
    }
}

static void inspect_env(const qc_shared *shared, qc_exchange *exchange)
{
    if (shared->clobbered) {
        qc_raise(exchange, QC_VERDICT_ENV_CLOBBER, 0, -1, "%s changed the %s",
                 shared->clobbered_stage == QC_STAGE_PREPARE   ? "prepare"
                 : shared->clobbered_stage == QC_STAGE_RELEASE ? "release"
                                                               : "run",
                 shared->clobbered & QC_ENV_ROUNDING ? "rounding mode"
                 : shared->clobbered & QC_ENV_FLUSH  ? "flush bits"
                                                     : "precision or exception masks");
    }
}

void qc_inspect(qc_isolate *isolate, const qc_placed *placed, qc_exchange *exchange)
{
    const qc_shared *shared = isolate->region.shared;
    const uint32_t frames = shared->with_front ? QC_FRAME_COUNT : QC_FRAME_FRONT;
    exchange->status = shared->answers[QC_FRAME_END].status <= QC_FAULT
                           ? (qc_status)shared->answers[QC_FRAME_END].status
                           : QC_FAULT;
    inspect_statuses(shared, exchange);
    inspect_env(shared, exchange);
    if (shared->run_that_differs) {
        qc_raise(exchange, QC_VERDICT_NONDETERMINISTIC, 0, -1,
                 "run %d of one plan differs from run 2", shared->run_that_differs);
    }
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t arg = 0; arg < placed->op->arg_count; arg++) {
            if (placed->op->args[arg].is_output && placed->item->call.args[arg].dtype) {
                inspect_output(isolate, placed, frame, arg, exchange);
            } else {
                inspect_input(placed, frame, arg, exchange);
            }
        }
    }
}
