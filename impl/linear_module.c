/* SPDX-License-Identifier: Apache-2.0 */
/* qc_linear_module: the arguments of qc_quantized_linear in memory of its own. A run adds the
   input, and calls the kernel: exactness is the kernel's, and nothing is allocated. */
#include "modules.h"

#include <stdlib.h>
#include <string.h>

struct qc_linear_module {
    qc_linear_args args; /* of the tensors below */
    qc_kernel_options options;
    char profile[32];
    qc_tensor w_q;
    qc_tensor w_scale;
    qc_tensor w_zero_point;
    qc_tensor bias;
    qc_tensor x_scale;
    qc_tensor x_zero_point;
    qc_tensor out_scale;
    qc_tensor out_zero_point;
    double scales[2]; /* of input and output */
    int64_t zero_points[2];
    void *memory; /* zero points, scales, bias, codes of the weights */
};

/* A linear's matrices, by the names of the args; which kinds of weights modules take. */
static qc_status weight_check(const qc_linear_args *args, qc_message *message)
{
    const qc_tensor *const w = args->w_q;
    if (args->x_q) {
        return qc_fail(QC_INVALID, message,
                       "x_q: not taken by pack, inputs come with run");
    }
    if (args->params != QC_PARAMS_scales) {
        return qc_fail(QC_INVALID, message, "params: %d, %d (scales) expected",
                       args->params, QC_PARAMS_scales);
    }
    if (!w || w->dtype != QC_S8) {
        return qc_fail(QC_INVALID, message, "w_q: %s, s8 codes expected; quantize first",
                       w ? qc_dtype_name(w->dtype) : "missing");
    }
    if (w->rank != 2) {
        return qc_fail(QC_INVALID, message, "w_q: rank %u, a linear's [N,K] expected",
                       w->rank);
    }
    if (args->bias && args->bias->dtype != QC_F32) {
        return qc_fail(QC_INVALID, message, "bias: dtype %s, f32 expected",
                       qc_dtype_name(args->bias->dtype));
    }
    return QC_OK;
}

/* The kernel's own check of everything but the input, on an input without rows. */
static qc_status args_check(const qc_linear_args *args, const qc_kernel_options *options,
                            qc_message *message)
{
    const int64_t *const nk = args->w_q->dims; /* negative ones are the weight's fault */
    qc_tensor x_q = {.dtype = QC_S8, .rank = 2, .dims = {0, nk[1] > 0 ? nk[1] : 0}};
    qc_tensor q = {.dtype = QC_S8, .rank = 2, .dims = {0, nk[0] > 0 ? nk[0] : 0}};
    qc_tensor_contiguous(&x_q);
    qc_tensor_contiguous(&q);
    qc_linear_args whole = *args;
    whole.x_q = &x_q;
    return qc_quantized_linear(&whole, &q, options, message);
}

static qc_tensor row_of(uint32_t dtype, int64_t elems, void *data)
{
    return (qc_tensor){
        .dtype = dtype, .rank = 1, .dims = {elems}, .strides = {1}, .data = data};
}

/* The index in a parameter of rank 0 or [N]. */
static int64_t at_row(const qc_tensor *tensor, int64_t n)
{
    return tensor->rank ? n : 0;
}

static qc_status memory_allocate(qc_linear_module *module, int64_t rows, int64_t columns,
                                 qc_message *message)
{
    const size_t per_row = sizeof(int64_t) + 2 * sizeof(float) + (size_t)columns;
    size_t bytes;
    if (__builtin_mul_overflow(per_row, (size_t)rows, &bytes) ||
        !(module->memory = malloc(bytes ? bytes : 1))) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for weights of %lld by %lld",
                       (long long)rows, (long long)columns);
    }
    int64_t *const zero_points = module->memory;
    float *const scales = (float *)(zero_points + rows);
    float *const bias = scales + rows;
    module->w_zero_point = row_of(QC_S64, rows, zero_points);
    module->w_scale = row_of(QC_F32, rows, scales);
    module->bias = row_of(QC_F32, rows, bias);
    module->w_q = (qc_tensor){
        .dtype = QC_S8, .rank = 2, .dims = {rows, columns}, .data = bias + rows};
    qc_tensor_contiguous(&module->w_q);
    return QC_OK;
}

static void weights_copy(qc_linear_module *module, const qc_linear_args *args)
{
    const qc_tensor *const w = args->w_q;
    int8_t *code = module->w_q.data;
    for (int64_t n = 0; n < w->dims[0]; n++) {
        const int8_t *const row = (const int8_t *)w->data + w->offset + n * w->strides[0];
        for (int64_t k = 0; k < w->dims[1]; k++) {
            *code++ = row[k * w->strides[1]];
        }
        ((int64_t *)module->w_zero_point.data)[n] =
            (int64_t)qc_number_load(args->w_zero_point, at_row(args->w_zero_point, n));
        ((float *)module->w_scale.data)[n] =
            (float)qc_number_load(args->w_scale, at_row(args->w_scale, n));
        ((float *)module->bias.data)[n] =
            args->bias ? (float)qc_number_load(args->bias, n) : 0;
    }
}

/* Input and output parameters; the module's own args. */
static void params_copy(qc_linear_module *m, const qc_linear_args *args)
{
    m->scales[0] = qc_number_load(args->x_scale, 0);
    m->scales[1] = qc_number_load(args->out_scale, 0);
    m->zero_points[0] = (int64_t)qc_number_load(args->x_zero_point, 0);
    m->zero_points[1] = (int64_t)qc_number_load(args->out_zero_point, 0);
    m->x_scale = (qc_tensor){.dtype = QC_F64, .data = &m->scales[0]};
    m->out_scale = (qc_tensor){.dtype = QC_F64, .data = &m->scales[1]};
    m->x_zero_point = (qc_tensor){.dtype = QC_S64, .data = &m->zero_points[0]};
    m->out_zero_point = (qc_tensor){.dtype = QC_S64, .data = &m->zero_points[1]};
    m->args = (qc_linear_args){.w_q = &m->w_q,
                               .x_zero_point = &m->x_zero_point,
                               .w_zero_point = &m->w_zero_point,
                               .x_scale = &m->x_scale,
                               .w_scale = &m->w_scale,
                               .out_scale = &m->out_scale,
                               .bias = args->bias ? &m->bias : NULL,
                               .out_zero_point = &m->out_zero_point,
                               .params = QC_PARAMS_scales};
}

qc_status qc_linear_module_pack(const qc_linear_args *args,
                                const qc_kernel_options *options,
                                qc_linear_module **module_ret, qc_message *message)
{
    qc_status status = weight_check(args, message);
    *module_ret = NULL;
    status = status == QC_OK ? args_check(args, options, message) : status;
    if (status != QC_OK) {
        return status;
    }
    qc_linear_module *const made = calloc(1, sizeof *made);
    if (!made) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for a module");
    }
    status = memory_allocate(made, args->w_q->dims[0], args->w_q->dims[1], message);
    if (status != QC_OK) {
        free(made);
        return status;
    }
    weights_copy(made, args);
    params_copy(made, args);
    if (options) {
        made->options = *options;
    }
    strncpy(made->profile, made->options.profile ? made->options.profile : "ideal",
            sizeof made->profile - 1);
    made->options.profile = made->profile;
    *module_ret = made;
    return QC_OK;
}

void qc_linear_module_close(qc_linear_module *module)
{
    if (module) {
        free(module->memory);
        free(module);
    }
}

const qc_linear_args *qc_linear_module_args(const qc_linear_module *module)
{
    return &module->args;
}

/* An input's own parameter must be the module's: codes under another mean other numbers. */
static qc_status own_check(const char *name, const qc_tensor *own,
                           const qc_tensor *modules, uint32_t dtypes, qc_message *message)
{
    if (own->dtype >= QC_DTYPE_COUNT || !(dtypes & QC_DTYPE_BIT(own->dtype)) ||
        own->rank != 0 || !own->data || own->offset < 0) {
        return qc_fail(QC_INVALID, message, "%s: %s of rank %u, %s of rank 0 expected",
                       name, qc_dtype_name(own->dtype), own->rank,
                       dtypes == QC_SET_SCALES ? "f32 or f64" : "s32 or s64");
    }
    const double found = qc_number_load(own, 0);
    const double expected = qc_number_load(modules, 0);
    return found == expected ? QC_OK
                             : qc_fail(QC_INVALID, message,
                                       "%s: %.17g, that of the module expected, %.17g",
                                       name, found, expected);
}

static qc_status input_check(const qc_linear_module *module, const qc_tensor *x_q,
                             const qc_tensor *x_scale, const qc_tensor *x_zero_point,
                             qc_message *message)
{
    if (!x_q || x_q->dtype != QC_S8) {
        return qc_fail(QC_INVALID, message, "x_q: %s, s8 codes expected; quantize first",
                       x_q ? qc_dtype_name(x_q->dtype) : "missing");
    }
    if (x_q->rank == 2 && x_q->dims[1] != module->w_q.dims[1]) {
        return qc_fail(QC_INVALID, message,
                       "x_q: K is %lld, that of the module expected, %lld",
                       (long long)x_q->dims[1], (long long)module->w_q.dims[1]);
    }
    if (!x_scale != !x_zero_point) {
        return qc_fail(
            QC_INVALID, message, "%s: missing beside %s, both or neither expected",
            x_scale ? "x_zero_point" : "x_scale", x_scale ? "x_scale" : "x_zero_point");
    }
    qc_status status = QC_OK;
    if (x_scale) {
        status = own_check("x_scale", x_scale, &module->x_scale, QC_SET_SCALES, message);
    }
    if (x_scale && status == QC_OK) {
        status = own_check("x_zero_point", x_zero_point, &module->x_zero_point,
                           QC_SET_INT_ZP, message);
    }
    return status;
}

qc_status qc_linear_module_run(const qc_linear_module *module, const qc_tensor *x_q,
                               const qc_tensor *x_scale, const qc_tensor *x_zero_point,
                               const qc_tensor *q, qc_message *message)
{
    const qc_status status = input_check(module, x_q, x_scale, x_zero_point, message);
    if (status != QC_OK) {
        return status;
    }
    if (q && q->dtype != QC_S8) {
        return qc_fail(QC_INVALID, message, "q: dtype %s, s8 expected",
                       qc_dtype_name(q->dtype));
    }
    qc_linear_args args = module->args;
    args.x_q = x_q;
    return qc_quantized_linear(&args, q, &module->options, message);
}
