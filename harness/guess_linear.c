/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/guess_linear.h"

#include <math.h>
#include <string.h>

/* What the steps so far have made. */
typedef struct output {
    const qc_linear_guess *guess;
    uint8_t wzp;        /* token: nothing, first or none */
    int pair;           /* pairs saturate in s16 */
    long double factor; /* the multiplier as it was last applied */
    double divisor;
    int is_scaled;
} output;

static double number(const qc_tensor *t, int64_t n)
{
    const char *const at = (const char *)t->data + qc_tensor_at(t, t->rank ? n : 0) *
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

void qc_linear_guess_open(qc_linear_guess *guess, const qc_call *call)
{
    static const char *const names[QC_LINEAR_PLACES] = {
        "x_scale", "w_scale", "out_scale", "multiplier", "shift", "bias"};
    const qc_op_info *const info = qc_op_get(call->op);
    *guess = (qc_linear_guess){.call = call, .output = -1};
    for (int p = 0; p < QC_LINEAR_PLACES; p++) {
        guess->args[p] = QC_MAX_ARGS;
        for (uint32_t a = 0; a < info->arg_count; a++) {
            if (!strcmp(info->args[a].name, names[p]) && call->args[a].dtype != QC_NONE) {
                guess->args[p] = a;
            }
        }
    }
}

static void sums_load(qc_linear_guess *g, int64_t m, int64_t n)
{
    const qc_tensor *const x = &g->call->args[QC_ARG_OF(linear_s32, x_q)];
    const qc_tensor *const w = &g->call->args[QC_ARG_OF(linear_s32, w_q)];
    const int32_t x_zp =
        (int32_t)number(&g->call->args[QC_ARG_OF(linear_s32, x_zero_point)], 0);
    const int32_t x_up = x->dtype == QC_S8 ? 128 : 0;
    const int32_t w_up = w->dtype == QC_U8 ? -128 : 0;
    int32_t raw = 0;
    g->sum = g->x_sum = g->excess = 0;
    g->f32 = 0;
    for (int64_t k = 0; k < x->dims[1]; k++) {
        const int32_t a = code(x, m, k);
        const int32_t b = code(w, n, k);
        const int32_t product = (a - x_zp) * (b - g->w_zp[1]);
        g->sum += product;
        g->x_sum += a - x_zp;
        g->f32 += (float)product;
        raw = (k % 2 ? raw : 0) + (a + x_up) * (b + w_up);
        if (k % 2 || k + 1 == x->dims[1]) {
            g->excess += raw > INT16_MAX   ? INT16_MAX - raw
                         : raw < INT16_MIN ? INT16_MIN - raw
                                           : 0;
        }
    }
}

void qc_linear_guess_load(qc_linear_guess *guess, int64_t i)
{
    const int64_t columns = guess->call->args[QC_ARG_OF(linear_s32, w_q)].dims[0];
    const qc_tensor *const w_zp = &guess->call->args[QC_ARG_OF(linear_s32, w_zero_point)];
    if (guess->output == i) {
        return;
    }
    guess->output = i;
    for (int p = 0; p < QC_LINEAR_PLACES; p++) {
        const int is_sum = p == QC_LINEAR_SHIFT || p == QC_LINEAR_BIAS;
        guess->values[p] = guess->args[p] == QC_MAX_ARGS
                               ? !is_sum
                               : number(&guess->call->args[guess->args[p]], i % columns);
    }
    guess->w_zp[0] = (int32_t)number(w_zp, 0);
    guess->w_zp[1] = (int32_t)number(w_zp, i % columns);
    sums_load(guess, i / columns, i % columns);
}

static double sum(const output *o, const qc_step *step)
{
    const qc_linear_guess *const g = o->guess;
    const int32_t w_zp = o->wzp == QC_TOKEN_none    ? 0
                         : o->wzp == QC_TOKEN_first ? g->w_zp[0]
                                                    : g->w_zp[1];
    const int64_t whole =
        g->sum + (g->w_zp[1] - w_zp) * g->x_sum + (o->pair ? g->excess : 0);
    return step->first == QC_TOKEN_f32   ? g->f32
           : step->first == QC_TOKEN_s32 ? (int32_t)(uint32_t)(uint64_t)whole
                                         : (double)whole;
}

static long double typed(long double v, uint8_t token)
{
    return token == QC_TOKEN_f32 ? (float)v : token == QC_TOKEN_f64 ? (double)v : v;
}

static long double multiplier(output *o, const qc_step *step)
{
    const double *const values = o->guess->values;
    const double a = values[QC_LINEAR_X_SCALE] *
                     ldexp(values[QC_LINEAR_MULTIPLIER], (int)values[QC_LINEAR_SHIFT]);
    const double b = values[QC_LINEAR_W_SCALE];
    o->divisor = values[QC_LINEAR_OUT_SCALE];
    o->is_scaled = 1;
    o->factor =
        step->second == QC_TOKEN_right
            ? typed(a * typed(b / (long double)o->divisor, step->first), step->first)
            : typed(typed((long double)a * b, step->first) / o->divisor, step->first);
    return o->factor;
}

static long double bias(const output *o, const qc_step *step)
{
    const qc_linear_guess *const g = o->guess;
    const double b = g->values[QC_LINEAR_BIAS];
    const int is_real = g->args[QC_LINEAR_BIAS] < QC_MAX_ARGS &&
                        g->call->args[g->args[QC_LINEAR_BIAS]].dtype == QC_F32 &&
                        g->args[QC_LINEAR_X_SCALE] < QC_MAX_ARGS;
    if (is_real && !o->is_scaled) {
        return fmin(
            fmax(rint(b / g->values[QC_LINEAR_X_SCALE] / g->values[QC_LINEAR_W_SCALE]),
                 INT32_MIN),
            INT32_MAX);
    }
    return is_real        ? typed((long double)b / o->divisor, step->first)
           : o->is_scaled ? b * o->factor
                          : b;
}

double qc_guess_linear(const qc_linear_guess *guess, const qc_steps *steps,
                       uint32_t *next_ret)
{
    output o = {.guess = guess, .divisor = 1};
    long double v = 0;
    uint32_t n = 0;
    for (; n < steps->count; n++) {
        const qc_step *const step = &steps->step[n];
        switch (step->kind) {
        case QC_STEP_wzp: o.wzp = step->first; continue;
        case QC_STEP_pair: o.pair = 1; continue;
        case QC_STEP_acc: v = sum(&o, step); continue;
        case QC_STEP_multiplier:
            v = typed(v * multiplier(&o, step), step->first);
            continue;
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
