/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's reorder and matmul as a backend, versions 2 and 3. Scales and zero points are
   handed over at run time, as given; strides go to the library as they are. */
#include "onednn.h"

#include <stdio.h>
#include <stdlib.h>

const qc_backend *quantcert_backend(void) __attribute__((visibility("default")));

/* Of the OpenMP runtime that the library brings; other builds of it have none. */
extern void omp_set_num_threads(int) __attribute__((weak));

typedef struct session {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    char version[32];
} session;

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    session *s = self;
    const dnnl_version_t *version = dnnl_version();
#ifdef QC_ONEDNN_OPENCL
    setenv("OCL_ICD_FILENAMES", QC_ONEDNN_OPENCL, 0);
#endif
    if (omp_set_num_threads) {
        omp_set_num_threads(1);
    }
    if (dnnl_engine_create(&s->engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags) !=
            dnnl_success) {
        return qc_fail(QC_FAULT, message, "oneDNN has no CPU engine here");
    }
    snprintf(s->version, sizeof s->version, "%d.%d.%d", version->major, version->minor,
             version->patch);
    *description_ret = (qc_description){.size_bytes = sizeof *description_ret,
                                        .capability_count = onednn_capability_count,
                                        .capabilities = onednn_capabilities,
                                        .name = "onednn",
                                        .version = s->version};
    return QC_OK;
}

static void release(void *self, qc_plan *plan)
{
    (void)self;
    if (plan->primitive) {
        dnnl_primitive_destroy(plan->primitive);
    }
    if (plan->attr) {
        dnnl_primitive_attr_destroy(plan->attr);
    }
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        layout_free(&plan->slots[i].as);
    }
    free(plan);
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    const session *const s = self;
    const qc_status checked = qc_call_check(call, message);
    if (checked != QC_OK) {
        return checked;
    }
    qc_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for a plan");
    }
    const dnnl_status_t status = onednn_plan(s->engine, call, plan);
    if (status != dnnl_success) {
        release(self, plan);
        return qc_fail(QC_UNSUPPORTED, message,
                       "oneDNN refuses the primitive (status %d)", status);
    }
    *plan_ret = plan;
    return QC_OK;
}

static char *element(const qc_tensor *tensor, int64_t i)
{
    return (char *)tensor->data + (i < 0 ? tensor->offset : qc_tensor_at(tensor, i)) *
                                      (int64_t)qc_dtype_bytes(tensor->dtype);
}

/* The slot's memory: the tensor's own, or a copy of a parameter's elements side by side. */
static void *slot_data(const slot *from, const qc_tensor *tensor, void **copy_ret)
{
    *copy_ret = NULL;
    if (!from->is_parameter || tensor->rank == 0) {
        return element(tensor, -1);
    }
    const int64_t elems = qc_tensor_elems(tensor);
    char *const copy = malloc((size_t)elems * 4 + 1); /* f32 and s32 alike */
    for (int64_t i = 0; copy && i < elems; i++) {
        memcpy(copy + i * 4, element(tensor, i), 4);
    }
    *copy_ret = copy;
    return copy;
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    const session *s = self;
    dnnl_exec_arg_t args[MAX_SLOTS] = {{0, NULL}};
    void *copies[MAX_SLOTS] = {NULL};
    dnnl_status_t status = dnnl_success;
    for (uint32_t i = 0; i < plan->slot_count && status == dnnl_success; i++) {
        const slot *const from = &plan->slots[i];
        args[i].arg = from->arg;
        status = dnnl_memory_create(&args[i].memory, LAYOUT_OF(&from->as), s->engine,
                                    slot_data(from, &call->args[from->of], &copies[i]));
    }
    if (status == dnnl_success) {
        status = dnnl_primitive_execute(plan->primitive, s->stream, (int)plan->slot_count,
                                        args);
    }
    if (status == dnnl_success) {
        status = dnnl_stream_wait(s->stream);
    }
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        if (args[i].memory) {
            dnnl_memory_destroy(args[i].memory);
        }
        free(copies[i]);
    }
    return status == dnnl_success
               ? QC_OK
               : qc_fail(QC_FAULT, message, "oneDNN fails to run (status %d)", status);
}

static void close_session(void *self)
{
    session *s = self;
    dnnl_stream_destroy(s->stream);
    dnnl_engine_destroy(s->engine);
}

const qc_backend *quantcert_backend(void)
{
    static session own;
    static const qc_backend table = {.abi_version = QC_ABI_VERSION,
                                     .size_bytes = sizeof table,
                                     .self = &own,
                                     .describe = describe,
                                     .prepare = prepare,
                                     .run = run,
                                     .release = release,
                                     .close = close_session};
    return &table;
}
