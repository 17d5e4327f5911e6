/* SPDX-License-Identifier: Apache-2.0 */
/* observe, portable (rules R5 to R8). The outputs first hold the batch's own extremes: from
   +Inf and -Inf inwards, so that a channel without a value stays the wrong way round. A NaN
   is neither below nor above anything: it is skipped by the comparisons. */
#include "channel.h"
#include "fixed.h"
#include "kernel.h"

enum {
    X = QC_ARG_OF(observe, x),
    OLD_MIN = QC_ARG_OF(observe, old_min),
    OLD_MAX = QC_ARG_OF(observe, old_max),
    MIN = QC_ARG_OF(observe, min),
    MAX = QC_ARG_OF(observe, max)
};

static double load(const qc_tensor *tensor, int64_t channel)
{
    return qc_real_load(tensor->dtype, tensor->data, qc_tensor_at(tensor, channel));
}

/* A value of the dtype; R8: adding +0 makes every zero +0. */
static void store(const qc_tensor *tensor, int64_t channel, double value)
{
    char *const at = (char *)tensor->data + qc_tensor_at(tensor, channel) *
                                                (int64_t)qc_dtype_bytes(tensor->dtype);
    const double f64 = value + 0.0;
    const float f32 = (float)f64;
    uint16_t half;
    switch (tensor->dtype) {
    case QC_F32: memcpy(at, &f32, sizeof f32); break;
    case QC_F64: memcpy(at, &f64, sizeof f64); break;
    default:
        half = tensor->dtype == QC_F16 ? qc_f64_to_f16(f64) : qc_f64_to_bf16(f64);
        memcpy(at, &half, sizeof half);
    }
}

QC_INLINE void line(const qc_call *call, const qc_run *run, uint32_t dtype)
{
    double low = load(&call->args[MIN], run->channel);
    double high = load(&call->args[MAX], run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        if (i > 0 && run->channel_step) {
            low = load(&call->args[MIN], run->channel + i);
            high = load(&call->args[MAX], run->channel + i);
        }
        const double x = qc_real_load(dtype, run->data[X], i * run->stride[X]);
        low = x < low ? x : low;
        high = x > high ? x : high;
        if (run->channel_step || i + 1 == run->count) {
            const int64_t channel = run->channel + (run->channel_step ? i : 0);
            store(&call->args[MIN], channel, low);
            store(&call->args[MAX], channel, high);
        }
    }
}

static void extremes(const qc_call *call, const qc_run *run)
{
    switch (call->args[X].dtype) {
#define CASE(DTYPE) \
    case DTYPE: line(call, run, DTYPE); break;
        CASE(QC_F32)
        CASE(QC_F64)
        CASE(QC_F16)
        CASE(QC_BF16)
#undef CASE
    }
}

/* RN_T(old + c (new - old)), exact before the rounding. */
static double averaged(double old, double new, double c, uint32_t dtype)
{
    qc_fixed number = {{0}};
    if (!isfinite(old) || !isfinite(new)) {
        return old; /* R6 gives no value */
    }
    qc_fixed_add_product(&number, old, 1.0);
    qc_fixed_add_product(&number, c, new);
    qc_fixed_add_product(&number, -c, old);
    return qc_fixed_round(&number, dtype);
}

/* What one output of a channel becomes, from the batch and what was before. */
static void combine(const qc_call *call, int64_t channel)
{
    const uint32_t dtype = call->args[X].dtype;
    const double old_low = load(&call->args[OLD_MIN], channel);
    const double old_high = load(&call->args[OLD_MAX], channel);
    double low = load(&call->args[MIN], channel);
    double high = load(&call->args[MAX], channel);
    if (low > high) { /* R7 */
        low = old_low;
        high = old_high;
    } else if (call->attrs.observer == QC_OBSERVER_moving_average) {
        low = averaged(old_low, low, call->attrs.averaging, dtype);
        high = averaged(old_high, high, call->attrs.averaging, dtype);
    } else {
        low = old_low < low ? old_low : low;
        high = old_high > high ? old_high : high;
    }
    store(&call->args[MIN], channel, low);
    store(&call->args[MAX], channel, high);
}

/* The whole call at once: `run` is NULL. */
void qc_observe_portable(const qc_call *call, const qc_run *run)
{
    const int64_t channels = qc_tensor_elems(&call->args[MIN]);
    (void)run;
    for (int64_t c = 0; c < channels; c++) {
        store(&call->args[MIN], c, INFINITY);
        store(&call->args[MAX], c, -INFINITY);
    }
    qc_walk_runs(call, extremes);
    for (int64_t c = 0; c < channels && call->args[OLD_MIN].dtype != QC_NONE; c++) {
        combine(call, c);
    }
}
