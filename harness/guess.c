/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/guess.h"

#include "harness/guess_linear.h"

#include "quantcert/half.h"

#include <math.h>
#include <string.h>

typedef struct registers {
    double x;
    double s;
    double z;
    double v;
    int mask;
} registers;

static double load(const qc_tensor *tensor, int64_t i)
{
    const char *const at =
        (const char *)tensor->data +
        qc_tensor_at(tensor, i) * (int64_t)qc_dtype_bytes(tensor->dtype);
    float f32;
    double f64;
    uint16_t half;
    int32_t s32;
    int64_t s64;
    switch (tensor->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    case QC_F16: memcpy(&half, at, sizeof half); return qc_f16_to_f32(half);
    case QC_BF16: memcpy(&half, at, sizeof half); return qc_bf16_to_f32(half);
    case QC_S8: return *(const int8_t *)at;
    case QC_U8: return *(const uint8_t *)at;
    case QC_S32: memcpy(&s32, at, sizeof s32); return s32;
    default: memcpy(&s64, at, sizeof s64); return (double)s64;
    }
}

static double round_into(double v, uint32_t dtype)
{
    switch (dtype) {
    case QC_F32: return (float)v;
    case QC_F16: return qc_f16_to_f32(qc_f64_to_f16(v));
    case QC_BF16: return qc_bf16_to_f32(qc_f64_to_bf16(v));
    default: return v;
    }
}

static double typed(const qc_guess *g, double v, uint8_t token)
{
    switch (token) {
    case QC_TOKEN_f32: return round_into(v, QC_F32);
    case QC_TOKEN_f16: return round_into(v, QC_F16);
    case QC_TOKEN_bf16: return round_into(v, QC_BF16);
    case QC_TOKEN_own: return round_into(v, g->own);
    default: return v;
    }
}

static double rint_by(double v, uint8_t ties)
{
    switch (ties) {
    case QC_TOKEN_half_away: return round(v);
    case QC_TOKEN_half_up: return floor(v + 0.5);
    case QC_TOKEN_half_down: return ceil(v - 0.5);
    case QC_TOKEN_toward_zero: return trunc(v);
    default: return nearbyint(v);
    }
}

static double cast_by(double v, const qc_step *step)
{
    const double end = step->first == QC_TOKEN_s32 ? 0x1p31 : 0x1p63;
    if (v >= -end && v < end) {
        return trunc(v);
    }
    if (step->second != QC_TOKEN_arm) {
        return -end;
    }
    return isnan(v) ? 0 : v < 0 ? -end : end - 1;
}

static int64_t whole(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : v > 0 ? INT64_MAX : INT64_MIN;
}

/* v + z; one ulp toward what rounding lost, so that a sum beside a tie is not on it. */
static double add_beside(double v, double z)
{
    const double sum = v + z;
    const double back = sum - v;
    const double lost = (v - (sum - back)) + (z - back);
    return lost == 0 || isnan(lost) ? sum
                                    : nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}

/* v + z or v - z, in a type that may wrap. */
static double add_in(const qc_guess *g, double v, double z, uint8_t token)
{
    const uint64_t sum = (uint64_t)whole(v) + (uint64_t)whole(z);
    switch (token) {
    case QC_TOKEN_exact: return add_beside(v, z);
    case QC_TOKEN_s8: return (int8_t)sum;
    case QC_TOKEN_s32: return (int32_t)sum;
    case QC_TOKEN_s64: return (double)(int64_t)sum;
    default: return typed(g, v + z, token);
    }
}

static double clamp_by(const qc_guess *g, const registers *r, uint8_t bounds)
{
    const double shift = bounds == QC_TOKEN_before_zp ? r->z : 0;
    const double low = (bounds == QC_TOKEN_symmetric ? -g->qmax : g->qmin) - shift;
    const double high = g->qmax - shift;
    return r->v > low ? fmin(r->v, high) : low;
}

static double code_by(const qc_guess *g, double v, uint8_t overflow)
{
    const int is_signed = g->code == QC_NONE ? g->qmin < 0 : g->code == QC_S8;
    if (overflow == QC_TOKEN_wrap) {
        const uint64_t bits = (uint64_t)whole(v);
        return is_signed ? (double)(int8_t)bits : (double)(uint8_t)bits;
    }
    return is_signed ? fmin(fmax(v, -128), 127) : fmin(fmax(v, 0), 255);
}

static int mask_by(const qc_guess *g, const registers *r, uint8_t form)
{
    const double low = g->qmin - r->z;
    const double high = g->qmax - r->z;
    if (form == QC_TOKEN_grid) {
        return r->v >= g->qmin && r->v <= g->qmax;
    }
    if (form == QC_TOKEN_real) {
        return r->x / r->s >= low && r->x / r->s <= high;
    }
    const float below = (float)(r->x - (float)(low * r->s));
    const float above = (float)(r->x - (float)(high * r->s));
    return below * above <= 0;
}

static void step_guess(const qc_guess *g, const qc_step *step, registers *r)
{
    double *const named[] = {[QC_TOKEN_x] = &r->x,
                             [QC_TOKEN_s] = &r->s,
                             [QC_TOKEN_z] = &r->z,
                             [QC_TOKEN_v] = &r->v};
    switch (step->kind) {
    case QC_STEP_narrow:
        *named[step->first] = typed(g, *named[step->first], step->second);
        r->v = step->first == QC_TOKEN_x ? r->x : r->v;
        break;
    case QC_STEP_recip: r->s = typed(g, 1 / r->s, step->first); break;
    case QC_STEP_div: r->v = typed(g, r->x / r->s, step->first); break;
    case QC_STEP_mul: r->v = typed(g, r->v * r->s, step->first); break;
    case QC_STEP_fma: r->v = typed(g, fma(r->v, r->s, r->z), step->first); break;
    case QC_STEP_fma_premul:
        r->s = g->scale;
        r->v =
            typed(g, fma(r->v, r->s, typed(g, -r->z * r->s, step->first)), step->first);
        break;
    case QC_STEP_add_half_floor: r->v = floor(typed(g, r->v + 0.5, step->first)); break;
    case QC_STEP_rint: r->v = rint_by(r->v, step->first); break;
    case QC_STEP_limit: r->v = r->v < 2147483520.0 ? r->v : 2147483520.0; break;
    case QC_STEP_cast: r->v = cast_by(r->v, step); break;
    case QC_STEP_addzp: r->v = add_in(g, r->v, r->z, step->first); break;
    case QC_STEP_subzp:
        r->s = g->scale;
        r->v = add_in(g, r->v, -r->z, step->first);
        break;
    case QC_STEP_mask: r->mask = mask_by(g, r, step->first); break;
    case QC_STEP_clamp: r->v = clamp_by(g, r, step->first); break;
    case QC_STEP_code: r->v = code_by(g, r->v, step->first); break;
    case QC_STEP_out: r->v = round_into(typed(g, r->v, step->first), g->own); break;
    default: break;
    }
}

static uint64_t bits_of(double v, uint32_t dtype)
{
    const float f32 = (float)v;
    uint32_t low = 0;
    uint64_t bits = 0;
    switch (dtype) {
    case QC_F32: memcpy(&low, &f32, sizeof low); return low;
    case QC_F64: memcpy(&bits, &v, sizeof bits); return bits;
    case QC_F16: return qc_f64_to_f16(v);
    case QC_BF16: return qc_f64_to_bf16(v);
    case QC_S32: return (uint32_t)whole(v);
    case QC_S64: return (uint64_t)whole(v);
    default: return (uint8_t)whole(v);
    }
}

void qc_guess_open(qc_guess *guess, const qc_call *call)
{
    const qc_tensor *const body = &call->args[0];
    *guess = (qc_guess){.call = call, .code = qc_call_code_dtype(call)};
    guess->own = call->op == QC_OP_dequantize ? call->args[QC_ARG_OF(dequantize, y)].dtype
                                              : body->dtype;
    qc_call_grid(call, &guess->qmin, &guess->qmax);
    if (call->op == QC_OP_quantized_linear) {
        guess->z = load(&call->args[QC_ARG_OF(quantized_linear, out_zero_point)], 0);
    }
    guess->own = qc_op_is_linear(call->op) ? (uint32_t)QC_F32 : guess->own;
}

int qc_guess_load(qc_guess *guess, int64_t i)
{
    guess->element = i;
    if (qc_op_is_linear(guess->call->op)) {
        return 1;
    }
    const int64_t channel = qc_call_channel(guess->call, i);
    guess->x = load(&guess->call->args[0], i);
    guess->scale = load(&guess->call->args[1], channel);
    guess->z = load(&guess->call->args[2], channel);
    return !isnan(guess->x);
}

uint64_t qc_guess_bits(const qc_guess *guess, const qc_steps *steps, uint32_t arg)
{
    const qc_call *const call = guess->call;
    const int is_mask = qc_op_get(call->op)->args[arg].dtypes == QC_DTYPE_BIT(QC_U8);
    registers r = {.x = guess->x, .s = guess->scale, .z = guess->z, .v = guess->x};
    uint32_t n = 0;
    if (qc_op_is_linear(call->op)) {
        r.v = qc_guess_linear(call, guess->element, steps, &n);
        r.z = guess->z;
    }
    for (; n < steps->count; n++) {
        step_guess(guess, &steps->step[n], &r);
    }
    return is_mask ? (uint64_t)r.mask : bits_of(r.v, call->args[arg].dtype);
}
