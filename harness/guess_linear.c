/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/guess_linear.h"

#include <math.h>
#include <string.h>

typedef struct output {
    const qc_call *call;
    int64_t m;
    int64_t n;
    int wzp;  /* token: nothing, first or none */
    int pair; /* pairs saturate in s16 */
    long double factor; /* the multiplier as it was last applied */
    double divisor;
    int is_scaled;
} output;

static double number(const output *o, const char *name, double absent)
{
    const qc_op_info *const info = qc_op_get(o->call->op);
    const qc_tensor *t = NULL;
    for (uint32_t a = 0; a < info->arg_count; a++) {
        t = !strcmp(info->args[a].name, name) ? &o->call->args[a] : t;
    }
    if (!t || t->dtype == QC_NONE) {
        return absent;
    }
    const char *const at = (const char *)t->data +
                           qc_tensor_at(t, t->rank ? o->n : 0) *
                               (int64_t)qc_dtype_bytes(t->dtype);
    float f32;
    double f64;
    int32_t s32;
    int64_t s64;
    switch (t->dtype) {
    case QC_F32: memcpy(&f32, at, 4); return f32;
    case QC_F64: memcpy(&f64, at, 8); return f64;
    case QC_S8: return *(const int8_t *)at;
    case QC_S32: memcpy(&s32, at, 4); return s32;
    default: memcpy(&s64, at, 8); return (double)s64;
    }
}

static int32_t code(const qc_tensor *t, int64_t row, int64_t k)
{
    const uint8_t bits =
        ((const uint8_t *)t->data)[t->offset + row * t->strides[0] + k * t->strides[1]];
    return t->dtype == QC_S8 ? (int8_t)bits : bits;
}

static int32_t weight_zero_point(const output *o)
{
    output other = *o;
    other.n = o->wzp == QC_TOKEN_first ? 0 : o->n;
    return o->wzp == QC_TOKEN_none ? 0 : (int32_t)number(&other, "w_zero_point", 0);
}

static double sum(const output *o, const qc_step *step)
{
    const qc_tensor *const x = &o->call->args[0];
    const qc_tensor *const w = &o->call->args[1];
    const int32_t x_zp = (int32_t)number(o, "x_zero_point", 0);
    const int32_t w_zp = weight_zero_point(o);
    const int32_t x_up = x->dtype == QC_S8 ? 128 : 0;
    const int32_t w_up = w->dtype == QC_U8 ? -128 : 0;
    int64_t whole = 0;
    int32_t raw = 0;
    float f32 = 0;
    for (int64_t k = 0; k < x->dims[1]; k++) {
        const int32_t a = code(x, o->m, k);
        const int32_t b = code(w, o->n, k);
        whole += (a - x_zp) * (b - w_zp);
        f32 += (float)((a - x_zp) * (b - w_zp));
        raw = (k % 2 ? raw : 0) + (a + x_up) * (b + w_up);
        if (o->pair && (k % 2 || k + 1 == x->dims[1])) {
            whole += raw > INT16_MAX ? INT16_MAX - raw : raw < INT16_MIN ? INT16_MIN - raw : 0;
        }
    }
    return step->first == QC_TOKEN_f32   ? f32
           : step->first == QC_TOKEN_s32 ? (int32_t)(uint32_t)(uint64_t)whole
                                         : (double)whole;
}

static long double typed(long double v, uint8_t token)
{
    return token == QC_TOKEN_f32 ? (float)v : token == QC_TOKEN_f64 ? (double)v : v;
}

static long double multiplier(output *o, const qc_step *step)
{
    const double a = number(o, "x_scale", 1) *
                     ldexp(number(o, "multiplier", 1), (int)number(o, "shift", 0));
    const double b = number(o, "w_scale", 1);
    o->divisor = number(o, "out_scale", 1);
    o->is_scaled = 1;
    o->factor =
        step->second == QC_TOKEN_right
            ? typed(a * typed(b / (long double)o->divisor, step->first), step->first)
            : typed(typed((long double)a * b, step->first) / o->divisor, step->first);
    return o->factor;
}

static long double bias(const output *o, const qc_step *step)
{
    const qc_op_info *const info = qc_op_get(o->call->op);
    const double b = number(o, "bias", 0);
    int is_real = o->call->op == QC_OP_quantized_linear_f32 ||
                  o->call->attrs.params == QC_PARAMS_scales;
    for (uint32_t a = 0; a < info->arg_count; a++) {
        is_real &= strcmp(info->args[a].name, "bias") || o->call->args[a].dtype == QC_F32;
    }
    if (is_real && !o->is_scaled) {
        return fmin(fmax(rint(b / number(o, "x_scale", 1) / number(o, "w_scale", 1)),
                         INT32_MIN),
                    INT32_MAX);
    }
    return is_real        ? typed((long double)b / o->divisor, step->first)
           : o->is_scaled ? b * o->factor
                          : b;
}

double qc_guess_linear(const qc_call *call, int64_t i, const qc_steps *steps,
                       uint32_t *next_ret)
{
    const int64_t columns = call->args[1].dims[0];
    output o = {.call = call, .m = i / columns, .n = i % columns, .divisor = 1};
    long double v = 0;
    uint32_t n = 0;
    for (; n < steps->count; n++) {
        const qc_step *const step = &steps->step[n];
        switch (step->kind) {
        case QC_STEP_wzp: o.wzp = step->first; continue;
        case QC_STEP_pair: o.pair = 1; continue;
        case QC_STEP_acc: v = sum(&o, step); continue;
        case QC_STEP_multiplier: v = typed(v * multiplier(&o, step), step->first); continue;
        case QC_STEP_bias: v = typed(v + bias(&o, step), step->first); continue;
        case QC_STEP_rint:
            if (n + 1 < steps->count && steps->step[n + 1].kind == QC_STEP_bias) {
                v = rintl(v);
                continue;
            }
            break;
        default: break;
        }
        break;
    }
    *next_ret = n;
    const double near = (double)v; /* beside a tie, not on it, as v is */
    return near == v ? near : nextafter(near, v > near ? INFINITY : -INFINITY);
}
