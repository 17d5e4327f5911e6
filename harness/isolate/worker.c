/* SPDX-License-Identifier: Apache-2.0 */
/* A worker as a backend: one frame there and one back for each run. prepare asks nothing, so
   that a small call costs one write and one read on either side. */
#include <string.h>

#include "harness/isolate/worker.h"

#define DATA_MODULO 64u

static void hello(qc_worker *worker)
{
    qc_message message = {""};
    qc_reading body;
    qc_wire_begin(&worker->request, QC_KIND_HELLO, worker->sequence);
    qc_wire_u32(&worker->request, QC_WORKER_VERSION);
    const qc_status status = qc_worker_ask(worker, 8, &body, &message);
    const uint32_t version = qc_read_u32(&body);
    worker->flags = qc_read_u32(&body);
    if (status != QC_OK) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL, "hello: %.180s",
                         message.text[0] ? message.text : "refused without a message");
    }
    if (body.is_short || body.left || worker->flags & ~QC_WORKER_CHECKED) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "hello: expected a version and known flags, nothing else");
    }
    if (version != QC_WORKER_VERSION) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "the worker speaks version %u of the protocol, expected %u",
                         version, QC_WORKER_VERSION);
    }
}

static void put_name(qc_wire *wire, const char *name)
{
    const size_t bytes = strlen(name);
    qc_wire_u32(wire, (uint32_t)bytes);
    qc_wire_elems(wire, name, bytes, 1);
}

/* The ops and their arguments, so that a worker needs no table of its own. */
static void put_ops(qc_wire *wire)
{
    qc_wire_u32(wire, QC_OP_COUNT);
    for (uint32_t i = 0; i < QC_OP_COUNT; i++) {
        const qc_op_info *op = qc_op_get(i);
        put_name(wire, op->name);
        qc_wire_u32(wire, op->arg_count);
        for (uint32_t arg = 0; arg < op->arg_count; arg++) {
            put_name(wire, op->args[arg].name);
            qc_wire_u32(wire, op->args[arg].is_output);
        }
    }
}

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    qc_worker *worker = self;
    qc_reading body;
    qc_worker_start(worker);
    hello(worker);
    qc_wire_begin(&worker->request, QC_KIND_DESCRIBE, ++worker->sequence);
    put_ops(&worker->request);
    const qc_status status = qc_worker_ask(worker, QC_WORKER_ABOUT_BYTES, &body, message);
    if (status == QC_OK) {
        qc_worker_read_description(worker, &body);
        *description_ret = worker->description;
    }
    return status;
}

static int is_offered(const qc_worker *worker, const qc_call *call)
{
    for (uint32_t i = 0; i < worker->description.capability_count; i++) {
        const qc_capability *capability = &worker->capabilities[i];
        int matches = capability->op == call->op;
        for (uint32_t arg = 0; arg < QC_MAX_ARGS && matches; arg++) {
            const uint32_t dtype = call->args[arg].dtype;
            matches =
                dtype == QC_NONE || (dtype < QC_DTYPE_COUNT &&
                                     capability->arg_dtypes[arg] & QC_DTYPE_BIT(dtype));
        }
        if (matches) {
            return 1;
        }
    }
    return 0;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    const qc_worker *worker = self;
    *plan_ret = NULL;
    return worker->flags & QC_WORKER_CHECKED ? qc_call_check(call, message) : QC_OK;
}

/* The record of one tensor, and how many bytes of data and of padding follow the records. */
static size_t put_tensor(qc_wire *wire, const qc_tensor *tensor, int is_output,
                         size_t *at_bytes)
{
    int64_t low = 0;
    const size_t bytes = is_output ? 0 : qc_span_bytes(tensor, &low);
    const uintptr_t start = (uintptr_t)tensor->data +
                            (uintptr_t)(low * (int64_t)qc_dtype_bytes(tensor->dtype));
    const size_t pad = bytes ? (size_t)((start - *at_bytes) % DATA_MODULO) : 0;
    qc_wire_u32(wire, tensor->dtype);
    qc_wire_u32(wire, tensor->rank);
    for (uint32_t d = 0; d < QC_MAX_RANK; d++) {
        qc_wire_u64(wire, (uint64_t)tensor->dims[d]);
    }
    for (uint32_t d = 0; d < QC_MAX_RANK; d++) {
        qc_wire_u64(wire, (uint64_t)tensor->strides[d]);
    }
    qc_wire_u64(wire, (uint64_t)(tensor->offset - low));
    qc_wire_u64(wire, *at_bytes + pad);
    qc_wire_u64(wire, bytes);
    *at_bytes += pad + bytes;
    return pad;
}

static void put_call(qc_worker *worker, const qc_call *call, const qc_op_info *op)
{
    qc_wire *wire = &worker->request;
    const int32_t words[] = {call->attrs.axis,      call->attrs.qmin,
                             call->attrs.qmax,      call->attrs.scale_form,
                             call->attrs.mask_form, call->attrs.params,
                             call->attrs.scheme,    call->attrs.observer,
                             call->attrs.threads,   call->attrs.reserved};
    char profile[QC_NAME_BYTES] = "";
    size_t pads[QC_MAX_ARGS];
    qc_wire_begin(wire, QC_KIND_RUN, ++worker->sequence);
    qc_wire_u32(wire, call->op);
    qc_wire_u32(wire, op->arg_count);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        qc_wire_u32(wire, (uint32_t)words[i]);
    }
    qc_wire_f64(wire, call->attrs.averaging);
    qc_wire_f64(wire, call->attrs.grad_factor);
    strncpy(profile, call->profile, QC_NAME_BYTES - 1);
    qc_wire_elems(wire, profile, QC_NAME_BYTES, 1);
    size_t at_bytes = wire->used - QC_FRAME_HEADER_BYTES +
                      (size_t)op->arg_count * QC_TENSOR_RECORD_BYTES;
    for (uint32_t arg = 0; arg < op->arg_count; arg++) {
        pads[arg] =
            put_tensor(wire, &call->args[arg], (int)op->args[arg].is_output, &at_bytes);
    }
    for (uint32_t arg = 0; arg < op->arg_count; arg++) {
        const qc_tensor *tensor = &call->args[arg];
        const size_t size = qc_dtype_bytes(tensor->dtype);
        int64_t low = 0;
        const size_t bytes = op->args[arg].is_output ? 0 : qc_span_bytes(tensor, &low);
        qc_wire_zeros(wire, pads[arg]);
        qc_wire_elems(wire,
                      bytes ? (const char *)tensor->data + low * (int64_t)size : NULL,
                      bytes, size ? size : 1);
    }
}

/* The elements of one output, from row-major order to where they belong. */
static void scatter(const qc_tensor *tensor, const unsigned char *elems)
{
    const size_t size = qc_dtype_bytes(tensor->dtype);
    const int64_t count = qc_tensor_elems(tensor);
    unsigned char *data = tensor->data;
    if (qc_tensor_is_contiguous(tensor)) {
        qc_copy_elems(data + tensor->offset * (int64_t)size, elems, (size_t)count * size,
                      size);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        qc_copy_elems(data + qc_tensor_at(tensor, i) * (int64_t)size,
                      elems + (size_t)i * size, size, size);
    }
}

/* Every output that the call has, in order, of the dtype and size asked for. */
static void take_outputs(qc_worker *worker, const qc_call *call, const qc_op_info *op,
                         qc_reading *body)
{
    for (uint32_t arg = 0; arg < op->arg_count; arg++) {
        const qc_tensor *tensor = &call->args[arg];
        if (!op->args[arg].is_output || tensor->dtype == QC_NONE) {
            continue;
        }
        const size_t want =
            (size_t)qc_tensor_elems(tensor) * qc_dtype_bytes(tensor->dtype);
        const uint32_t found = qc_read_u32(body);
        const uint32_t dtype = qc_read_u32(body);
        const uint64_t bytes = qc_read_u64(body);
        if (body->is_short || found != arg || dtype != tensor->dtype || bytes != want) {
            qc_worker_accuse(
                worker, QC_VERDICT_PROTOCOL,
                "%s: expected argument %u, %s, %zu bytes; found argument %u, "
                "%s, %llu bytes",
                op->args[arg].name, arg, qc_dtype_name(tensor->dtype), want, found,
                qc_dtype_name(dtype), (unsigned long long)bytes);
        }
        const unsigned char *elems = qc_read_bytes(body, want);
        if (!elems) {
            qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                             "%s: the answer ends within its %zu bytes",
                             op->args[arg].name, want);
        }
        scatter(tensor, elems);
    }
    if (body->left) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "%zu bytes behind the outputs of %s", body->left, op->name);
    }
}

static size_t outputs_bytes(const qc_call *call, const qc_op_info *op)
{
    size_t most = 0;
    for (uint32_t arg = 0; arg < op->arg_count; arg++) {
        int64_t low = 0;
        if (op->args[arg].is_output) {
            most += 16 + qc_span_bytes(&call->args[arg], &low);
        }
    }
    return most;
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    (void)plan;
    qc_worker *worker = self;
    qc_reading body;
    const qc_op_info *op = qc_op_get(call->op);
    put_call(worker, call, op);
    const qc_status status =
        qc_worker_ask(worker, outputs_bytes(call, op), &body, message);
    if (status != QC_OK) {
        return status;
    }
    qc_message reason = {""};
    if (!is_offered(worker, call)) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "success reported for %s of dtypes that were never declared",
                         op->name);
    }
    if (qc_call_check(call, &reason) != QC_OK) {
        return QC_OK; /* accepted, though invalid: nothing of it can be placed */
    }
    take_outputs(worker, call, op, &body);
    return QC_OK;
}

static void close_worker(void *self)
{
    qc_worker *worker = self;
    qc_wire_begin(&worker->request, QC_KIND_CLOSE, ++worker->sequence);
    qc_wire_end(&worker->request);
    qc_worker_close(worker);
}

const qc_backend *qc_worker_backend(const char *command, qc_trouble *trouble)
{
    static qc_worker worker; /* the child has one backend, and `self` must outlive this */
    static const qc_backend table = {.abi_version = QC_ABI_VERSION,
                                     .size_bytes = sizeof table,
                                     .self = &worker,
                                     .describe = describe,
                                     .prepare = prepare,
                                     .run = run,
                                     .close = close_worker};
    worker = (qc_worker){.command = command, .trouble = trouble};
    return &table;
}
