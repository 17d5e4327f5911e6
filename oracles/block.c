/* SPDX-License-Identifier: Apache-2.0 */
/* Input bits: strided views into blocks of one channel. */
#include <string.h>

#include "engine.h"

static uint64_t load(const void *data, int64_t index, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)data + index * (int64_t)bytes;
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    switch (bytes) {
    case 1: return memcpy(&v8, at, 1), v8;
    case 2: return memcpy(&v16, at, 2), v16;
    case 4: return memcpy(&v32, at, 4), v32;
    default: return memcpy(&v64, at, 8), v64;
    }
}

uint64_t qc_arg_bits(const qc_tensor *tensor, int64_t i)
{
    return load(tensor->data, qc_tensor_at(tensor, i), qc_dtype_bytes(tensor->dtype));
}

int64_t qc_arg_integer(const qc_tensor *tensor, int64_t i)
{
    const uint64_t bits = qc_arg_bits(tensor, i);
    switch (tensor->dtype) {
    case QC_S8: return (int8_t)bits;
    case QC_S32: return (int32_t)bits;
    default: /* u8 and s64 */ return (int64_t)bits;
    }
}

int32_t qc_channel_shift(const qc_oracle *oracle, int64_t channel)
{
    const uint32_t arg = oracle->op->shift;
    const int has_shift = arg != 0 && oracle->call->args[arg].dtype != QC_NONE;
    return has_shift ? (int32_t)qc_arg_integer(&oracle->call->args[arg], channel) : 0;
}

/* One loop per size, so that each compiles to plain moves. */
static void load_row(const void *data, int64_t index, int64_t stride, size_t bytes,
                     int64_t count, uint64_t *bits_ret)
{
    switch (bytes) {
#define CASE(size)                                              \
    case size:                                                  \
        for (int64_t i = 0; i < count; i++) {                   \
            bits_ret[i] = load(data, index + i * stride, size); \
        }                                                       \
        break;
        CASE(1)
        CASE(2)
        CASE(4)
        CASE(8)
#undef CASE
    default: break;
    }
}

/* A strided view, row by row of its last dim. Rank 0 is contiguous and not here. */
static void load_rows(const qc_tensor *tensor, int64_t first, int64_t count,
                      uint64_t *bits_ret)
{
    const uint32_t last = tensor->rank - 1;
    const int64_t width = tensor->dims[last];
    for (int64_t done = 0, length; done < count; done += length) {
        const int64_t left = width - (first + done) % width;
        length = left < count - done ? left : count - done;
        load_row(tensor->data, qc_tensor_at(tensor, first + done), tensor->strides[last],
                 qc_dtype_bytes(tensor->dtype), length, bits_ret + done);
    }
}

void qc_block_load(const qc_oracle *oracle, int64_t first, int64_t count, qc_block *block)
{
    const qc_tensor *element = &oracle->call->args[oracle->op->element];
    int64_t room = count < QC_BLOCK_ELEMS ? count : QC_BLOCK_ELEMS;
    if (oracle->inner > 0) {
        const int64_t left = oracle->inner - first % oracle->inner;
        room = left < room ? left : room;
    }
    block->channel = qc_call_channel(oracle->call, first);
    block->count = room;
    if (qc_tensor_is_contiguous(element)) {
        load_row(element->data, element->offset + first, 1,
                 qc_dtype_bytes(element->dtype), room, block->bits);
    } else {
        load_rows(element, first, room, block->bits);
    }
}
