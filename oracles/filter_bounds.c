/* SPDX-License-Identifier: Apache-2.0 */
/* Masks by bounds in a type (rule S8), in binary64 and at most one more rounding.

   RN_T of an exact a + b or a * b, T narrower than binary64: the binary64 result and its
   exact error (two-sum, or one fma) give the result rounded to odd, and rounding that into a
   type of at most 24 bits is rounding the exact value, as 53 >= 24 + 2 (Boldo and Melquiond,
   2008). The error of a product can underflow and lose its sign; the product is then 0 in
   every T but binary64, whose own result needs no error. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "quantcert/half.h"

static double to_odd(double value, double error)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (error == 0 || bits & 1 || !isfinite(value)) {
        return value;
    }
    return nextafter(value, error > 0 ? INFINITY : -INFINITY);
}

static double narrowed(uint32_t T, double value)
{
    switch (T) {
    case QC_F16: return qc_f16_to_f32(qc_f64_to_f16(value));
    case QC_BF16: return qc_bf16_to_f32(qc_f64_to_bf16(value));
    case QC_F32: return (float)value;
    default: return value;
    }
}

static double add_in(uint32_t T, double a, double b)
{
    const double sum = a + b;
    const double back = sum - a;
    const double error = (a - (sum - back)) + (b - back);
    return narrowed(T, T == QC_F64 || isnan(error) ? sum : to_odd(sum, error));
}

static double multiply_in(uint32_t T, double a, double b)
{
    const double product = a * b;
    return narrowed(T, T == QC_F64 || !isfinite(product)
                           ? product
                           : to_odd(product, fma(a, b, -product)));
}

static double bound_of(const qc_filter *filter, int32_t code)
{
    const qc_ideal *const list = &filter->ideal;
    const int is_clamp = list->bounds == QC_TOKEN_clamp;
    const uint32_t T = is_clamp ? (uint32_t)QC_F64 : list->type;
    const double bound = multiply_in(T, add_in(T, code, -filter->zp), filter->scale);
    return is_clamp ? narrowed(list->type, bound) : bound;
}

void qc_filter_typed_masks(const qc_filter *filter, const double *x, int64_t count,
                           qc_expected *expected_ret)
{
    const qc_oracle *const oracle = filter->oracle;
    const qc_ideal *const list = &filter->ideal;
    const double low = bound_of(filter, oracle->qmin);
    const double high = bound_of(filter, oracle->qmax);
    const int is_f64 = oracle->call->args[oracle->op->element].dtype == QC_F64;
    const uint32_t wider = is_f64 ? (uint32_t)QC_F64 : list->type;
    for (int64_t i = 0; i < count; i++) {
        int inside = x[i] >= low && x[i] <= high;
        if (list->bounds == QC_TOKEN_product) {
            inside = multiply_in(wider, add_in(wider, x[i], -low),
                                 add_in(wider, x[i], -high)) <= 0;
        }
        expected_ret[i] = (qc_expected){inside && isfinite(x[i]), QC_EXPECT_VALUE};
    }
}
