/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} dtypes[QC_DTYPE_COUNT] = {
    {"none", 0},
#define X(lower, UPPER, bytes) {#lower, bytes},
    QC_DTYPES(X)
#undef X
};

const char *qc_dtype_name(uint32_t dtype)
{
    return dtype < QC_DTYPE_COUNT ? dtypes[dtype].name : "none";
}

size_t qc_dtype_bytes(uint32_t dtype)
{
    return dtype < QC_DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

qc_dtype qc_dtype_find(const char *name, size_t length)
{
    for (unsigned d = QC_NONE + 1; d < QC_DTYPE_COUNT; d++) {
        if (strlen(dtypes[d].name) == length && !memcmp(dtypes[d].name, name, length)) {
            return (qc_dtype)d;
        }
    }
    return QC_NONE;
}

int64_t qc_tensor_elems(const qc_tensor *tensor)
{
    int64_t elems = 1;
    int empty = 0;
    for (uint32_t d = 0; d < tensor->rank && d < QC_MAX_RANK; d++) {
        const int64_t dim = tensor->dims[d];
        if (dim < 0) {
            return -1;
        }
        empty |= dim == 0;
        if (dim > 0 && __builtin_mul_overflow(elems, dim, &elems)) {
            return -1;
        }
    }
    return empty ? 0 : elems;
}

int64_t qc_tensor_at(const qc_tensor *tensor, int64_t i)
{
    int64_t at = tensor->offset;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        at += i % tensor->dims[d] * tensor->strides[d];
        i /= tensor->dims[d];
    }
    return at;
}

void qc_tensor_span(const qc_tensor *tensor, int64_t *low_ret, int64_t *high_ret)
{
    *low_ret = *high_ret = -1;
    if (qc_tensor_elems(tensor) <= 0) {
        return;
    }
    int64_t low = tensor->offset;
    int64_t high = tensor->offset;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const int64_t reach = (tensor->dims[d] - 1) * tensor->strides[d];
        *(reach < 0 ? &low : &high) += reach;
    }
    *low_ret = low;
    *high_ret = high;
}

void qc_tensor_contiguous(qc_tensor *tensor)
{
    int64_t stride = 1;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        tensor->strides[d] = stride;
        stride *= tensor->dims[d] > 0 ? tensor->dims[d] : 1;
    }
    tensor->offset = 0;
}

int qc_tensor_is_contiguous(const qc_tensor *tensor)
{
    int64_t stride = 1;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        if (tensor->dims[d] > 1 && tensor->strides[d] != stride) {
            return 0;
        }
        stride *= tensor->dims[d] > 0 ? tensor->dims[d] : 1;
    }
    return 1;
}

qc_status qc_fail(qc_status status, qc_message *message, const char *format, ...)
{
    if (message) {
        va_list args;
        va_start(args, format);
        vsnprintf(message->text, sizeof message->text, format, args);
        va_end(args);
    }
    return status;
}
