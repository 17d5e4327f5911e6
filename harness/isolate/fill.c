/* SPDX-License-Identifier: Apache-2.0 */
/* A case's way into the region: places, inputs, poison, request. */
#include <string.h>

#include "harness/isolate/shared.h"

/* What the backend says of alignment for this op and these dtypes; 1: nothing. */
static size_t asked_alignment(const qc_description *description, const qc_call *call)
{
    size_t align_bytes = 1;
    for (uint32_t i = 0; i < description->capability_count; i++) {
        const qc_capability *capability = &description->capabilities[i];
        int matches = capability->op == call->op;
        for (uint32_t arg = 0; arg < QC_MAX_ARGS && matches; arg++) {
            const uint32_t dtype = call->args[arg].dtype;
            matches =
                dtype == QC_NONE || (dtype < QC_DTYPE_COUNT &&
                                     (capability->arg_dtypes[arg] & QC_DTYPE_BIT(dtype)));
        }
        if (matches && capability->alignment_bytes > align_bytes) {
            align_bytes = capability->alignment_bytes;
        }
    }
    return align_bytes;
}

/* Where an input's span begins in the case; NULL when the case does not hold all of it, as
   an invalid call may not. */
static const unsigned char *source_of(const qc_case *item, uint32_t arg,
                                      const qc_extent *extent)
{
    const qc_tensor *tensor = &item->call.args[arg];
    if (!tensor->data || !extent->bytes) {
        return NULL;
    }
    const uintptr_t from =
        (uintptr_t)tensor->data +
        (uintptr_t)(extent->low * (int64_t)qc_dtype_bytes(tensor->dtype));
    const uintptr_t held = (uintptr_t)item->storage[arg];
    const size_t held_bytes = item->storage_bytes[arg];
    if (from < held || from - held > held_bytes ||
        held_bytes - (from - held) < extent->bytes) {
        return NULL;
    }
    return (const unsigned char *)from;
}

static int is_output(const qc_placed *placed, uint32_t arg)
{
    return arg < placed->op->arg_count && placed->op->args[arg].is_output;
}

static void place_arg(const qc_isolate *isolate, qc_placed *placed, uint32_t arg)
{
    qc_shared *shared = isolate->region.shared;
    for (uint32_t frame = 0; frame < QC_FRAME_COUNT; frame++) {
        qc_tensor *tensor = &shared->calls[frame].args[arg];
        const int same = frame == QC_FRAME_AGAIN && !is_output(placed, arg);
        if (tensor->dtype == QC_NONE) {
            tensor->data = NULL;
        } else if (same) {
            *tensor = shared->calls[QC_FRAME_END].args[arg];
        } else {
            placed->extents[frame][arg] =
                qc_place_tensor(&isolate->region, arg, frame, tensor, placed->align_bytes,
                                placed->item->align_bytes);
        }
    }
    placed->sources[arg] = is_output(placed, arg)
                               ? NULL
                               : source_of(placed->item, arg, &placed->extents[0][arg]);
}

qc_status qc_place_case(qc_isolate *isolate, const qc_case *item, qc_placed *placed_ret,
                        qc_message *message)
{
    qc_shared *shared = isolate->region.shared;
    memset(placed_ret, 0, sizeof *placed_ret);
    placed_ret->item = item;
    placed_ret->op = qc_op_get(item->call.op);
    placed_ret->align_bytes = asked_alignment(&isolate->description, &item->call);
    for (uint32_t arg = 0; arg < placed_ret->op->arg_count; arg++) {
        int64_t low = 0;
        const size_t bytes = qc_span_bytes(&item->call.args[arg], &low);
        if (bytes > (size_t)isolate->options.max_bytes) {
            return qc_fail(QC_NO_MEMORY, message,
                           "%s takes %zu bytes, more than the %lld allowed",
                           placed_ret->op->args[arg].name, bytes,
                           (long long)isolate->options.max_bytes);
        }
    }
    strncpy(shared->profile, item->call.profile, QC_NAME_BYTES - 1);
    for (uint32_t frame = 0; frame < QC_FRAME_COUNT; frame++) {
        shared->calls[frame] = item->call;
        shared->calls[frame].profile = shared->profile;
    }
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        place_arg(isolate, placed_ret, arg);
    }
    return QC_OK;
}

void qc_fill(qc_isolate *isolate, const qc_placed *placed, int with_front)
{
    qc_shared *shared = isolate->region.shared;
    shared->with_front = with_front != 0;
    shared->runs = placed->item->repeat > 2 ? placed->item->repeat : 2;
    shared->outputs = 0;
    shared->clobbered = 0;
    shared->run_that_differs = 0;
    memset(shared->answers, 0, sizeof shared->answers);
    for (uint32_t arg = 0; arg < placed->op->arg_count; arg++) {
        for (uint32_t frame = 0; frame < QC_FRAME_COUNT; frame++) {
            const qc_extent *extent = &placed->extents[frame][arg];
            if (is_output(placed, arg)) {
                unsigned char *first = NULL;
                const size_t bytes = qc_extent_pages(extent, &first);
                memset(first, qc_poison(frame), bytes);
            } else if (placed->sources[arg] && extent->bytes) {
                memcpy(extent->start, placed->sources[arg], extent->bytes);
            }
        }
        shared->outputs |= is_output(placed, arg) ? 1u << arg : 0;
        shared->repeated[arg] = is_output(placed, arg)
                                    ? placed->extents[QC_FRAME_AGAIN][arg]
                                    : (qc_extent){0};
    }
}
