/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a case, and the shapes that follow from its op. */
#include "limits.h"

#include <stdlib.h>
#include <string.h>

void qc_case_init(qc_case *item, qc_op op)
{
    memset(item, 0, sizeof *item);
    qc_call_init(&item->call, op);
    memcpy(item->profile, "ideal", sizeof "ideal");
    item->call.profile = item->profile;
    item->align_bytes = -1;
    item->repeat = 1;
}

void qc_case_free(qc_case *item)
{
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        free(item->storage[arg]);
        item->storage[arg] = NULL;
        item->storage_bytes[arg] = 0;
        item->call.args[arg].data = NULL;
    }
}

void qc_answer_free(qc_answer *answer)
{
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        free(answer->outputs[arg].data);
        answer->outputs[arg].data = NULL;
    }
}

int64_t qc_tensor_room(const qc_tensor *tensor)
{
    int64_t low = 0;
    int64_t high = 0;
    const int64_t elems = qc_tensor_elems(tensor);
    if (elems < 0 || elems > QC_LIMIT_ELEMS) {
        return -1;
    }
    qc_tensor_span(tensor, &low, &high);
    if (elems > 0 && (low < 0 || high >= QC_LIMIT_ELEMS)) {
        return -1;
    }
    return elems == 0 ? 0 : high + 1;
}

qc_status qc_case_allocate(qc_case *item, uint32_t arg, const qc_tensor *tensor)
{
    const int64_t room = qc_tensor_room(tensor);
    if (room < 0) {
        return QC_NO_MEMORY;
    }
    const size_t bytes = (size_t)room * qc_dtype_bytes(tensor->dtype);
    void *storage = calloc(1, bytes > 0 ? bytes : 1);
    if (storage == NULL) {
        return QC_NO_MEMORY;
    }
    const qc_tensor view = *tensor; /* `tensor` may be args[arg] itself */
    free(item->storage[arg]);
    item->call.args[arg] = view;
    item->call.args[arg].data = storage;
    item->storage[arg] = storage;
    item->storage_bytes[arg] = bytes;
    return QC_OK;
}

/* First dim of the argument whose shape rule is `shape`; 1 where the rank is wrong. */
static int64_t rows_of(const qc_call *call, const qc_op_info *info, uint32_t shape)
{
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (info->args[arg].shape == shape && call->args[arg].rank > 0) {
            return call->args[arg].dims[0];
        }
    }
    return 1;
}

/* Dims of one output. Calls that are invalid for their op get some shape too: negative tests
   must be expressible. */
static void shape_output(const qc_call *call, const qc_op_info *info, uint32_t arg,
                         qc_tensor *output)
{
    const qc_tensor *const body = &call->args[qc_op_body(call->op)];
    const int64_t rank = body->rank;
    const int64_t axis = call->attrs.axis + (call->attrs.axis < 0 ? rank : 0);
    output->rank = 0;
    switch (info->args[arg].shape) {
    case QC_SHAPE_BODY:
    case QC_SHAPE_LIKE:
        output->rank = body->rank;
        memcpy(output->dims, body->dims, sizeof output->dims);
        break;
    case QC_SHAPE_CHANNEL:
        if (call->attrs.axis != QC_AXIS_NONE && axis >= 0 && axis < rank) {
            output->rank = 1;
            output->dims[0] = body->dims[axis];
        }
        break;
    case QC_SHAPE_MN:
        output->rank = 2;
        output->dims[0] = rows_of(call, info, QC_SHAPE_MK);
        output->dims[1] = rows_of(call, info, QC_SHAPE_NK);
        break;
    case QC_SHAPE_N:
        output->rank = 1;
        output->dims[0] = rows_of(call, info, QC_SHAPE_NK);
        break;
    default: break;
    }
}

void qc_output_shape(const qc_call *call, uint32_t arg, qc_tensor *output)
{
    shape_output(call, qc_op_get(call->op), arg, output);
    qc_tensor_contiguous(output);
}

void qc_case_shape_outputs(qc_case *item)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (info->args[arg].is_output && item->call.args[arg].dtype != QC_NONE) {
            qc_output_shape(&item->call, arg, &item->call.args[arg]);
        }
    }
}
