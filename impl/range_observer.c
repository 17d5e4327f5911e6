/* SPDX-License-Identifier: Apache-2.0 */
/* qc_range_observer: qc_observe and qc_choose_qparams, channel by channel, over a state of
   its own, in the dtype that the first batch fixed. */
#include "quantcert/kernels.h"
#include "channel.h"
#include "kernel.h"
#include "modules.h"

#include <stdlib.h>

typedef struct channel_state {
    uint64_t old[2]; /* min and max, bits of the dtype */
    uint64_t new[2];
    int is_observed;
} channel_state;

struct qc_range_observer {
    qc_range_observer_options options;
    char profile[32];
    uint32_t dtype;   /* QC_NONE: nothing recorded yet */
    int64_t channels; /* 0: likewise */
    channel_state *state;
};

static qc_status options_check(const qc_range_observer_options *o, qc_message *message)
{
    qc_call call;
    qc_call_init(&call, QC_OP_choose_qparams);
    call.profile = o->profile ? o->profile : "ideal";
    if (qc_profile_check(&call, message) != QC_OK) {
        return QC_INVALID;
    }
    if (!qc_attr_word(QC_ATTR_observer, o->observer) ||
        !qc_attr_word(QC_ATTR_scheme, o->scheme)) {
        return qc_fail(QC_INVALID, message, "observer, scheme: %u, %u, 0 or 1 expected",
                       o->observer, o->scheme);
    }
    if (o->observer == QC_OBSERVER_moving_average &&
        !(o->averaging > 0 && o->averaging <= 1)) {
        return qc_fail(QC_INVALID, message,
                       "averaging: %g, above 0 and at most 1 expected", o->averaging);
    }
    if (o->scale_dtype != QC_NONE && !(QC_SET_SCALES & QC_DTYPE_BIT(o->scale_dtype))) {
        return qc_fail(QC_INVALID, message, "scale_dtype: %s, f32, f64 or none expected",
                       qc_dtype_name(o->scale_dtype));
    }
    const int fits_s8 = o->qmin >= INT8_MIN && o->qmax <= INT8_MAX;
    const int fits_u8 = o->qmin >= 0 && o->qmax <= UINT8_MAX;
    const int least = o->scheme == QC_SCHEME_symmetric ? 2 : 1;
    if (o->narrow && (!(fits_s8 || fits_u8) || o->qmax - o->qmin < least)) {
        return qc_fail(QC_INVALID, message,
                       "qmin, qmax: %d ... %d, a grid of s8 or u8 with %d codes or more "
                       "expected",
                       o->qmin, o->qmax, least + 1);
    }
    return QC_OK;
}

qc_status qc_range_observer_open(const qc_range_observer_options *options,
                                 qc_range_observer **observer_ret, qc_message *message)
{
    static const qc_range_observer_options defaults = {0};
    const qc_range_observer_options *const o = options ? options : &defaults;
    const qc_status status = options_check(o, message);
    *observer_ret = NULL;
    if (status != QC_OK) {
        return status;
    }
    qc_range_observer *const made = calloc(1, sizeof *made);
    if (!made) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an observer");
    }
    made->options = *o;
    if (o->scale_dtype == QC_NONE) {
        made->options.scale_dtype = o->per_channel ? QC_F32 : QC_F64;
    }
    strncpy(made->profile, o->profile ? o->profile : "ideal", sizeof made->profile - 1);
    made->options.profile = made->profile;
    *observer_ret = made;
    return QC_OK;
}

void qc_range_observer_reset(qc_range_observer *observer)
{
    free(observer->state);
    observer->state = NULL;
    observer->dtype = QC_NONE;
    observer->channels = 0;
}

void qc_range_observer_close(qc_range_observer *observer)
{
    if (observer) {
        qc_range_observer_reset(observer);
        free(observer);
    }
}

/* Finds the channels of x; the batch must be one that the state can take. */
static qc_status batch_check(const qc_range_observer *observer, const qc_tensor *x,
                             int32_t *axis_ret, int64_t *channels_ret,
                             qc_message *message)
{
    const int32_t rank = x ? (int32_t)x->rank : 0;
    int32_t axis = observer->options.axis;
    if (!x || !(QC_DTYPE_BIT(x->dtype % QC_DTYPE_COUNT) & QC_SET_FLOATS) ||
        x->rank > QC_MAX_RANK) {
        return qc_fail(QC_INVALID, message,
                       "x: a tensor of f32, f64, f16 or bf16 expected");
    }
    if (observer->options.per_channel && (axis < -rank || axis >= rank)) {
        return qc_fail(QC_INVALID, message, "axis: %d does not lie in %d ... %d", axis,
                       -rank, rank - 1);
    }
    axis += axis < 0 ? rank : 0;
    *axis_ret = axis;
    *channels_ret = observer->options.per_channel ? x->dims[axis] : 1;
    if (observer->dtype != QC_NONE && observer->dtype != x->dtype) {
        return qc_fail(QC_INVALID, message,
                       "x: dtype %s, that of the first batch expected, %s",
                       qc_dtype_name(x->dtype), qc_dtype_name(observer->dtype));
    }
    if (observer->dtype != QC_NONE && observer->channels != *channels_ret) {
        return qc_fail(QC_INVALID, message,
                       "x: %lld channels, as many as the first batch expected, %lld",
                       (long long)*channels_ret, (long long)observer->channels);
    }
    return QC_OK;
}

/* The elements of one channel. */
static qc_tensor channel_of(const qc_tensor *x, int per_channel, int32_t axis, int64_t c)
{
    qc_tensor part = *x;
    if (per_channel) {
        part.offset += c * x->strides[axis];
        part.dims[axis] = 1;
    }
    return part;
}

static int has_value(const qc_tensor *x)
{
    for (int64_t i = 0, elems = qc_tensor_elems(x); i < elems; i++) {
        if (!isnan(qc_real_load(x->dtype, x->data, qc_tensor_at(x, i)))) {
            return 1;
        }
    }
    return 0;
}

/* What channel c becomes, into its `new`; a channel that stays unobserved is left alone. */
static qc_status channel_record(const qc_range_observer *observer, const qc_tensor *x,
                                channel_state *state, qc_message *message)
{
    const qc_kernel_options options = {.profile = observer->profile};
    const qc_tensor low = {.dtype = x->dtype, .data = &state->old[0]};
    const qc_tensor high = {.dtype = x->dtype, .data = &state->old[1]};
    const qc_tensor new_low = {.dtype = x->dtype, .data = &state->new[0]};
    const qc_tensor new_high = {.dtype = x->dtype, .data = &state->new[1]};
    const int is_first = !state->is_observed;
    memcpy(state->new, state->old, sizeof state->new);
    if (is_first && !has_value(x)) {
        return QC_OK;
    }
    return qc_observe(x, is_first ? NULL : &low, is_first ? NULL : &high,
                      observer->options.observer, observer->options.averaging, &new_low,
                      &new_high, &options, message);
}

/* The layout rules of observe, asked before any element is read. */
static qc_status layout_check(const qc_tensor *x, qc_message *message)
{
    uint64_t state[4] = {0};
    qc_call call;
    qc_call_init(&call, QC_OP_observe);
    call.args[QC_ARG_OF(observe, x)] = *x;
    for (uint32_t n = 0; n < 4; n++) {
        call.args[QC_ARG_OF(observe, old_min) + n] =
            (qc_tensor){.dtype = x->dtype, .data = &state[n]};
    }
    return qc_call_check(&call, message);
}

static qc_status first_allocate(qc_range_observer *observer, const qc_tensor *x,
                                int64_t channels, qc_message *message)
{
    if (observer->dtype == QC_NONE) {
        observer->state =
            calloc((size_t)(channels ? channels : 1), sizeof *observer->state);
        if (!observer->state) {
            return qc_fail(QC_NO_MEMORY, message, "no memory for %lld channels",
                           (long long)channels);
        }
        observer->dtype = x->dtype;
        observer->channels = channels;
    }
    return QC_OK;
}

qc_status qc_range_observer_record(qc_range_observer *observer, const qc_tensor *x,
                                   qc_message *message)
{
    const int per_channel = observer->options.per_channel;
    int32_t axis = 0;
    int64_t channels = 0;
    qc_status status = batch_check(observer, x, &axis, &channels, message);
    status = status == QC_OK ? layout_check(x, message) : status;
    status = status == QC_OK ? first_allocate(observer, x, channels, message) : status;
    for (int64_t c = 0; c < channels && status == QC_OK; c++) {
        const qc_tensor part = channel_of(x, per_channel, axis, c);
        status = channel_record(observer, &part, &observer->state[c], message);
    }
    for (int64_t c = 0; c < channels && status == QC_OK; c++) { /* all, or nothing */
        channel_state *const state = &observer->state[c];
        const qc_tensor part = channel_of(x, per_channel, axis, c);
        memcpy(state->old, state->new, sizeof state->old);
        state->is_observed = state->is_observed || has_value(&part);
    }
    return status;
}

qc_status qc_range_observer_calculate(qc_range_observer *observer, const qc_tensor *scale,
                                      const qc_tensor *zero_point, qc_message *message)
{
    const qc_range_observer_options *const o = &observer->options;
    const qc_kernel_options options = {.profile = observer->profile,
                                       .narrow = o->narrow,
                                       .qmin = o->qmin,
                                       .qmax = o->qmax};
    const int64_t words = sizeof(channel_state) / sizeof(uint64_t);
    const int64_t stride = words * (int64_t)sizeof(uint64_t) /
                           (int64_t)(qc_dtype_bytes(observer->dtype) + !observer->dtype);
    for (int64_t c = 0; c < observer->channels; c++) {
        if (!observer->state[c].is_observed) {
            return qc_fail(QC_INVALID, message,
                           "channel %lld: nothing was observed, a batch expected first",
                           (long long)c);
        }
    }
    if (observer->dtype == QC_NONE) {
        return qc_fail(QC_INVALID, message,
                       "nothing was observed, a batch expected first");
    }
    if (scale && scale->dtype != o->scale_dtype) {
        return qc_fail(QC_INVALID, message, "scale: dtype %s, %s expected",
                       qc_dtype_name(scale->dtype), qc_dtype_name(o->scale_dtype));
    }
    qc_tensor min = {.dtype = observer->dtype,
                     .rank = o->per_channel ? 1 : 0,
                     .dims = {observer->channels},
                     .strides = {stride},
                     .data = &observer->state[0].old[0]};
    qc_tensor max = min;
    max.data = &observer->state[0].old[1];
    return qc_choose_qparams(&min, &max, o->scheme, scale, zero_point, &options, message);
}

const qc_range_observer_options *qc_range_observer_settings(
    const qc_range_observer *observer)
{
    return &observer->options;
}

int64_t qc_range_observer_channels(const qc_range_observer *observer)
{
    return observer->dtype == QC_NONE ? -1 : observer->channels;
}
