/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: what stands behind "=>" on a line of the text pipe. */
#include "tensor_text.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>

static qc_status parse_answer_tensor(qc_reader *reader, const qc_case *item, uint32_t arg,
                                     qc_answer *answer)
{
    const qc_tensor *const want = &item->call.args[arg];
    qc_tensor *const output = &answer->outputs[arg];
    qc_tensor tensor;
    const qc_reader before = *reader;
    qc_status status = qc_shape_parse(reader, &tensor);
    if (status != QC_OK) {
        return status;
    }
    if (tensor.dtype != want->dtype || tensor.rank != want->rank ||
        memcmp(tensor.dims, want->dims, want->rank * sizeof want->dims[0]) != 0) {
        qc_writer shape = {0};
        qc_shape_put(&shape, want);
        status = qc_reader_fail(&before, shape.failed ? "the case's shape" : shape.text);
        free(shape.text);
        return status;
    }
    if (!qc_reader_take(reader, ":")) {
        return qc_reader_fail(reader, "':' and values");
    }
    tensor.data =
        calloc((size_t)qc_tensor_elems(&tensor) + 1, qc_dtype_bytes(tensor.dtype));
    if (tensor.data == NULL) {
        return qc_fail(QC_NO_MEMORY, reader->message, "no memory for the answer");
    }
    *output = tensor;
    return qc_values_parse(reader, output);
}

qc_status qc_answer_parse(qc_reader *reader, const qc_case *item, qc_answer *answer)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    if (qc_reader_take(reader, " !invalid")) {
        answer->kind = QC_ANSWER_INVALID;
        return QC_OK;
    }
    if (qc_reader_take(reader, " !unsupported")) {
        answer->kind = QC_ANSWER_UNSUPPORTED;
        return QC_OK;
    }
    answer->kind = QC_ANSWER_VALUES;
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (!info->args[arg].is_output || item->call.args[arg].dtype == QC_NONE) {
            continue;
        }
        char key[40];
        snprintf(key, sizeof key, " %s=", info->args[arg].name);
        if (!qc_reader_take(reader, key)) {
            char expected[80];
            snprintf(expected, sizeof expected, "'%s' and a tensor, or !invalid", key);
            return qc_reader_fail(reader, expected);
        }
        const qc_status status = parse_answer_tensor(reader, item, arg, answer);
        if (status != QC_OK) {
            return status;
        }
    }
    return QC_OK;
}

char *qc_answer_format(const qc_case *item, const qc_answer *answer)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    qc_writer writer = {0};
    qc_writer_put(&writer, answer->kind == QC_ANSWER_NONE ? "" : " =>");
    if (answer->kind == QC_ANSWER_INVALID) {
        qc_writer_put(&writer, " !invalid");
    } else if (answer->kind == QC_ANSWER_UNSUPPORTED) {
        qc_writer_put(&writer, " !unsupported");
    }
    for (uint32_t arg = 0; answer->kind == QC_ANSWER_VALUES && arg < info->arg_count;
         arg++) {
        const qc_tensor *const tensor = &answer->outputs[arg];
        if (tensor->dtype != QC_NONE) {
            qc_writer_put(&writer, " ");
            qc_writer_put(&writer, info->args[arg].name);
            qc_writer_put(&writer, "=");
            qc_shape_put(&writer, tensor);
            qc_writer_put(&writer, ":");
            qc_values_put(&writer, tensor);
        }
    }
    return qc_writer_take(&writer);
}
