/* SPDX-License-Identifier: Apache-2.0 */
/* qc_linear_module_from_float: parameters found, the weight quantized, and packed. */
#include "fake_quantizer.h"
#include "modules.h"

#include <stdlib.h>

/* Parameters of the input, or of the output. */
typedef struct side {
    const char *name; /* of its observer */
    const qc_tensor *scale;
    const qc_tensor *zero_point;
    qc_range_observer *observer;
    union {
        float f32;
        double f64;
    } observed_scale;
    int64_t observed_zero_point;
    qc_tensor observed[2];
} side;

/* Codes, scales and zero points of the rows. */
typedef struct rows {
    qc_tensor codes;
    qc_tensor scale;
    qc_tensor zero_point;
} rows;

static qc_status half_check(const char *scale_name, const char *zero_point_name,
                            const side *s, qc_message *message)
{
    return !s->scale == !s->zero_point
               ? QC_OK
               : qc_fail(QC_INVALID, message, "%s: missing beside %s",
                         s->scale ? zero_point_name : scale_name,
                         s->scale ? scale_name : zero_point_name);
}

/* Names all that is missing at once. */
static qc_status missing_check(const side *x, const side *out, qc_message *message)
{
    static const char *const wanted[2] = {
        "x_scale and x_zero_point, or x_observer",
        "out_scale and out_zero_point, or out_observer"};
    const int lacks_x = !x->scale && !x->observer;
    const int lacks_out = !out->scale && !out->observer;
    qc_status status = half_check("x_scale", "x_zero_point", x, message);
    if (status == QC_OK) {
        status = half_check("out_scale", "out_zero_point", out, message);
    }
    if (status == QC_OK && (lacks_x || lacks_out)) {
        status = qc_fail(QC_INVALID, message, "missing: %s%s%s", lacks_x ? wanted[0] : "",
                         lacks_x && lacks_out ? "; " : "", lacks_out ? wanted[1] : "");
    }
    return status;
}

/* Parameters of the observer, where none are explicit. */
static qc_status side_observe(side *s, qc_message *message)
{
    if (s->scale) {
        return QC_OK;
    }
    const qc_range_observer_options *const o = qc_range_observer_settings(s->observer);
    if (o->per_channel) {
        return qc_fail(QC_INVALID, message, "%s: per channel, one per tensor expected",
                       s->name);
    }
    s->observed[0] = (qc_tensor){.dtype = o->scale_dtype, .data = &s->observed_scale};
    s->observed[1] = (qc_tensor){.dtype = QC_S64, .data = &s->observed_zero_point};
    s->scale = &s->observed[0];
    s->zero_point = &s->observed[1];
    return qc_prefixed(
        qc_range_observer_calculate(s->observer, s->scale, s->zero_point, message),
        message, s->name);
}

static qc_status weight_check(const qc_linear_float *layer, qc_message *message)
{
    const qc_tensor *const w = layer->weight;
    if (!w || w->dtype >= QC_DTYPE_COUNT || !(QC_DTYPE_BIT(w->dtype) & QC_SET_FLOATS)) {
        return qc_fail(QC_INVALID, message, "weight: %s, f32, f64, f16 or bf16 expected",
                       w ? qc_dtype_name(w->dtype) : "missing");
    }
    if (w->rank != 2) {
        return qc_fail(QC_INVALID, message, "weight: rank %u, a linear's [N,K] expected",
                       w->rank);
    }
    return qc_tensor_elems(w) < 0
               ? qc_fail(QC_INVALID, message,
                         "weight: a dim is negative, or the size overflows")
               : QC_OK;
}

/* One scale in f32 and one zero point a row, from those of the quantizer. */
static qc_status params_spread(const qc_fake_quantizer *quantizer, int64_t count,
                               const rows *r, qc_message *message)
{
    const qc_kernel_options *const o = &quantizer->kernel;
    if (o->per_channel && o->axis != 0 && o->axis != -2) {
        return qc_fail(QC_INVALID, message, "axis %d, 0 expected: one channel a row",
                       o->axis);
    }
    if (o->per_channel && quantizer->scale.dims[0] != count) {
        return qc_fail(QC_INVALID, message, "%lld channels, one a row expected, %lld",
                       (long long)quantizer->scale.dims[0], (long long)count);
    }
    for (int64_t n = 0; n < count; n++) {
        const int64_t at = o->per_channel ? n : 0;
        ((float *)r->scale.data)[n] = (float)qc_number_load(&quantizer->scale, at);
        ((int64_t *)r->zero_point.data)[n] =
            (int64_t)qc_number_load(&quantizer->zero_point, at);
    }
    return QC_OK;
}

/* Feeds the quantizer with the weight, and quantizes on its grid. */
static qc_status weight_quantize(qc_fake_quantizer *quantizer, const qc_tensor *weight,
                                 const rows *r, qc_message *message)
{
    qc_kernel_options options = quantizer->kernel;
    options.per_channel = 1;
    options.axis = 0;
    options.mask_form = QC_MASK_FORM_grid;
    qc_status status = qc_fake_quantizer_record(quantizer, weight, message);
    status = status == QC_OK ? qc_fake_quantizer_derive(quantizer, message) : status;
    status =
        status == QC_OK ? params_spread(quantizer, weight->dims[0], r, message) : status;
    return status == QC_OK ? qc_quantize(weight, &r->scale, &r->zero_point, &r->codes,
                                         &options, message)
                           : status;
}

/* Without a quantizer, one of the row's range: rule 5 of the documentation. */
static qc_status weight_convert(const qc_linear_float *layer, const char *profile,
                                const rows *r, qc_message *message)
{
    const qc_fake_quantizer_options by_row = {
        .observer = {.profile = profile, .per_channel = 1, .axis = 0}};
    qc_fake_quantizer *own = NULL;
    qc_status status = QC_OK;
    if (!layer->weight_quantizer) {
        status = qc_fake_quantizer_open(&by_row, &own, message);
    }
    if (status == QC_OK) {
        status = qc_prefixed(weight_quantize(own ? own : layer->weight_quantizer,
                                             layer->weight, r, message),
                             message, own ? "weight" : "weight_quantizer");
    }
    qc_fake_quantizer_close(own);
    return status;
}

static qc_status rows_allocate(const qc_tensor *weight, rows *r, qc_message *message)
{
    const int64_t count = weight->dims[0];
    const size_t codes = (size_t)qc_tensor_elems(weight);
    r->scale = (qc_tensor){.dtype = QC_F32, .rank = 1, .dims = {count}, .strides = {1}};
    r->zero_point = r->scale;
    r->zero_point.dtype = QC_S64;
    r->codes = (qc_tensor){.dtype = QC_S8, .rank = 2, .dims = {count, weight->dims[1]}};
    qc_tensor_contiguous(&r->codes);
    r->scale.data = calloc((size_t)count + 1, sizeof(float));
    r->zero_point.data = calloc((size_t)count + 1, sizeof(int64_t));
    r->codes.data = calloc(codes + 1, 1);
    return r->scale.data && r->zero_point.data && r->codes.data
               ? QC_OK
               : qc_fail(QC_NO_MEMORY, message, "no memory for weights of %lld by %lld",
                         (long long)count, (long long)weight->dims[1]);
}

static qc_status rows_pack(const qc_linear_float *layer, const side *x, const side *out,
                           const rows *r, const qc_kernel_options *options,
                           qc_linear_module **module_ret, qc_message *message)
{
    const qc_linear_args args = {.w_q = &r->codes,
                                 .w_scale = &r->scale,
                                 .w_zero_point = &r->zero_point,
                                 .x_scale = x->scale,
                                 .x_zero_point = x->zero_point,
                                 .out_scale = out->scale,
                                 .out_zero_point = out->zero_point,
                                 .bias = layer->bias,
                                 .params = QC_PARAMS_scales};
    return qc_linear_module_pack(&args, options, module_ret, message);
}

qc_status qc_linear_module_from_float(const qc_linear_float *layer,
                                      const qc_kernel_options *options,
                                      qc_linear_module **module_ret, qc_message *message)
{
    side x = {.name = "x_observer",
              .scale = layer->x_scale,
              .zero_point = layer->x_zero_point,
              .observer = layer->x_observer};
    side out = {.name = "out_observer",
                .scale = layer->out_scale,
                .zero_point = layer->out_zero_point,
                .observer = layer->out_observer};
    rows r = {.codes = {.data = NULL}};
    *module_ret = NULL;
    qc_status status = weight_check(layer, message);
    status = status == QC_OK ? missing_check(&x, &out, message) : status;
    status = status == QC_OK ? side_observe(&x, message) : status;
    status = status == QC_OK ? side_observe(&out, message) : status;
    status = status == QC_OK ? rows_allocate(layer->weight, &r, message) : status;
    status = status == QC_OK
                 ? weight_convert(layer, options ? options->profile : NULL, &r, message)
                 : status;
    status = status == QC_OK
                 ? rows_pack(layer, &x, &out, &r, options, module_ret, message)
                 : status;
    free(r.codes.data);
    free(r.scale.data);
    free(r.zero_point.data);
    return status;
}
