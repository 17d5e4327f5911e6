/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/guess.h"

#include "quantcert/half.h"

#include <math.h>
#include <string.h>

typedef struct registers {
    double x;
    double s;
    double z;
    double v;
    int mask;
    int is_product; /* the gradient times the mask */
} registers;

/* A mask step taken apart: its word without `_open`, its type, and whether it is open. */
typedef struct step_forms {
    uint8_t word;
    uint8_t type;
    int is_open;
} step_forms;

static step_forms forms_of(const qc_step *step)
{
    switch (step->first) {
    case QC_TOKEN_grid_open: return (step_forms){QC_TOKEN_grid, step->second, 1};
    case QC_TOKEN_real_open: return (step_forms){QC_TOKEN_real, step->second, 1};
    case QC_TOKEN_clamp_open: return (step_forms){QC_TOKEN_clamp, step->second, 1};
    case QC_TOKEN_product_open: return (step_forms){QC_TOKEN_product, step->second, 1};
    default: return (step_forms){step->first, step->second, 0};
    }
}

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

static int sign(double v)
{
    return (v > 0) - (v < 0);
}

/* Where x lies beside the real bound of a code: by the rounded product, and what it lost. */
static int side_by(const qc_guess *g, const registers *r, double code)
{
    const double d = code - r->z;
    const double p = g->multiplies ? r->x * r->s : d * r->s;
    const double lost = g->multiplies ? fma(r->x, r->s, -p) : -fma(d, r->s, -p);
    const double difference = g->multiplies ? p - d : r->x - p;
    const double back = d - code;
    const double more = (code - (d - back)) + (-r->z - back); /* of code - z, beyond d */
    return difference != 0 ? sign(difference) : lost != 0 ? sign(lost) : -sign(more);
}

static double bound_by(const qc_guess *g, const registers *r, double code, uint8_t type)
{
    const double d = typed(g, code - r->z, type);
    return typed(g, g->multiplies ? d / r->s : d * r->s, type);
}

static int product_by(const qc_guess *g, const registers *r, const step_forms *form)
{
    const uint8_t wider = g->own == QC_F64 ? QC_TOKEN_f64 : form->type;
    const double below = typed(g, r->x - bound_by(g, r, g->qmin, form->type), wider);
    const double above = typed(g, r->x - bound_by(g, r, g->qmax, form->type), wider);
    const double product = typed(g, below * above, wider);
    return form->is_open ? product < 0 : product <= 0;
}

static int side_of_form(const qc_guess *g, const registers *r, double code,
                        const step_forms *form)
{
    switch (form->word) {
    case QC_TOKEN_value: return sign(r->v - (code - r->z));
    case QC_TOKEN_clamp:
        return sign(r->x - typed(g, bound_by(g, r, code, QC_TOKEN_f64), form->type));
    default:
        return form->type == QC_TOKEN_exact
                   ? side_by(g, r, code)
                   : sign(r->x - bound_by(g, r, code, form->type));
    }
}

static int mask_by(const qc_guess *g, const registers *r, const qc_step *step)
{
    const step_forms form = forms_of(step);
    if (form.word == QC_TOKEN_grid) {
        return r->v >= g->qmin && (form.is_open ? r->v < g->qmax : r->v <= g->qmax);
    }
    if (form.word == QC_TOKEN_product) {
        return product_by(g, r, &form);
    }
    return isfinite(r->x) && side_of_form(g, r, g->qmin, &form) >= 0 &&
           side_of_form(g, r, g->qmax, &form) < !form.is_open;
}

/* The part of a fixed-point shift that the second of two roundings takes (U3). */
static int second_exponent(const qc_guess *g)
{
    return g->shift < -31 ? g->shift + 31 : 0;
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
    case QC_STEP_mask: r->mask = mask_by(g, r, step); break;
    case QC_STEP_pass: r->is_product = step->first == QC_TOKEN_product; break;
    case QC_STEP_clamp: r->v = clamp_by(g, r, step->first); break;
    case QC_STEP_code: r->v = code_by(g, r->v, step->first); break;
    case QC_STEP_highmul:
        r->v = ldexp(r->v * r->s, -second_exponent(g));
        r->v = step->first == QC_TOKEN_twice ? rint_by(r->v, step->second) : r->v;
        break;
    case QC_STEP_shift:
        r->v = rint_by(ldexp(r->v, second_exponent(g)), step->first);
        break;
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

int qc_guess_knows(const qc_call *call)
{
    return call->op != QC_OP_choose_qparams && call->op != QC_OP_observe;
}

static uint64_t bits_at(const qc_tensor *tensor, int64_t at)
{
    const char *const from = (const char *)tensor->data;
    uint16_t b16;
    uint32_t b32;
    uint64_t b64;
    switch (qc_dtype_bytes(tensor->dtype)) {
    case 2: memcpy(&b16, from + 2 * at, sizeof b16); return b16;
    case 4: memcpy(&b32, from + 4 * at, sizeof b32); return b32;
    default: memcpy(&b64, from + 8 * at, sizeof b64); return b64;
    }
}

/* A product with 0 is taken to differ from every gradient and from +0: MPFR's path looks. */
static uint64_t passed(const qc_guess *g, const registers *r)
{
    return r->mask ? g->grad : r->is_product ? ~UINT64_C(0) : 0;
}

void qc_guess_open(qc_guess *guess, const qc_call *call)
{
    const uint32_t element =
        call->op == QC_OP_fake_quantize_grad ? QC_ARG_OF(fake_quantize_grad, x) : 0;
    const qc_tensor *const body = &call->args[element];
    *guess = (qc_guess){.call = call,
                        .code = qc_call_code_dtype(call),
                        .element = element,
                        .multiplies = qc_op_has_key(call->op, QC_ATTR_scale_form) &&
                                      call->attrs.scale_form == QC_SCALE_FORM_multiply};
    guess->own = call->op == QC_OP_dequantize ? call->args[QC_ARG_OF(dequantize, y)].dtype
                                              : body->dtype;
    qc_call_grid(call, &guess->qmin, &guess->qmax);
    if (call->op == QC_OP_quantized_linear) {
        guess->z = load(&call->args[QC_ARG_OF(quantized_linear, out_zero_point)], 0);
    }
    if (qc_op_is_linear(call->op)) {
        guess->own = QC_F32;
        qc_linear_guess_open(&guess->linear, call);
    }
}

static void requantize_load(qc_guess *guess, int64_t i, int64_t channel)
{
    const qc_tensor *const args = guess->call->args;
    const qc_tensor *const shift = &args[QC_ARG_OF(requantize, shift)];
    guess->x = load(&args[QC_ARG_OF(requantize, acc)], i);
    guess->shift = shift->dtype == QC_NONE ? 0 : (int32_t)load(shift, channel);
    guess->scale =
        ldexp(load(&args[QC_ARG_OF(requantize, multiplier)], channel), guess->shift);
    guess->z = load(&args[QC_ARG_OF(requantize, zero_point)], channel);
}

int qc_guess_load(qc_guess *guess, int64_t i)
{
    if (qc_op_is_linear(guess->call->op)) {
        qc_linear_guess_load(&guess->linear, i);
        return 1;
    }
    const int64_t channel = qc_call_channel(guess->call, i);
    const qc_tensor *const args = &guess->call->args[guess->element];
    if (guess->call->op == QC_OP_requantize) {
        requantize_load(guess, i, channel);
        return 1;
    }
    guess->x = load(&args[0], i);
    guess->scale = load(&args[1], channel);
    guess->z = load(&args[2], channel);
    if (guess->element > 0) {
        const qc_tensor *const grad = &guess->call->args[0];
        guess->grad = bits_at(grad, qc_tensor_at(grad, i));
    }
    return !isnan(guess->x);
}

uint64_t qc_guess_bits(const qc_guess *guess, const qc_steps *steps, uint32_t arg)
{
    const qc_call *const call = guess->call;
    const int is_mask = qc_op_get(call->op)->args[arg].dtypes == QC_DTYPE_BIT(QC_U8);
    registers r = {.x = guess->x, .s = guess->scale, .z = guess->z, .v = guess->x};
    uint32_t n = 0;
    if (qc_op_is_linear(call->op)) {
        r.v = qc_guess_linear(&guess->linear, steps, &n);
        r.z = guess->z;
    }
    for (; n < steps->count; n++) {
        step_guess(guess, &steps->step[n], &r);
    }
    if (guess->element > 0) {
        return passed(guess, &r);
    }
    return is_mask ? (uint64_t)r.mask : bits_of(r.v, call->args[arg].dtype);
}
