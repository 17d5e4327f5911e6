/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's reorder as a backend: f32 -> s8/u8 and back, with an output scale and a zero
   point, both handed over at run time, as given. The library multiplies by the scale; nothing
   is converted here. Strides go to the library as they are. */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantcert/backend.h"

const qc_backend *quantcert_backend(void) __attribute__((visibility("default")));

/* Of the OpenMP runtime that the library brings; other builds of it have none. */
extern void omp_set_num_threads(int) __attribute__((weak));

typedef struct session {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    char version[32];
} session;

struct qc_plan {
    dnnl_memory_desc_t from;
    dnnl_memory_desc_t to;
    dnnl_primitive_t reorder;
    int zero_point_of; /* the side of the codes */
};

#define CODES (QC_DTYPE_BIT(QC_S8) | QC_DTYPE_BIT(QC_U8))
#define OFFERED(name, from, to, form)                                               \
    {                                                                               \
        .op = QC_OP_##name,                                                         \
        .arg_dtypes = {from, QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_S32), to},       \
        .granularities = QC_PER_TENSOR, .scale_forms = form, .grids = QC_GRID_FULL, \
        .min_rank = 1, .max_rank = QC_MAX_RANK, .strided = 1, .nonfinite = 1,       \
        .max_threads = 1, .claims = {                                               \
            "ideal"                                                                 \
        }                                                                           \
    }

static const qc_capability capabilities[] = {
    OFFERED(quantize, QC_DTYPE_BIT(QC_F32), CODES, QC_FORM_MULTIPLY),
    OFFERED(dequantize, CODES, QC_DTYPE_BIT(QC_F32), QC_FORM_DIVIDE),
};

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    session *s = self;
    const dnnl_version_t *version = dnnl_version();
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
    *description_ret =
        (qc_description){.size_bytes = sizeof *description_ret,
                         .capability_count = sizeof capabilities / sizeof capabilities[0],
                         .capabilities = capabilities,
                         .name = "onednn",
                         .version = s->version};
    return QC_OK;
}

static dnnl_status_t layout(const qc_tensor *tensor, dnnl_memory_desc_t *desc_ret)
{
    const dnnl_data_type_t type = tensor->dtype == QC_F32  ? dnnl_f32
                                  : tensor->dtype == QC_S8 ? dnnl_s8
                                                           : dnnl_u8;
    dnnl_dims_t dims = {0};
    dnnl_dims_t strides = {0};
    memcpy(dims, tensor->dims, sizeof tensor->dims);
    memcpy(strides, tensor->strides, sizeof tensor->strides);
    return dnnl_memory_desc_init_by_strides(desc_ret, (int)tensor->rank, dims, type,
                                            strides);
}

/* The library's own status of the whole construction. */
static dnnl_status_t build(const session *s, qc_plan *plan)
{
    const float scale = DNNL_RUNTIME_F32_VAL;
    const int32_t zero_point = DNNL_RUNTIME_S32_VAL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_status_t status = dnnl_primitive_attr_create(&attr);
    if (status == dnnl_success) {
        status = dnnl_primitive_attr_set_output_scales(attr, 1, 0, &scale);
    }
    if (status == dnnl_success) {
        status = dnnl_primitive_attr_set_zero_points(attr, plan->zero_point_of, 1, 0,
                                                     &zero_point);
    }
    if (status == dnnl_success) {
        status = dnnl_reorder_primitive_desc_create(&desc, &plan->from, s->engine,
                                                    &plan->to, s->engine, attr);
    }
    if (status == dnnl_success) {
        status = dnnl_primitive_create(&plan->reorder, desc);
    }
    dnnl_primitive_desc_destroy(desc);
    dnnl_primitive_attr_destroy(attr);
    return status;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    const qc_status checked = qc_call_check(call, message);
    if (checked != QC_OK) {
        return checked;
    }
    qc_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for a plan");
    }
    plan->zero_point_of = call->op == QC_OP_quantize ? DNNL_ARG_TO : DNNL_ARG_FROM;
    dnnl_status_t status = layout(&call->args[0], &plan->from);
    if (status == dnnl_success) {
        status = layout(&call->args[3], &plan->to);
    }
    if (status == dnnl_success) {
        status = build(self, plan);
    }
    if (status != dnnl_success) {
        free(plan);
        return qc_fail(QC_UNSUPPORTED, message, "oneDNN refuses the reorder (status %d)",
                       status);
    }
    *plan_ret = plan;
    return QC_OK;
}

static void *first(const qc_tensor *tensor)
{
    return (char *)tensor->data + tensor->offset * (int64_t)qc_dtype_bytes(tensor->dtype);
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    const session *s = self;
    const dnnl_dims_t one = {1};
    dnnl_memory_desc_t scale;
    dnnl_memory_desc_t zero_point;
    dnnl_memory_desc_init_by_tag(&scale, 1, one, dnnl_f32, dnnl_x);
    dnnl_memory_desc_init_by_tag(&zero_point, 1, one, dnnl_s32, dnnl_x);
    const dnnl_memory_desc_t *descs[] = {&plan->from, &scale, &zero_point, &plan->to};
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, NULL},
                              {DNNL_ARG_ATTR_OUTPUT_SCALES, NULL},
                              {DNNL_ARG_ATTR_ZERO_POINTS | plan->zero_point_of, NULL},
                              {DNNL_ARG_TO, NULL}};
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < 4 && status == dnnl_success; i++) {
        status = dnnl_memory_create(&args[i].memory, descs[i], s->engine,
                                    first(&call->args[i]));
    }
    if (status == dnnl_success) {
        status = dnnl_primitive_execute(plan->reorder, s->stream, 4, args);
    }
    if (status == dnnl_success) {
        status = dnnl_stream_wait(s->stream);
    }
    for (int i = 0; i < 4; i++) {
        dnnl_memory_destroy(args[i].memory);
    }
    return status == dnnl_success
               ? QC_OK
               : qc_fail(QC_FAULT, message, "oneDNN fails to reorder (status %d)",
                         status);
}

static void release(void *self, qc_plan *plan)
{
    (void)self;
    dnnl_primitive_destroy(plan->reorder);
    free(plan);
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
