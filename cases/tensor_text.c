/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_text.h"

#include "value.h"

#include <stdio.h>

qc_status qc_dtype_parse(qc_reader *reader, const char *expected, uint32_t *dtype_ret)
{
    const size_t length = qc_reader_word(reader, "");
    const qc_dtype dtype = qc_dtype_find(reader->at, length);
    if (dtype == QC_NONE) {
        return qc_reader_fail(reader, expected);
    }
    reader->at += length;
    *dtype_ret = dtype;
    return QC_OK;
}

qc_status qc_shape_parse(qc_reader *reader, qc_tensor *tensor)
{
    *tensor = (qc_tensor){0};
    qc_status status = qc_dtype_parse(reader, "a tensor: dtype[dims]", &tensor->dtype);
    if (status == QC_OK && !qc_reader_take(reader, "[")) {
        return qc_reader_fail(reader, "'[' and dims");
    }
    while (status == QC_OK && !qc_reader_take(reader, "]")) {
        if (tensor->rank == QC_MAX_RANK) {
            return qc_reader_fail(reader, "']', the rank is at most 6");
        }
        if (tensor->rank > 0 && !qc_reader_take(reader, "x")) {
            return qc_reader_fail(reader, "'x' or ']'");
        }
        status = qc_reader_int(reader, 0, QC_LIMIT_ELEMS, "a dim",
                               &tensor->dims[tensor->rank]);
        tensor->rank++;
    }
    if (status == QC_OK) {
        const int64_t elems = qc_tensor_elems(tensor);
        if (elems < 0 || elems > QC_LIMIT_ELEMS) {
            return qc_reader_say(
                reader, "the tensor has too many elements, at most %lld expected",
                (long long)QC_LIMIT_ELEMS);
        }
        qc_tensor_contiguous(tensor);
    }
    return status;
}

qc_status qc_strides_parse(qc_reader *reader, qc_tensor *tensor)
{
    if (!qc_reader_take(reader, "{")) {
        return QC_OK;
    }
    if (!qc_reader_take(reader, "s=")) {
        return qc_reader_fail(reader, "'s=' and strides");
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        if (d > 0 && !qc_reader_take(reader, "x")) {
            return qc_reader_fail(reader, "'x' and one stride for each dim");
        }
        const qc_status status = qc_reader_int(reader, -QC_LIMIT_ELEMS, QC_LIMIT_ELEMS,
                                               "a stride", &tensor->strides[d]);
        if (status != QC_OK) {
            return status;
        }
    }
    if (!qc_reader_take(reader, ",o=")) {
        return qc_reader_fail(reader, "',o=' and the offset");
    }
    const qc_status status =
        qc_reader_int(reader, 0, QC_LIMIT_ELEMS, "the offset", &tensor->offset);
    if (status != QC_OK) {
        return status;
    }
    if (!qc_reader_take(reader, "}")) {
        return qc_reader_fail(reader, "'}'");
    }
    if (qc_tensor_room(tensor) < 0) {
        return qc_reader_say(reader,
                             "the strides leave the storage, elements 0 to %lld expected",
                             (long long)QC_LIMIT_ELEMS - 1);
    }
    return QC_OK;
}

/* One pass over the values: stores them, or holds them against what is stored. */
static qc_status values_pass(qc_reader *reader, const qc_tensor *tensor, int verify)
{
    const int64_t elems = qc_tensor_elems(tensor);
    const int dense = qc_tensor_is_contiguous(tensor);
    for (int64_t i = 0; i < elems; i++) {
        if (i > 0 && !qc_reader_take(reader, ",")) {
            char expected[60];
            snprintf(expected, sizeof expected, "',' and %lld more values",
                     (long long)(elems - i));
            return qc_reader_fail(reader, expected);
        }
        const qc_reader before = *reader;
        uint64_t bits = 0;
        const qc_status status = qc_value_parse(reader, tensor->dtype, &bits);
        if (status != QC_OK) {
            return status;
        }
        const int64_t at = dense ? tensor->offset + i : qc_tensor_at(tensor, i);
        if (!verify) {
            qc_bits_store(tensor, at, bits);
        } else if (qc_bits_load(tensor, at) != bits) {
            return qc_reader_say(&before,
                                 "two elements share this place, expected equal values");
        }
    }
    return QC_OK;
}

qc_status qc_values_parse(qc_reader *reader, const qc_tensor *tensor)
{
    qc_reader again = *reader;
    const qc_status status = values_pass(reader, tensor, 0);
    if (status == QC_OK && !qc_tensor_is_contiguous(tensor)) {
        return values_pass(&again, tensor, 1);
    }
    return status;
}

void qc_shape_put(qc_writer *writer, const qc_tensor *tensor)
{
    qc_writer_put(writer, qc_dtype_name(tensor->dtype));
    qc_writer_put(writer, "[");
    for (uint32_t d = 0; d < tensor->rank; d++) {
        qc_writer_put(writer, d > 0 ? "x" : "");
        qc_writer_int(writer, tensor->dims[d]);
    }
    qc_writer_put(writer, "]");
}

void qc_strides_put(qc_writer *writer, const qc_tensor *tensor)
{
    qc_tensor plain = *tensor;
    qc_tensor_contiguous(&plain);
    if (tensor->offset == 0 && memcmp(plain.strides, tensor->strides,
                                      tensor->rank * sizeof plain.strides[0]) == 0) {
        return;
    }
    qc_writer_put(writer, "{s=");
    for (uint32_t d = 0; d < tensor->rank; d++) {
        qc_writer_put(writer, d > 0 ? "x" : "");
        qc_writer_int(writer, tensor->strides[d]);
    }
    qc_writer_put(writer, ",o=");
    qc_writer_int(writer, tensor->offset);
    qc_writer_put(writer, "}");
}

void qc_values_put(qc_writer *writer, const qc_tensor *tensor)
{
    const int64_t elems = qc_tensor_elems(tensor);
    char text[41] = ",";
    for (int64_t i = 0; i < elems; i++) {
        const uint64_t bits = qc_bits_load(tensor, qc_tensor_at(tensor, i));
        qc_value_format(tensor->dtype, bits, text + 1);
        qc_writer_put(writer, i > 0 ? text : text + 1);
    }
}
