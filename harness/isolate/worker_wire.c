/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and elements as they stand in a frame: little endian, whatever machine this is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/isolate/worker.h"

void qc_wire_reserve(qc_wire *wire, size_t bytes)
{
    if (wire->room - wire->used >= bytes) {
        return;
    }
    const size_t room = wire->room * 2 + bytes + 4096;
    unsigned char *grown = realloc(wire->bytes, room);
    if (!grown) {
        _exit(1); /* the parent says that the process ended */
    }
    wire->bytes = grown;
    wire->room = room;
}

static void put(qc_wire *wire, uint64_t value, size_t bytes)
{
    qc_wire_reserve(wire, bytes);
    for (size_t i = 0; i < bytes; i++) {
        wire->bytes[wire->used++] = (unsigned char)(value >> (8 * i));
    }
}

void qc_wire_u32(qc_wire *wire, uint32_t value)
{
    put(wire, value, 4);
}

void qc_wire_u64(qc_wire *wire, uint64_t value)
{
    put(wire, value, 8);
}

void qc_wire_f64(qc_wire *wire, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put(wire, bits, 8);
}

void qc_wire_zeros(qc_wire *wire, size_t bytes)
{
    qc_wire_reserve(wire, bytes);
    memset(wire->bytes + wire->used, 0, bytes);
    wire->used += bytes;
}

void qc_copy_elems(void *to, const void *from, size_t bytes, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)size;
    if (bytes) {
        memcpy(to, from, bytes);
    }
#else
    unsigned char *turned = to;
    const unsigned char *given = from;
    for (size_t i = 0; i < bytes; i++) {
        turned[i] = given[i / size * size + (size - 1 - i % size)];
    }
#endif
}

void qc_wire_elems(qc_wire *wire, const void *from, size_t bytes, size_t size)
{
    qc_wire_reserve(wire, bytes);
    qc_copy_elems(wire->bytes + wire->used, from, bytes, size);
    wire->used += bytes;
}

void qc_wire_begin(qc_wire *wire, uint32_t kind, uint32_t sequence)
{
    wire->used = 0;
    qc_wire_reserve(wire, QC_FRAME_HEADER_BYTES);
    memcpy(wire->bytes, QC_WORKER_MAGIC, 4);
    wire->used = 4;
    qc_wire_u32(wire, kind);
    qc_wire_u32(wire, sequence);
    qc_wire_u32(wire, 0); /* payload bytes, once they are known */
}

void qc_wire_end(qc_wire *wire)
{
    const size_t used = wire->used;
    wire->used = QC_FRAME_HEADER_BYTES - 4;
    qc_wire_u32(wire, (uint32_t)(used - QC_FRAME_HEADER_BYTES));
    wire->used = used;
}

const unsigned char *qc_read_bytes(qc_reading *reading, size_t bytes)
{
    if (reading->left < bytes) {
        reading->is_short = 1;
        return NULL;
    }
    const unsigned char *at = reading->at;
    reading->at += bytes;
    reading->left -= bytes;
    return at;
}

static uint64_t take(qc_reading *reading, size_t bytes)
{
    const unsigned char *at = qc_read_bytes(reading, bytes);
    uint64_t value = 0;
    for (size_t i = 0; at && i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

uint32_t qc_read_u32(qc_reading *reading)
{
    return (uint32_t)take(reading, 4);
}

uint64_t qc_read_u64(qc_reading *reading)
{
    return take(reading, 8);
}

double qc_read_f64(qc_reading *reading)
{
    const uint64_t bits = take(reading, 8);
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}
