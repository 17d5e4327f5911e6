/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a case of linear: zero points, then codes, whose sums are then known,
   then scales and biases made for those sums. */
#include "linear.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct fill {
    const qc_linear_plan *plan;
    const qc_capability *limits;
    qc_case *item;
    uint64_t key;
    uint64_t drawn;
    int64_t i;
    int32_t low[2]; /* lowest code of x_q and w_q */
    int64_t factor; /* d: the pivot of x_q, less its zero point */
    qc_tensor *x_scale;
    qc_tensor *w_scale;
    qc_tensor *out_scale;
    qc_tensor *multiplier;
    qc_tensor *shift;
    qc_tensor *bias;
} fill;

static uint64_t draw(fill *f)
{
    return qc_random_of(f->key, f->drawn++);
}

static int64_t between(fill *f, int64_t low, int64_t high)
{
    return low + (int64_t)qc_random_below(draw(f), (uint32_t)(high - low + 1));
}

static void put(const qc_tensor *t, int64_t i, int64_t value)
{
    qc_bits_store(t, qc_tensor_at(t, i), (uint64_t)value);
}

static void put_real(const qc_tensor *t, int64_t i, double value)
{
    qc_bits_store(t, qc_tensor_at(t, i), qc_bits_of_double(t->dtype, value));
}

static double real(const qc_tensor *t, int64_t n)
{
    return t && qc_tensor_elems(t) > 0
               ? qc_bits_to_double(t->dtype,
                                   qc_bits_load(t, qc_tensor_at(t, t->rank ? n : 0)))
               : 1;
}

static int64_t whole(const qc_tensor *t, int64_t n)
{
    const uint64_t bits = qc_bits_load(t, qc_tensor_at(t, t->rank ? n : 0));
    switch (t->dtype) {
    case QC_S8: return (int8_t)bits;
    case QC_U8: return (uint8_t)bits;
    case QC_S32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

static void zero_points(fill *f)
{
    static const int32_t places[] = {0, 255, 128, 1, 254, 127, 200, 60};
    const qc_tensor *const x = qc_linear_arg(f->item, "x_zero_point");
    const qc_tensor *const w = qc_linear_arg(f->item, "w_zero_point");
    const int is_far =
        f->plan->recipe == QC_LINEAR_LONG || f->plan->recipe == QC_LINEAR_FULL;
    put(x, 0, f->low[0] + (f->plan->pivot ? 0 : is_far ? 255 : places[draw(f) % 8]));
    for (int64_t n = 0; n < qc_tensor_elems(w); n++) {
        int64_t place = places[draw(f) % 8];
        place = f->plan->pivot ? between(f, 112, 143) : is_far ? 255 : place;
        if (f->limits->zero_points & QC_ZP_ZERO) {
            place = -f->low[1];
        }
        put(w, n,
            f->low[1] + (f->plan->equal_rows && n ? whole(w, 0) - f->low[1] : place));
    }
}

static void generate(fill *f, const char *name, const char *generator)
{
    const uint32_t arg = qc_arg_find(f->item->call.op, name);
    char *const text = f->item->generator[arg];
    snprintf(text, QC_GENERATOR_TEXT, "%s(%" PRIu64 ",%" PRId64 ")", generator,
             f->key & UINT32_MAX, f->i);
    if (qc_generate(f->item, arg, text, NULL) != QC_OK) {
        text[0] = '\0'; /* only when memory is short: then codes are 0 */
    }
}

/* Codes of one row pattern: ends, alternating ends, any, and near the zero point. */
static int64_t code(fill *f, int side, int64_t k, uint64_t pattern, int64_t zero_point)
{
    const int64_t low = f->low[side];
    switch (pattern % 5) {
    case 0: return low + (draw(f) & 1 ? 255 : 0);
    case 1: return low + (k & 1 ? 255 : 0);
    case 2: return zero_point + (zero_point < low + 128 ? 1 : -1) * between(f, 0, 9);
    default: return between(f, low, low + 255);
    }
}

static void any_codes(fill *f, int side)
{
    qc_tensor *const t = &f->item->call.args[side];
    const qc_tensor *const zp = &f->item->call.args[2 + side];
    for (int64_t row = 0; row < t->dims[0]; row++) {
        const uint64_t pattern = draw(f);
        const int64_t zero_point = whole(zp, row);
        for (int64_t k = 0; k < t->dims[1]; k++) {
            const int64_t value = code(f, side, k, pattern, zero_point);
            if (!f->plan->equal_rows || row == 0) {
                put(t, row * t->dims[1] + k, value);
            } else {
                put(t, row * t->dims[1] + k,
                    whole(&(qc_tensor){.dtype = t->dtype,
                                       .rank = 0,
                                       .offset = qc_tensor_at(t, k),
                                       .data = t->data},
                          0));
            }
        }
    }
}

/* x_q - x_zp is d in one place and 0 elsewhere, w_q - w_zp is c[n] there: S = d c[n]. */
static void pivot_codes(fill *f)
{
    static const int32_t factors[] = {49, 1,   103, 3,   107, 5,  161,
                                      7,  187, 1,   197, 9,   98, 2};
    qc_tensor *const x = &f->item->call.args[0];
    qc_tensor *const w = &f->item->call.args[1];
    const qc_tensor *const w_zp = &f->item->call.args[3];
    const int64_t count = f->plan->k;
    any_codes(f, 1);
    f->factor = f->plan->recipe == QC_LINEAR_TIES ? factors[draw(f) % 14] : 1;
    const int64_t place =
        draw(f) & 1 ? count - 1 : between(f, 0, count > 0 ? count - 1 : 0);
    for (int64_t m = 0; m < f->plan->m; m++) {
        for (int64_t k = 0; k < count; k++) {
            put(x, m * count + k, f->low[0] + (k == place ? f->factor : 0));
        }
    }
    for (int64_t n = 0; n < f->plan->n && count > 0; n++) {
        const int64_t c = f->plan->recipe == QC_LINEAR_STEEP
                              ? between(f, -20, 20)
                              : 2 * between(f, -56, 55) + 1;
        put(w, n * count + place, whole(w_zp, n) + c);
    }
}

static void codes(fill *f)
{
    if (f->plan->recipe == QC_LINEAR_FULL || f->plan->recipe == QC_LINEAR_LONG) {
        const char *const name =
            f->plan->recipe == QC_LINEAR_FULL ? "row_ends" : "column_codes";
        generate(f, "x_q", name);
        generate(f, "w_q", name);
    } else if (f->plan->pivot) {
        pivot_codes(f);
    } else {
        any_codes(f, 0);
        any_codes(f, 1);
    }
}

/* S of output (m, n). */
static int64_t sum_of(const fill *f, int64_t m, int64_t n)
{
    const qc_call *const call = &f->item->call;
    const int64_t x_zp = whole(&call->args[2], 0);
    const int64_t w_zp = whole(&call->args[3], n);
    const qc_tensor *const x = &call->args[0];
    const qc_tensor *const w = &call->args[1];
    qc_tensor at_x = {.dtype = x->dtype, .data = x->data};
    qc_tensor at_w = {.dtype = w->dtype, .data = w->data};
    int64_t sum = 0;
    for (int64_t k = 0; k < f->plan->k; k++) {
        at_x.offset = x->offset + m * x->strides[0] + k * x->strides[1];
        at_w.offset = w->offset + n * w->strides[0] + k * w->strides[1];
        sum += (whole(&at_x, 0) - x_zp) * (whole(&at_w, 0) - w_zp);
    }
    return sum;
}

/* S of output (0, 0) added up in f32: what L22 tells from S. */
static double sum_in_f32(const fill *f)
{
    const qc_call *const call = &f->item->call;
    const int64_t x_zp = whole(&call->args[2], 0);
    const int64_t w_zp = whole(&call->args[3], 0);
    qc_tensor at_x = call->args[0];
    qc_tensor at_w = call->args[1];
    float sum = 0;
    at_x.rank = at_w.rank = 0;
    for (int64_t k = 0; k < f->plan->k; k++) {
        at_x.offset = call->args[0].offset + k * call->args[0].strides[1];
        at_w.offset = call->args[1].offset + k * call->args[1].strides[1];
        sum += (float)((whole(&at_x, 0) - x_zp) * (whole(&at_w, 0) - w_zp));
    }
    return sum;
}

/* A scale in 2^low ... 2^high, of few bits or of all. */
static double some_scale(fill *f, int low, int high)
{
    const uint64_t r = draw(f);
    const double mantissa = 1 + (double)(r >> 11) * 0x1p-53;
    return ldexp(r & 1 ? mantissa : 1, (int)between(f, low, high));
}

/* Sets the parameters so that M[n] is `wanted`, as near as their dtypes allow: x_scale
   and w_scale given in one number each, out_scale or multiplier takes the rest. */
static void set_multiplier(fill *f, double x_scale, double w_scale, double wanted)
{
    const int64_t count = f->w_scale      ? qc_tensor_elems(f->w_scale)
                          : f->multiplier ? qc_tensor_elems(f->multiplier)
                                          : 0;
    if (f->x_scale) {
        put_real(f->x_scale, 0, x_scale);
        x_scale = real(f->x_scale, 0);
    }
    for (int64_t n = 0; n < count && f->w_scale; n++) {
        put_real(f->w_scale, n, w_scale);
    }
    if (f->out_scale) {
        put_real(
            f->out_scale, 0,
            fmin(fmax(x_scale * real(f->w_scale, 0) / wanted, 0x1p-126), 0x1.fffffep127));
    }
    for (int64_t n = 0; n < count && f->multiplier && !f->shift; n++) {
        put_real(f->multiplier, n, fmin(fmax(wanted, 0x1p-149), 0x1.fffffep127));
    }
    int exponent;
    const double mantissa = frexp(wanted, &exponent);
    for (int64_t n = 0; f->shift && n < count; n++) {
        put(f->multiplier, n, (int64_t)rint(fmin(ldexp(mantissa, 31), INT32_MAX)));
    }
    for (int64_t n = 0; f->shift && n < qc_tensor_elems(f->shift); n++) {
        const int by = exponent - 31;
        put(f->shift, n, by < -128 ? -128 : by > 127 ? 127 : by);
    }
}

/* The bias of row n: `units` of the accumulator, in the bias's own. */
static void put_bias(fill *f, int64_t n, double units)
{
    const int is_real = f->x_scale != NULL;
    if (f->bias->dtype == QC_S32) {
        put(f->bias, n, (int64_t)fmin(fmax(rint(units), INT32_MIN), INT32_MAX));
    } else {
        const double value =
            is_real ? units * real(f->x_scale, 0) * real(f->w_scale, n) : units;
        put_real(f->bias, n, fmin(fmax(value, -0x1.fffffep127), 0x1.fffffep127));
    }
}

static void ties(fill *f)
{
    static const double scales[] = {1, 0x1p-7, 0x1p-20, 3, 0x1p-3, 1.5};
    const double x_scale = scales[draw(f) % 6];
    const double w_scale = ldexp(1, (int)between(f, -9, 3));
    set_multiplier(f, x_scale, w_scale, 1.0 / (2.0 * (double)f->factor));
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        put_bias(f, n, (double)(between(f, -3, 3) * 2 * f->factor));
    }
}

/* v about the grid and a little beyond, all mantissas any. Here and below, one draw a
   statement: compilers evaluate arguments in orders of their own. */
static void moderate(fill *f)
{
    const double spread = sqrt((double)(f->plan->k + 1)) * 9000;
    const double wanted = some_scale(f, 5, 8) / spread;
    const double w_scale = some_scale(f, -12, -2);
    const double x_scale = some_scale(f, -12, -2);
    set_multiplier(f, x_scale, w_scale, wanted);
    for (int64_t n = 1; f->w_scale && n < qc_tensor_elems(f->w_scale); n++) {
        put_real(f->w_scale, n, real(f->w_scale, 0) * some_scale(f, -1, 0));
    }
    for (int64_t n = 1; f->multiplier && !f->shift && n < qc_tensor_elems(f->multiplier);
         n++) {
        put_real(f->multiplier, n, real(f->multiplier, 0) * some_scale(f, -1, 0));
    }
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        const double size =
            draw(f) % 9 == 0 ? 0 : spread * (double)between(f, -99, 99) / 150;
        put_bias(f, n, draw(f) % 17 == 0 ? size * 0x1p40 : size + 0.3);
    }
}

/* One value for all outputs, as near to a tie as the parameters' dtypes bring it: of the
   code, or of f32, whose middles are those of 25 bits. */
static void near_tie(fill *f)
{
    const int64_t sum = f->plan->m && f->plan->n ? sum_of(f, 0, 0) : 0;
    const double other = f->plan->recipe == QC_LINEAR_LONG ? sum_in_f32(f) : (double)sum;
    const double s = sum ? fabs((double)sum + other) / 2 : 1;
    const double tie = (double)between(f, 1, 60) + 0.5;
    const double w_scale = (float)some_scale(f, -9, -2);
    const double middle =
        ldexp((double)(2 * between(f, 1 << 22, (1 << 23) - 1) + 1 + (1 << 24)), -30);
    const int is_f32 = f->item->call.op == QC_OP_quantized_linear_f32;
    const double x_scale = is_f32 ? middle / (s * w_scale) : some_scale(f, -9, -2);
    set_multiplier(f, x_scale, w_scale, tie / s);
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        put_bias(f, n, 0);
    }
}

static void huge(fill *f)
{
    static const int exponents[] = {70, 24, 40, 64, 33, 62};
    const double wanted = some_scale(f, exponents[f->i < 32 ? 0 : f->i % 6], 82);
    const double w_scale = some_scale(f, 20, 30);
    const double x_scale = some_scale(f, 20, 30);
    set_multiplier(f, x_scale, w_scale, wanted);
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        put_bias(f, n, (double)between(f, -9, 9));
    }
}

static void steep(fill *f)
{
    const double wanted = (double)between(f, 2, 5);
    const double w_scale = ldexp(1, (int)between(f, -9, 3));
    const double x_scale = ldexp(1, (int)between(f, -9, 3));
    set_multiplier(f, x_scale, w_scale, wanted);
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        put_bias(f, n, (double)between(f, -30, 30) * 0.4 + 0.1);
    }
}

/* x_scale and w_scale a little off 1, so that their product has bits that f64 loses when
   it meets the sum (L25); the bias takes the sum back but for a few units. */
static void cancel(fill *f)
{
    const int is_f32 = f->item->call.op == QC_OP_quantized_linear_f32;
    const double wanted = (double)between(f, 1, 3) / 2;
    set_multiplier(f, is_f32 ? 1 + 0x1p-23 : 0x1p-5, is_f32 ? 1 - 0x1p-23 : 0x1p-4,
                   wanted);
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        const int64_t m = f->plan->m ? n % f->plan->m : 0;
        const double sum = f->plan->m ? (double)sum_of(f, m, n) : 0;
        const double rest = is_f32 ? 0 : (double)between(f, -40, 40);
        if (is_f32) {
            put_real(f->bias, n, -sum);
        } else {
            put_bias(f, n, rest - sum);
        }
    }
}

/* Both ends of each type, the smallest subnormal too. */
static double end_of(fill *f, const qc_tensor *t)
{
    static const double f32[] = {0x1p-149, 0x1.fffffep127, 0x1p-126,
                                 0x1p100,  0x1.8p-140,     1};
    static const double f64[] = {0x1p-1074, DBL_MAX, 0x1p-1022, 0x1p900, 0x1.8p-1050, 1};
    return (t->dtype == QC_F64 ? f64 : f32)[draw(f) % 6];
}

static void extreme(fill *f)
{
    set_multiplier(f, 1, 1, 1);
    qc_tensor *const real_ones[] = {f->x_scale, f->w_scale, f->out_scale, f->multiplier};
    for (int t = 0; t < 4; t++) {
        for (int64_t n = 0; real_ones[t] && n < qc_tensor_elems(real_ones[t]); n++) {
            if (real_ones[t]->dtype == QC_S32) {
                put(real_ones[t], n, draw(f) & 1 ? INT32_MAX : between(f, 0, 3));
            } else {
                put_real(real_ones[t], n, end_of(f, real_ones[t]));
            }
        }
    }
    for (int64_t n = 0; f->shift && n < qc_tensor_elems(f->shift); n++) {
        put(f->shift, n, (int64_t[]){-128, 127, -31, 0}[draw(f) % 4]);
    }
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        if (f->bias->dtype == QC_F32) {
            put_real(f->bias, n, draw(f) & 1 ? end_of(f, f->bias) : -end_of(f, f->bias));
        } else {
            put(f->bias, n, (int64_t[]){INT32_MIN, INT32_MAX, 0, -1}[draw(f) % 4]);
        }
    }
}

/* S is 0 or K 65,025: v is 0 or 2,048, and what a wrapped sum gives has the other
   sign. */
static void full(fill *f)
{
    set_multiplier(f, 0x1p-10, 0x1p-10, 0x1p-20);
    for (int64_t n = 0; f->bias && n < f->plan->n; n++) {
        put_bias(f, n, 0);
    }
}

/* Whether the capability takes the parameters of row n. */
static int is_taken(const fill *f, int64_t n)
{
    const qc_capability *const limits = f->limits;
    const double parts[3] = {real(f->x_scale, n), real(f->w_scale, n),
                             real(f->out_scale, n)};
    const double m = f->x_scale      ? parts[0] * parts[1] / parts[2]
                     : f->multiplier ? real(f->multiplier, n)
                                     : 1;
    int is_inside = m >= limits->multiplier_low &&
                    (m <= limits->multiplier_high || limits->multiplier_high <= 0);
    for (int p = 0; p < 3 && f->x_scale; p++) {
        is_inside &= parts[p] >= limits->scale_low &&
                     (parts[p] <= limits->scale_high || limits->scale_high <= 0);
    }
    return is_inside;
}

/* Parameters outside the capability give way to ordinary ones; shifts are moved into it. */
static void keep_limits(fill *f)
{
    const qc_capability *const limits = f->limits;
    const int has_shifts = f->shift && limits->shift_low < limits->shift_high;
    for (int64_t n = 0; n < f->plan->n && !f->shift; n++) {
        if (!is_taken(f, n)) {
            moderate(f);
            return;
        }
    }
    for (int64_t n = 0; has_shifts && n < qc_tensor_elems(f->shift); n++) {
        const int64_t shift = whole(f->shift, n);
        put(f->shift, n,
            shift < limits->shift_low    ? limits->shift_low
            : shift > limits->shift_high ? limits->shift_high
                                         : shift);
    }
}

/* An odd one: of s8 below 0 and above in turn, of u8 from 128 on where the grid has it. */
static int64_t wrapping_zero_point(fill *f, int64_t qmin, int64_t qmax)
{
    const int64_t low = qmin < 0 ? 0 : qmax > INT8_MAX ? 128 : qmin;
    const int64_t z =
        qmin < 0 && f->i % 2 ? between(f, qmin, -1) : between(f, low, qmax - 1);
    return z % 2 == 0 ? z + 1 : z;
}

void qc_linear_fill(const qc_linear_plan *plan, const qc_capability *limits, uint64_t key,
                    int64_t i, qc_case *item)
{
    static void (*const parameters[])(fill *) = {
        [QC_LINEAR_TIES] = ties,       [QC_LINEAR_RANDOM] = moderate,
        [QC_LINEAR_NEAR] = near_tie,   [QC_LINEAR_HUGE] = huge,
        [QC_LINEAR_STEEP] = steep,     [QC_LINEAR_CANCEL] = cancel,
        [QC_LINEAR_EXTREME] = extreme, [QC_LINEAR_LONG] = near_tie,
        [QC_LINEAR_FULL] = full};
    fill f = {
        .plan = plan, .limits = limits, .item = item, .key = key, .i = i, .factor = 1};
    for (int side = 0; side < 2; side++) {
        f.low[side] = item->call.args[side].dtype == QC_S8 ? INT8_MIN : 0;
    }
    f.x_scale = qc_linear_arg(item, "x_scale");
    f.w_scale = qc_linear_arg(item, "w_scale");
    f.out_scale = qc_linear_arg(item, "out_scale");
    f.multiplier = qc_linear_arg(item, "multiplier");
    f.shift = qc_linear_arg(item, "shift");
    f.bias = qc_linear_arg(item, "bias");
    zero_points(&f);
    codes(&f);
    parameters[plan->recipe](&f);
    keep_limits(&f);
    const qc_tensor *const out_zp = qc_linear_arg(item, "out_zero_point");
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(&item->call, &qmin, &qmax);
    if (out_zp) {
        const int64_t places[] = {qmin, qmax, qmin + (qmax - qmin) / 2,
                                  between(&f, qmin, qmax)};
        const int64_t place = places[draw(&f) % 8 < 4 ? draw(&f) % 3 : 3];
        put(out_zp, 0,
            plan->recipe == QC_LINEAR_HUGE || plan->recipe == QC_LINEAR_TIES
                ? wrapping_zero_point(&f, qmin, qmax)
                : place);
    }
}
