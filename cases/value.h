/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as bits: their place in memory, their text, their exact value. */
#ifndef QC_CASES_VALUE_H
#define QC_CASES_VALUE_H

#include <string.h>

#include "text.h"

/* Fields of the float dtypes, sign bit first. */
typedef struct qc_float_layout {
    int fraction_bits; /* 0: the dtype is no float */
    int exponent_bits;
} qc_float_layout;

qc_float_layout qc_float_layout_of(uint32_t dtype);

/* Reads one value of the dtype at the reader. */
qc_status qc_value_parse(qc_reader *reader, uint32_t dtype, uint64_t *bits_ret);

/* Element `index` counted from tensor->data, as bits in the low bits. */
static inline uint64_t qc_bits_load(const qc_tensor *tensor, int64_t index)
{
    const size_t bytes = qc_dtype_bytes(tensor->dtype);
    const unsigned char *at = (const unsigned char *)tensor->data + (size_t)index * bytes;
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1: memcpy(&b1, at, 1); return b1;
    case 2: memcpy(&b2, at, 2); return b2;
    case 4: memcpy(&b4, at, 4); return b4;
    default: memcpy(&b8, at, 8); return b8;
    }
}

static inline void qc_bits_store(const qc_tensor *tensor, int64_t index, uint64_t bits)
{
    const size_t bytes = qc_dtype_bytes(tensor->dtype);
    unsigned char *at = (unsigned char *)tensor->data + (size_t)index * bytes;
    const uint8_t b1 = (uint8_t)bits;
    const uint16_t b2 = (uint16_t)bits;
    const uint32_t b4 = (uint32_t)bits;
    switch (bytes) {
    case 1: memcpy(at, &b1, 1); break;
    case 2: memcpy(at, &b2, 2); break;
    case 4: memcpy(at, &b4, 4); break;
    default: memcpy(at, &bits, 8); break;
    }
}

/* The value of a scale or zero point; integers beyond 2^53 are rounded. */
double qc_bits_to_double(uint32_t dtype, uint64_t bits);

/* A double rounded into a float dtype. */
uint64_t qc_bits_of_double(uint32_t dtype, double value);

#endif
