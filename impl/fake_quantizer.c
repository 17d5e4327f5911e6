/* SPDX-License-Identifier: Apache-2.0 */
/* qc_fake_quantizer: an observer, and the parameters derived from it last. */
#include "fake_quantizer.h"
#include "modules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static qc_status params_allocate(qc_fake_quantizer *quantizer, int64_t channels,
                                 qc_message *message)
{
    const uint32_t rank = quantizer->kernel.per_channel ? 1 : 0;
    const size_t count = (size_t)(channels ? channels : 1);
    double *const scale = calloc(count, sizeof *scale);
    int64_t *const zero_point = calloc(count, sizeof *zero_point);
    if (!scale || !zero_point) {
        free(scale);
        free(zero_point);
        return qc_fail(QC_NO_MEMORY, message, "no memory for %lld channels",
                       (long long)channels);
    }
    quantizer->scale.data = scale;
    quantizer->zero_point = (qc_tensor){
        .dtype = QC_S64, .rank = rank, .dims = {channels}, .data = zero_point};
    quantizer->scale.rank = rank;
    quantizer->scale.dims[0] = channels;
    qc_tensor_contiguous(&quantizer->scale);
    qc_tensor_contiguous(&quantizer->zero_point);
    return QC_OK;
}

/* The mask and the parameters' values are judged as a kernel judges them, on no elements:
   channels by zero. */
static qc_status explicit_check(const qc_fake_quantizer *quantizer,
                                const qc_tensor *scale, const qc_tensor *zero_point,
                                qc_message *message)
{
    const qc_tensor none = {.dtype = QC_F32,
                            .rank = 2,
                            .dims = {scale && scale->rank == 1 ? scale->dims[0] : 1, 0},
                            .strides = {1, 1}};
    qc_kernel_options options = quantizer->kernel;
    options.axis = 0;
    options.mask_form = QC_MASK_FORM_grid;
    return qc_fake_quantize(&none, scale, zero_point, &none, NULL, &options, message);
}

/* Float zero points become integers: half to even, or as documented, by truncation. */
static qc_status explicit_store(qc_fake_quantizer *quantizer, const qc_tensor *scale,
                                const qc_tensor *zero_point, qc_message *message)
{
    const int truncates = strcmp(quantizer->kernel.profile, "ideal") != 0;
    const int is_float = zero_point->dtype == QC_F32;
    const int64_t channels = scale->rank ? scale->dims[0] : 1;
    quantizer->scale.dtype = scale->dtype;
    const qc_status status = params_allocate(quantizer, channels, message);
    for (int64_t c = 0; c < channels && status == QC_OK; c++) {
        const double z = qc_number_load(zero_point, c);
        const double whole = !is_float ? z : truncates ? trunc(z) : nearbyint(z);
        const double s = qc_number_load(scale, c);
        if (scale->dtype == QC_F32) {
            ((float *)quantizer->scale.data)[c] = (float)s;
        } else {
            ((double *)quantizer->scale.data)[c] = s;
        }
        /* a number beyond the grid stays beyond it, and is refused there */
        ((int64_t *)quantizer->zero_point.data)[c] =
            (int64_t)fmin(fmax(whole, -1e9), 1e9);
    }
    return status;
}

static qc_status explicit_take(qc_fake_quantizer *quantizer, const qc_tensor *scale,
                               const qc_tensor *zero_point, qc_message *message)
{
    qc_status status = explicit_check(quantizer, scale, zero_point, message);
    if (status == QC_OK) {
        status = explicit_store(quantizer, scale, zero_point, message);
    }
    if (status == QC_OK) { /* again: a float zero point is in the grid once it is whole */
        status =
            explicit_check(quantizer, &quantizer->scale, &quantizer->zero_point, message);
    }
    quantizer->records = 0;
    quantizer->is_frozen = 1;
    quantizer->is_derived = 1;
    return status;
}

/* Once the observer has resolved its options. */
static void kernel_set(qc_fake_quantizer *quantizer, int mask_is_grid)
{
    const qc_range_observer_options *const o =
        qc_range_observer_settings(quantizer->observer);
    const int keeps_grid =
        !strcmp(o->profile, "ideal"); /* documented: the default grid */
    quantizer->scale.dtype = o->scale_dtype;
    quantizer->kernel = (qc_kernel_options){
        .profile = o->profile,
        .per_channel = o->per_channel,
        .axis = o->axis,
        .narrow = keeps_grid && o->narrow,
        .qmin = o->qmin,
        .qmax = o->qmax,
        .mask_form = mask_is_grid ? QC_MASK_FORM_grid : QC_MASK_FORM_real};
}

qc_status qc_fake_quantizer_open(const qc_fake_quantizer_options *options,
                                 qc_fake_quantizer **quantizer_ret, qc_message *message)
{
    static const qc_fake_quantizer_options defaults = {0};
    const qc_fake_quantizer_options *const o = options ? options : &defaults;
    *quantizer_ret = NULL;
    if (!o->scale != !o->zero_point) {
        return qc_fail(
            QC_INVALID, message, "%s: missing beside %s, both or neither expected",
            o->scale ? "zero_point" : "scale", o->scale ? "scale" : "zero_point");
    }
    qc_fake_quantizer *const made = calloc(1, sizeof *made);
    if (!made) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for a fake quantizer");
    }
    made->records = 1;
    qc_status status = qc_range_observer_open(&o->observer, &made->observer, message);
    if (status == QC_OK) {
        kernel_set(made, o->mask_is_grid);
    }
    if (status == QC_OK && o->scale) {
        status = explicit_take(made, o->scale, o->zero_point, message);
    }
    if (status != QC_OK) {
        qc_fake_quantizer_close(made);
        return status;
    }
    *quantizer_ret = made;
    return QC_OK;
}

void qc_fake_quantizer_close(qc_fake_quantizer *quantizer)
{
    if (quantizer) {
        qc_range_observer_close(quantizer->observer);
        free(quantizer->scale.data);
        free(quantizer->zero_point.data);
        free(quantizer);
    }
}

qc_status qc_fake_quantizer_record(qc_fake_quantizer *quantizer, const qc_tensor *x,
                                   qc_message *message)
{
    return quantizer->records ? qc_range_observer_record(quantizer->observer, x, message)
                              : QC_OK;
}

qc_status qc_fake_quantizer_derive(qc_fake_quantizer *quantizer, qc_message *message)
{
    const int64_t channels = qc_range_observer_channels(quantizer->observer);
    qc_status status = QC_OK;
    if (quantizer->is_frozen) {
        return QC_OK;
    }
    if (channels < 0) {
        return qc_fail(QC_INVALID, message,
                       "nothing was observed, a batch expected first");
    }
    if (!quantizer->scale.data) {
        status = params_allocate(quantizer, channels, message);
    }
    if (status == QC_OK) {
        status = qc_range_observer_calculate(quantizer->observer, &quantizer->scale,
                                             &quantizer->zero_point, message);
    }
    quantizer->is_derived = quantizer->is_derived || status == QC_OK;
    return status;
}

/* The outputs must be those that the observer's calculate would take. */
static qc_status outputs_check(const qc_tensor *params, const qc_tensor *scale,
                               const qc_tensor *zero_point, qc_message *message)
{
    double zero = 0;
    qc_tensor end = *params; /* a range for each of them, of zero */
    qc_call call;
    end.dtype = QC_F64;
    end.strides[0] = 0;
    end.data = &zero;
    qc_call_init(&call, QC_OP_choose_qparams);
    call.args[QC_ARG_OF(choose_qparams, min)] = end;
    call.args[QC_ARG_OF(choose_qparams, max)] = end;
    if (scale) {
        call.args[QC_ARG_OF(choose_qparams, scale)] = *scale;
    }
    if (zero_point) {
        call.args[QC_ARG_OF(choose_qparams, zero_point)] = *zero_point;
    }
    if (scale && scale->dtype != params->dtype) {
        return qc_fail(QC_INVALID, message, "scale: dtype %s, %s expected",
                       qc_dtype_name(scale->dtype), qc_dtype_name(params->dtype));
    }
    return qc_call_check(&call, message);
}

qc_status qc_fake_quantizer_calculate_qparams(qc_fake_quantizer *quantizer,
                                              const qc_tensor *scale,
                                              const qc_tensor *zero_point,
                                              qc_message *message)
{
    qc_status status = qc_fake_quantizer_derive(quantizer, message);
    if (status == QC_OK) {
        status = outputs_check(&quantizer->scale, scale, zero_point, message);
    }
    for (int64_t c = 0; status == QC_OK && c < qc_tensor_elems(scale); c++) {
        const int64_t bytes = (int64_t)qc_dtype_bytes(scale->dtype);
        const int64_t whole = ((int64_t *)quantizer->zero_point.data)[c];
        const int32_t small = (int32_t)whole;
        char *const zp_at =
            (char *)zero_point->data +
            qc_tensor_at(zero_point, c) * (int64_t)qc_dtype_bytes(zero_point->dtype);
        memcpy((char *)scale->data + qc_tensor_at(scale, c) * bytes,
               (char *)quantizer->scale.data + c * bytes, (size_t)bytes);
        if (zero_point->dtype == QC_S64) {
            memcpy(zp_at, &whole, sizeof whole);
        } else {
            memcpy(zp_at, &small, sizeof small);
        }
    }
    return status;
}

qc_status qc_fake_quantizer_freeze(qc_fake_quantizer *quantizer, qc_message *message)
{
    if (quantizer->is_frozen) {
        return QC_OK;
    }
    if (quantizer->kernel.per_channel) {
        return qc_fail(
            QC_UNSUPPORTED, message,
            "freeze: not offered per channel, a quantizer per tensor expected");
    }
    const qc_status status = qc_fake_quantizer_derive(quantizer, message);
    if (status == QC_OK) {
        quantizer->is_frozen = 1;
        quantizer->records = 0;
    }
    return status;
}

void qc_fake_quantizer_disable_observer(qc_fake_quantizer *quantizer)
{
    if (quantizer->records) { /* a frozen one is not written */
        quantizer->records = 0;
    }
}
