/* SPDX-License-Identifier: Apache-2.0 */
/* Where tensors stand between their guards, and what surrounds their elements. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "harness/isolate/shared.h"

#define PLACE_MODULO 64u

size_t qc_span_bytes(const qc_tensor *tensor, int64_t *low_ret)
{
    const size_t size = qc_dtype_bytes(tensor->dtype);
    int64_t low = tensor->offset;
    int64_t high = tensor->offset;
    *low_ret = 0;
    if (!size || tensor->rank > QC_MAX_RANK) {
        return 0;
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        int64_t reach = 0;
        if (tensor->dims[d] <= 0 ||
            __builtin_mul_overflow(tensor->dims[d] - 1, tensor->strides[d], &reach) ||
            __builtin_add_overflow(reach < 0 ? low : high, reach,
                                   reach < 0 ? &low : &high)) {
            return 0;
        }
    }
    int64_t elems = 0;
    if (qc_tensor_elems(tensor) <= 0 || __builtin_sub_overflow(high, low, &elems) ||
        elems >= INT64_MAX / (int64_t)size || low > INT64_MAX / (int64_t)size ||
        low < INT64_MIN / (int64_t)size) {
        return 0;
    }
    *low_ret = low;
    return (size_t)(elems + 1) * size;
}

/* Distance from `address` down to the last address that is `rest` modulo `unit`. */
static size_t excess(uintptr_t address, size_t unit, size_t rest)
{
    return (size_t)((address - rest) % unit);
}

qc_extent qc_place_tensor(const qc_region *region, uint32_t arg, uint32_t frame,
                          qc_tensor *tensor, size_t align_bytes, int32_t modulo)
{
    qc_extent extent = {0};
    const size_t size = qc_dtype_bytes(tensor->dtype);
    unsigned char *arena = qc_region_arena(region, arg, frame);
    unsigned char *end = arena + region->arena_bytes;
    extent.bytes = qc_span_bytes(tensor, &extent.low);
    if (!extent.bytes) {
        extent.start = end;
        tensor->data = end;
        return extent;
    }
    size_t unit = size;
    size_t rest = 0;
    if (align_bytes > 1) {
        unit = align_bytes;
        rest = (size_t)(extent.low * (int64_t)size) & (align_bytes - 1);
    } else if (modulo >= 0) {
        unit = PLACE_MODULO;
        rest = (size_t)modulo % PLACE_MODULO / size * size;
    }
    if (frame == QC_FRAME_FRONT) {
        const size_t over = excess((uintptr_t)arena, unit, rest);
        extent.start = arena + (over ? unit - over : 0);
    } else {
        extent.start = end - extent.bytes;
        extent.start -= excess((uintptr_t)extent.start, unit, rest);
    }
    tensor->data =
        (void *)((uintptr_t)extent.start - (uintptr_t)(extent.low * (int64_t)size));
    return extent;
}

size_t qc_extent_pages(const qc_extent *extent, unsigned char **first_ret)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)extent->start / page * page;
    const uintptr_t last =
        ((uintptr_t)extent->start + extent->bytes + page - 1) / page * page;
    *first_ret = extent->start - ((uintptr_t)extent->start - first);
    return (size_t)(last - first);
}

/* The two differ in every bit, so that no written byte passes for poison twice. */
unsigned char qc_poison(uint32_t frame)
{
    return frame == QC_FRAME_AGAIN ? 0x5A : 0xA5;
}

size_t qc_elems_bytes(const qc_tensor *tensor, const qc_extent *extent)
{
    return extent->bytes ? (size_t)qc_tensor_elems(tensor) * qc_dtype_bytes(tensor->dtype)
                         : 0;
}

/* A walk over the elements in row-major order. */
typedef struct walk {
    const qc_tensor *tensor;
    int64_t index[QC_MAX_RANK];
    int64_t at; /* element index from the extent's first */
} walk;

static walk walk_start(const qc_tensor *tensor, const qc_extent *extent)
{
    return (walk){.tensor = tensor, .at = tensor->offset - extent->low};
}

static int walk_next(walk *w)
{
    for (uint32_t d = w->tensor->rank; d-- > 0;) {
        w->at += w->tensor->strides[d];
        if (++w->index[d] < w->tensor->dims[d]) {
            return 1;
        }
        w->at -= w->tensor->strides[d] * w->tensor->dims[d];
        w->index[d] = 0;
    }
    return 0;
}

/* Contiguous in memory from the extent's first byte: one copy does. */
static int is_plain(const qc_tensor *tensor, const qc_extent *extent)
{
    return qc_tensor_is_contiguous(tensor) && tensor->offset == extent->low;
}

void qc_gather(const qc_tensor *tensor, const qc_extent *extent, void *elems_ret)
{
    if (!extent->bytes) {
        return;
    }
    if (is_plain(tensor, extent)) {
        memcpy(elems_ret, extent->start, extent->bytes);
        return;
    }
    const size_t size = qc_dtype_bytes(tensor->dtype);
    unsigned char *to = elems_ret;
    walk w = walk_start(tensor, extent);
    do {
        memcpy(to, extent->start + (size_t)w.at * size, size);
        to += size;
    } while (walk_next(&w));
}

static int all_are(const unsigned char *bytes, size_t count, unsigned char value)
{
    return !count || (bytes[0] == value && !memcmp(bytes, bytes + 1, count - 1));
}

int qc_poison_stands(const qc_tensor *tensor, const qc_extent *extent, uint32_t frame)
{
    const unsigned char poison = qc_poison(frame);
    unsigned char *first = NULL;
    const size_t pages = qc_extent_pages(extent, &first);
    const size_t before = (size_t)(extent->start - first);
    unsigned char *behind = extent->start + extent->bytes;
    if (!all_are(first, before, poison) ||
        !all_are(behind, pages - before - extent->bytes, poison)) {
        return 0;
    }
    if (!extent->bytes || is_plain(tensor, extent)) {
        return 1;
    }
    /* The elements have been gathered: poison over them leaves the gaps to be seen. */
    const size_t size = qc_dtype_bytes(tensor->dtype);
    walk w = walk_start(tensor, extent);
    do {
        memset(extent->start + (size_t)w.at * size, poison, size);
    } while (walk_next(&w));
    return all_are(extent->start, extent->bytes, poison);
}

int qc_poison_untouched(const qc_extent *extent, uint32_t frame)
{
    return all_are(extent->start, extent->bytes, qc_poison(frame));
}
