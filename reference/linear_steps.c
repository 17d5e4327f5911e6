/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that the ops of linear add (rules S20 to S24). */
#include <math.h>

#include "linear.h"
#include "op.h"

enum {
    X = QC_ARG_OF(linear_s32, x_q),
    W = QC_ARG_OF(linear_s32, w_q),
    X_ZP = QC_ARG_OF(linear_s32, x_zero_point),
    W_ZP = QC_ARG_OF(linear_s32, w_zero_point)
};

/* A row of codes and its zero point. */
typedef struct codes {
    const uint8_t *first;
    int64_t step;
    int is_signed;
    int32_t zero_point;
} codes;

static codes row_of(const qc_tensor *t, int64_t row, double zero_point)
{
    return (codes){(const uint8_t *)t->data + t->offset + row * t->strides[0],
                   t->strides[1], t->dtype == QC_S8, (int32_t)zero_point};
}

static int32_t code_at(const codes *row, int64_t k)
{
    const uint8_t bits = row->first[k * row->step];
    return row->is_signed ? (int8_t)bits : bits;
}

static codes weights_of(const struct qc_linear_at *at)
{
    const qc_tensor *const zp = &at->call->args[W_ZP];
    const int64_t n = zp->rank && at->wzp.first != QC_TOKEN_first ? at->n : 0;
    const double zero_point = at->wzp.first == QC_TOKEN_none ? 0.0 : qc_load(zp, n);
    return row_of(&at->call->args[W], at->n, zero_point);
}

static int64_t limited(int64_t sum, uint8_t type, uint8_t overflow)
{
    const int64_t high = type == QC_TOKEN_s8    ? INT8_MAX
                         : type == QC_TOKEN_s16 ? INT16_MAX
                                                : INT32_MAX;
    if (type == QC_TOKEN_exact || type == QC_TOKEN_s64) {
        return sum;
    }
    if (overflow == QC_TOKEN_saturate) {
        return sum > high ? high : sum < -high - 1 ? -high - 1 : sum;
    }
    return ((sum + high + 1) & (2 * high + 1)) - high - 1; /* modulo the type's size */
}

/* The k-th term of the sum: a product, or a pair's limited sum of raw products at even k
   with what makes good for the moved zero points (S21). */
static int64_t term(const struct qc_linear_at *at, const codes *x, const codes *w,
                    int64_t k, int64_t count)
{
    if (!at->pair.kind) {
        return (int64_t)(code_at(x, k) - x->zero_point) *
               (code_at(w, k) - w->zero_point);
    }
    const int32_t x_move = x->is_signed ? 128 : 0; /* into u8 */
    const int32_t w_move = w->is_signed ? 0 : -128; /* into s8 */
    const int64_t x_zp = x->zero_point + x_move;
    const int64_t w_zp = w->zero_point + w_move;
    int64_t raw = 0;
    int64_t rest = 0;
    for (int64_t j = k; j < k + 2 && j < count && k % 2 == 0; j++) {
        const int64_t a = code_at(x, j) + x_move;
        const int64_t b = code_at(w, j) + w_move;
        raw += a * b;
        rest += x_zp * w_zp - a * w_zp - x_zp * b;
    }
    return limited(raw, at->pair.first, at->pair.second) + rest;
}

void qc_step_wzp(qc_registers *r, qc_step step)
{
    r->linear->wzp = step;
}

void qc_step_pair(qc_registers *r, qc_step step)
{
    r->linear->pair = step;
}

void qc_step_acc(qc_registers *r, qc_step step)
{
    const struct qc_linear_at *const at = r->linear;
    const codes x = row_of(&at->call->args[X], at->m, qc_load(&at->call->args[X_ZP], 0));
    const codes w = weights_of(at);
    const int64_t count = at->call->args[X].dims[1];
    const int is_float = step.first == QC_TOKEN_f32 || step.first == QC_TOKEN_f64;
    int64_t whole = 0;
    double real = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t product = term(at, &x, &w, k, count);
        whole = limited(whole + product, step.first, step.second);
        real = step.first == QC_TOKEN_f32 ? (float)(real + (double)product)
                                          : real + (double)product;
    }
    r->v = is_float ? qc_value_of(real) : qc_value_of_wide(whole);
}

/* numerator / denominator in the type, the latter finite and > 0. */
static double ratio(double numerator, double denominator, qc_token type)
{
    if (!isfinite(numerator)) {
        return numerator;
    }
    qc_value value = qc_value_of(numerator);
    value.exact.divisor = denominator;
    return qc_value_rounded(&value, type).special;
}

static double product(double a, double b, qc_token type)
{
    qc_registers r = {.s = b, .v = qc_value_of(a)};
    qc_step_mul(&r, (qc_step){.kind = QC_STEP_mul, .first = (uint8_t)type});
    return r.v.special;
}

void qc_step_multiplier(qc_registers *r, qc_step step)
{
    struct qc_linear_at *const at = r->linear;
    const qc_token type = (qc_token)step.first;
    const double *const f = at->factor;
    at->is_scaled = 1;
    if (type == QC_TOKEN_exact) {
        qc_exact_multiply(&r->v.exact, f[0]);
        qc_exact_multiply(&r->v.exact, f[1]);
        r->v.exact.divisor = at->divisor;
        r->v.special = 0.0;
        return;
    }
    if (step.second == QC_TOKEN_apart) {
        at->out_scale = at->divisor; /* waits for rescale; the bias is in real units */
        at->divisor = 1.0;
    }
    r->s = step.second != QC_TOKEN_right
               ? ratio(product(f[0], f[1], type), at->divisor, type)
               : product(f[0], ratio(f[1], at->divisor, type), type);
    qc_step_mul(r, (qc_step){.kind = QC_STEP_mul, .first = step.first});
    at->s = qc_value_of(r->s);
}

void qc_step_rescale(qc_registers *r, qc_step step)
{
    r->s = ratio(1.0, r->linear->out_scale, (qc_token)step.first);
    qc_step_mul(r, (qc_step){.kind = QC_STEP_mul, .first = step.first});
}

/* The bias, in real units or in the accumulator's (W2, W3); 0: there is none. */
static int bias_load(const qc_call *call, int64_t n, double *bias_ret, int *is_real_ret)
{
    const qc_tensor *bias = NULL;
    if (call->op == QC_OP_quantized_linear) {
        bias = &call->args[QC_ARG_OF(quantized_linear, bias)];
    } else if (call->op == QC_OP_quantized_linear_f32) {
        bias = &call->args[QC_ARG_OF(quantized_linear_f32, bias)];
    }
    if (!bias || bias->dtype == QC_NONE) {
        return 0;
    }
    *bias_ret = qc_load(bias, n);
    *is_real_ret = bias->dtype == QC_F32 &&
                   (call->op == QC_OP_quantized_linear_f32 ||
                    call->attrs.params == QC_PARAMS_scales);
    return 1;
}

/* RNE(b / (f0 f1)) by long division of one bit at a time would do; the long double
   quotient is within one of it below 2^40, and exact comparisons settle which. */
static double in_accumulator_units(const struct qc_linear_at *at, double b)
{
    const long double quotient =
        (long double)b / at->factor[0] / (long double)at->factor[1];
    if (fabsl(quotient) > 0x1p40L) { /* beyond s32 either way */
        return quotient > 0 ? 0x1p40 : -0x1p40;
    }
    double whole = (double)rintl(quotient);
    for (double k = whole - 1; k <= whole + 1; k++) { /* the first with b <= (k + 1/2) P */
        qc_exact difference = qc_exact_of(-(2 * k + 1));
        qc_exact_multiply(&difference, at->factor[0]);
        qc_exact_multiply(&difference, at->factor[1]);
        qc_exact_add(&difference, b);
        qc_exact_add(&difference, b);
        const int side = qc_exact_sign(&difference);
        if (side < 0 || (side == 0 && fmod(k, 2) == 0)) {
            return k;
        }
    }
    return whole + 2;
}

/* v + b, or v + b s, over the divisor that the multiplier has. */
static void add_exactly(qc_registers *r, double b, int is_real)
{
    const struct qc_linear_at *const at = r->linear;
    qc_exact addend = qc_exact_of(b);
    const int is_typed = at->s.is_exact;
    if (!at->is_scaled) {
        qc_exact_add(&r->v.exact, b);
        return;
    }
    if (!is_real && is_typed) {
        qc_exact_multiply(&addend, at->s.special);
    } else if (!is_real) {
        qc_exact_multiply(&addend, at->factor[0]);
        qc_exact_multiply(&addend, at->factor[1]);
    }
    if ((is_real || !is_typed) && r->v.exact.divisor != at->divisor) {
        qc_exact_multiply(&r->v.exact, at->divisor);
        r->v.exact.divisor = at->divisor;
    }
    qc_exact_add_exact(&r->v.exact, &addend);
}

void qc_step_bias(qc_registers *r, qc_step step)
{
    double b;
    int is_real;
    if (!bias_load(r->linear->call, r->linear->n, &b, &is_real) || !r->v.is_exact) {
        return;
    }
    const int is_float = step.first == QC_TOKEN_f32 || step.first == QC_TOKEN_f64;
    const int is_integer = step.first >= QC_TOKEN_s8 && step.first <= QC_TOKEN_s64;
    if (!r->linear->is_scaled && is_real) {
        b = in_accumulator_units(r->linear, b);
    } else if (is_float && is_real) {
        b = ratio(b, r->linear->divisor, (qc_token)step.first);
        is_real = 0;
        if (!isfinite(b)) {
            r->v = qc_value_of(b);
            return;
        }
        qc_exact_add(&r->v.exact, b);
        r->v.special = 0.0;
        r->v = qc_value_rounded(&r->v, (qc_token)step.first);
        return;
    }
    add_exactly(r, b, is_real);
    r->v.special = 0.0;
    if (is_integer) {
        const int64_t sum = (int64_t)qc_exact_rint(&r->v.exact, QC_TOKEN_half_even);
        r->v = qc_value_of_wide(limited(sum, step.first, step.second));
    } else {
        r->v = qc_value_rounded(&r->v, (qc_token)step.first);
    }
}
