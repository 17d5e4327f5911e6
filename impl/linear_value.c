/* SPDX-License-Identifier: Apache-2.0 */
/* One sum's code or value. In binary64 first, with u = 2^-53: S is exact (|S| <= 2^53);
   the product S f0 f1 has two roundings, b g0 g1 two, their sum one and the quotient one,
   each a relative error of u of its own result while that is normal. `slack` is more than
   twice what they add up to. Where it reaches a tie, or the middle of two f32 numbers, or
   something left the normal range, the exact sum of wide.h decides. */
#include "linear.h"
#include "wide.h"

#include <math.h>
#include <string.h>

static const qc_tensor *named(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name)) {
            return call->args[a].dtype != QC_NONE ? &call->args[a] : NULL;
        }
    }
    return NULL;
}

static double number_at(const qc_tensor *t, int64_t n, double absent)
{
    if (!t) {
        return absent;
    }
    const char *const at =
        (const char *)t->data + (t->offset + (t->rank ? n * t->strides[0] : 0)) *
                                    (int64_t)qc_dtype_bytes(t->dtype);
    float f32;
    double f64;
    int32_t s32;
    int64_t s64;
    switch (t->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    case QC_S8: return *(const int8_t *)at;
    case QC_S32: memcpy(&s32, at, sizeof s32); return s32;
    default: memcpy(&s64, at, sizeof s64); return (double)s64;
    }
}

qc_linear_row qc_linear_row_load(const qc_call *call, int64_t n)
{
    qc_linear_row row = {.factor = {1, 1}, .divisor = 1, .bias_factor = {1, 1}};
    if (call->op == QC_OP_linear_s32) {
        return row;
    }
    const int is_scales =
        call->op == QC_OP_quantized_linear_f32 || call->attrs.params == QC_PARAMS_scales;
    const qc_tensor *const bias = named(call, "bias");
    row.factor[0] = number_at(named(call, is_scales ? "x_scale" : "multiplier"), n, 1);
    row.factor[0] = ldexp(row.factor[0], (int)number_at(named(call, "shift"), n, 0));
    row.factor[1] = number_at(named(call, "w_scale"), n, 1);
    row.divisor = number_at(named(call, "out_scale"), n, 1);
    if (bias && bias->dtype == QC_S32) {
        row.bias_whole = (int64_t)number_at(bias, n, 0);
    } else if (bias) {
        row.bias = number_at(bias, n, 0);
        row.bias_factor[0] = is_scales ? 1 : row.factor[0];
    }
    row.out_zp = (int32_t)number_at(named(call, "out_zero_point"), n, 0);
    qc_call_grid(call, &row.low, &row.high);
    row.low -= row.out_zp;
    row.high -= row.out_zp;
    return row;
}

static int is_normal_or_zero(double value)
{
    return value == 0 || (fabs(value) > 0x1p-900 && fabs(value) < 0x1p900);
}

/* v and a bound of its error; 0: binary64 does not do. */
static int estimate(const qc_linear_row *row, int64_t sum, double *v_ret,
                    double *slack_ret)
{
    const double s = (double)sum;
    const double first = s * row->factor[0];
    const double product = first * row->factor[1];
    const double bias = row->bias * row->bias_factor[0];
    const double total = product + bias;
    const double v = total / row->divisor;
    const int vanished = (s != 0 && row->factor[0] != 0 && product == 0) ||
                         (row->bias != 0 && row->bias_factor[0] != 0 && bias == 0) ||
                         (total != 0 && v == 0);
    *v_ret = v;
    *slack_ret = (fabs(product) + fabs(bias) + fabs(total)) * 0x1p-50 / row->divisor +
                 fabs(v) * 0x1p-50;
    return !vanished && sum >= -(INT64_C(1) << 53) && sum <= INT64_C(1) << 53 &&
           is_normal_or_zero(first) && is_normal_or_zero(product) &&
           is_normal_or_zero(bias) && is_normal_or_zero(total) && is_normal_or_zero(v);
}

static void numerator(const qc_linear_row *row, int64_t sum, qc_wide_sum *wide)
{
    memset(wide, 0, sizeof *wide);
    qc_wide_add(wide, sum, row->factor[0], row->factor[1]);
    qc_wide_add(wide, 1, row->bias, row->bias_factor[0]);
}

/* The sign of v - (k + 1/2): of 2 numerator - (2k + 1) divisor. */
static int side_of_tie(const qc_linear_row *row, int64_t sum, int32_t k)
{
    qc_wide_sum wide;
    numerator(row, sum, &wide);
    for (int i = 0; i < QC_WIDE_LIMBS; i++) {
        wide.limb[i] *= 2;
    }
    qc_wide_add(&wide, -(2 * (int64_t)k + 1), row->divisor, 1);
    return qc_wide_sign(&wide);
}

/* The lowest k of low ... high that v does not round above. */
static int32_t code_by_sides(const qc_linear_row *row, int64_t sum, int32_t low,
                             int32_t high)
{
    while (low < high) {
        const int32_t k = low + (high - low) / 2;
        const int side = side_of_tie(row, sum, k);
        if (side > 0 || (side == 0 && k % 2 != 0)) {
            low = k + 1;
        } else {
            high = k;
        }
    }
    return low;
}

int32_t qc_sum_code(const qc_linear_row *row, int64_t sum)
{
    double v;
    double slack;
    if (!estimate(row, sum, &v, &slack)) {
        return code_by_sides(row, sum, row->low, row->high) + row->out_zp;
    }
    const double from = v - slack;
    const double to = v + slack;
    if (from >= row->high) {
        return row->high + row->out_zp;
    }
    if (to <= row->low) {
        return row->low + row->out_zp;
    }
    const double lowest = fmax(rint(from) - 1, row->low);
    const double highest = fmin(rint(to) + 1, row->high);
    const double code = rint(v);
    if (fabs(v - code) + slack < 0.5) {
        return (int32_t)fmin(fmax(code, row->low), row->high) + row->out_zp;
    }
    return code_by_sides(row, sum, (int32_t)lowest, (int32_t)highest) + row->out_zp;
}

float qc_sum_real(const qc_linear_row *row, int64_t sum)
{
    double v;
    double slack;
    if (estimate(row, sum, &v, &slack) && v != 0 &&
        (float)(v - slack) == (float)(v + slack)) {
        return (float)v; /* not 0 of either sign: the slack is far below v, or spans 0 */
    }
    qc_wide_sum wide;
    numerator(row, sum, &wide);
    return (float)qc_wide_to_odd(&wide);
}
