/* SPDX-License-Identifier: Apache-2.0 */
/* XNNPACK's convert and fully-connected operators as a backend. The library takes one scale
   and one zero point per tensor, a bias in accumulator units, weights s8 without a zero point
   or u8 with one; scales are normal numbers. It may read XNN_EXTRA_BYTES behind an input,
   which its header says, so inputs are copied into room for them. */
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <xnnpack.h>

#include "quantcert/backend.h"

#define F32 QC_DTYPE_BIT(QC_F32)
#define S32 QC_DTYPE_BIT(QC_S32)
#define S8 QC_DTYPE_BIT(QC_S8)
#define U8 QC_DTYPE_BIT(QC_U8)

#define CONVERTS(name, from, to)                                                         \
    {                                                                                    \
        .op = QC_OP_##name, .arg_dtypes = {from, F32, S32, to},                          \
        .granularities = QC_PER_TENSOR, .scale_forms = QC_FORM_DIVIDE,                   \
        .grids = QC_GRID_FULL | QC_GRID_NARROW, .max_rank = QC_MAX_RANK, .nonfinite = 1, \
        .scale_low = FLT_MIN, .claims = {                                                \
            "xnnpack",                                                                   \
            "ideal"                                                                      \
        }                                                                                \
    }
/* With and without a bias; the product of the scales over the output's is below 256. */
#define MULTIPLIES(code, bias, weights)                                                  \
    {                                                                                    \
        .op = QC_OP_quantized_linear,                                                    \
        .arg_dtypes = {code, code, S32, S32, F32, F32, F32, 0, 0, bias, S32, code},      \
        .granularities = QC_PER_TENSOR, .scale_forms = QC_FORM_DIVIDE,                   \
        .grids = QC_GRID_FULL | QC_GRID_NARROW, .min_rank = 2, .max_rank = 2,            \
        .choices = 1u << QC_PARAMS_scales, .scale_low = FLT_MIN, .zero_points = weights, \
        .min_terms = 1, .multiplier_low = 0x1p-32, .multiplier_high = 0x1.fffp7,         \
        .claims = {                                                                      \
            "xnnpack",                                                                   \
            "ideal"                                                                      \
        }                                                                                \
    }

static const qc_capability capabilities[] = {
    CONVERTS(quantize, F32, S8 | U8),  CONVERTS(dequantize, S8 | U8, F32),
    MULTIPLIES(S8, S32, QC_ZP_ZERO),   MULTIPLIES(S8, 0, QC_ZP_ZERO),
    MULTIPLIES(U8, S32, QC_ZP_COMMON), MULTIPLIES(U8, 0, QC_ZP_COMMON)};

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    (void)self;
    if (xnn_initialize(NULL) != xnn_status_success) {
        return qc_fail(QC_FAULT, message, "XNNPACK does not run on this machine");
    }
    *description_ret =
        (qc_description){.size_bytes = sizeof *description_ret,
                         .capability_count = sizeof capabilities / sizeof capabilities[0],
                         .capabilities = capabilities,
                         .name = "xnnpack",
                         .version = QC_XNNPACK_VERSION};
    return QC_OK;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    (void)self;
    *plan_ret = NULL; /* operators own packed weights: they are made at run */
    return qc_call_check(call, message);
}

static float real(const qc_call *call, unsigned arg)
{
    return *(const float *)call->args[arg].data;
}

static int32_t whole(const qc_call *call, unsigned arg)
{
    return *(const int32_t *)call->args[arg].data;
}

/* The rows of a contiguous tensor: all dims but the last, which has the channels. */
typedef struct shape {
    size_t rows;
    size_t channels;
} shape;

static shape shape_of(const qc_tensor *body)
{
    const size_t elems = (size_t)qc_tensor_elems(body);
    const size_t last = body->rank ? (size_t)body->dims[body->rank - 1] : 1;
    return last ? (shape){elems / last, last} : (shape){0, 1};
}

static enum xnn_status quantize(const qc_call *call, const void *x, xnn_operator_t *op)
{
    const qc_tensor *const q = &call->args[QC_ARG_OF(quantize, q)];
    const shape s = shape_of(q);
    const float scale = real(call, QC_ARG_OF(quantize, scale));
    const int32_t zp = whole(call, QC_ARG_OF(quantize, zero_point));
    int32_t low;
    int32_t high;
    qc_call_grid(call, &low, &high);
    const enum xnn_status made =
        q->dtype == QC_S8
            ? xnn_create_convert_nc_f32_qs8(s.channels, s.channels, s.channels, scale,
                                            (int8_t)zp, (int8_t)low, (int8_t)high, 0, op)
            : xnn_create_convert_nc_f32_qu8(s.channels, s.channels, s.channels, scale,
                                            (uint8_t)zp, (uint8_t)low, (uint8_t)high, 0,
                                            op);
    if (made != xnn_status_success) {
        return made;
    }
    return q->dtype == QC_S8
               ? xnn_setup_convert_nc_f32_qs8(*op, s.rows, x, q->data, NULL)
               : xnn_setup_convert_nc_f32_qu8(*op, s.rows, x, q->data, NULL);
}

static enum xnn_status dequantize(const qc_call *call, const void *q, xnn_operator_t *op)
{
    const int is_s8 = call->args[QC_ARG_OF(dequantize, q)].dtype == QC_S8;
    const qc_tensor *const y = &call->args[QC_ARG_OF(dequantize, y)];
    const shape s = shape_of(y);
    const float scale = real(call, QC_ARG_OF(dequantize, scale));
    const int32_t zp = whole(call, QC_ARG_OF(dequantize, zero_point));
    const enum xnn_status made =
        is_s8 ? xnn_create_convert_nc_qs8_f32(s.channels, s.channels, s.channels, scale,
                                              (int8_t)zp, 0, op)
              : xnn_create_convert_nc_qu8_f32(s.channels, s.channels, s.channels, scale,
                                              (uint8_t)zp, 0, op);
    if (made != xnn_status_success) {
        return made;
    }
    return is_s8 ? xnn_setup_convert_nc_qs8_f32(*op, s.rows, q, y->data, NULL)
                 : xnn_setup_convert_nc_qu8_f32(*op, s.rows, q, y->data, NULL);
}

static enum xnn_status multiply(const qc_call *call, const void *x, xnn_operator_t *op)
{
#define ARG(name) QC_ARG_OF(quantized_linear, name)
    const qc_tensor *const q = &call->args[ARG(q)];
    const size_t rows = (size_t)q->dims[0];
    const size_t n = (size_t)q->dims[1];
    const size_t k = (size_t)call->args[ARG(x_q)].dims[1];
    const void *const weights = call->args[ARG(w_q)].data;
    const int32_t *const bias = call->args[ARG(bias)].data;
    const float x_scale = real(call, ARG(x_scale));
    const float w_scale = real(call, ARG(w_scale));
    const float scale = real(call, ARG(out_scale));
    const int32_t x_zp = whole(call, ARG(x_zero_point));
    const int32_t w_zp = whole(call, ARG(w_zero_point));
    const int32_t zp = whole(call, ARG(out_zero_point));
    int32_t low;
    int32_t high;
    qc_call_grid(call, &low, &high);
    const enum xnn_status made =
        q->dtype == QC_S8
            ? xnn_create_fully_connected_nc_qs8(k, n, k, n, (int8_t)x_zp, x_scale,
                                                w_scale, weights, bias, (int8_t)zp, scale,
                                                (int8_t)low, (int8_t)high, 0, op)
            : xnn_create_fully_connected_nc_qu8(
                  k, n, k, n, (uint8_t)x_zp, x_scale, (uint8_t)w_zp, w_scale, weights,
                  bias, (uint8_t)zp, scale, (uint8_t)low, (uint8_t)high, 0, op);
    if (made != xnn_status_success) {
        return made;
    }
    return q->dtype == QC_S8
               ? xnn_setup_fully_connected_nc_qs8(*op, rows, x, q->data, NULL)
               : xnn_setup_fully_connected_nc_qu8(*op, rows, x, q->data, NULL);
#undef ARG
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    (void)self;
    (void)plan;
    const qc_tensor *const input = &call->args[0];
    const uint32_t last = qc_op_get(call->op)->arg_count - 1;
    const size_t bytes = (size_t)qc_tensor_elems(input) * qc_dtype_bytes(input->dtype);
    if (qc_tensor_elems(&call->args[last]) == 0) {
        return QC_OK; /* the library has no operator of no channels */
    }
    char *const room = calloc(1, bytes + XNN_EXTRA_BYTES);
    if (!room) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for the input");
    }
    memcpy(room, input->data, bytes);
    xnn_operator_t op = NULL;
    enum xnn_status status = call->op == QC_OP_quantize     ? quantize(call, room, &op)
                             : call->op == QC_OP_dequantize ? dequantize(call, room, &op)
                                                            : multiply(call, room, &op);
    if (status == xnn_status_success) {
        status = xnn_run_operator(op, NULL);
    }
    xnn_delete_operator(op);
    free(room);
    return status == xnn_status_success
               ? QC_OK
               : qc_fail(QC_UNSUPPORTED, message, "XNNPACK refuses (status %d)", status);
}

QC_EXPORT const qc_backend *quantcert_backend(void);

const qc_backend *quantcert_backend(void)
{
    static const qc_backend table = {.abi_version = QC_ABI_VERSION,
                                     .size_bytes = sizeof table,
                                     .describe = describe,
                                     .prepare = prepare,
                                     .run = run};
    return &table;
}
