/* SPDX-License-Identifier: Apache-2.0 */
/* Exact dyadics and the rounding into a type. */
#include <math.h>
#include <string.h>

#include "mpfr_machine.h"

/* A binary type: bits of the fraction, and the exponents of its smallest and largest
   values as MPFR counts them (a mantissa in [1/2, 1)); the smallest is the smallest
   subnormal. */
typedef struct format {
    int fraction_bits;
    int width;
    mpfr_exp_t emin;
    mpfr_exp_t emax;
} format;

static const format formats[QC_DTYPE_COUNT] = {
    [QC_F32] = {23, 32, -148, 128},
    [QC_F64] = {52, 64, -1073, 1024},
    [QC_F16] = {10, 16, -23, 16},
    [QC_BF16] = {7, 16, -132, 128},
};

static void must_be_exact(int ternary)
{
    if (ternary != 0) {
        qc_oracle_fault("MPFR: an exact operation was inexact");
    }
}

void qc_mp_int(mpfr_t number, long value)
{
    mpfr_set_prec(number, 64);
    must_be_exact(mpfr_set_si(number, value, MPFR_RNDN));
}

static void decode_float(mpfr_t number, const format *type, uint64_t bits)
{
    const uint64_t sign = bits >> (type->width - 1) & 1;
    const uint64_t fraction = bits & ((UINT64_C(1) << type->fraction_bits) - 1);
    const int exponent_bits = type->width - 1 - type->fraction_bits;
    const uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
    const uint64_t exponent = bits >> type->fraction_bits & top;
    mpfr_set_prec(number, type->fraction_bits + 1);
    if (exponent == top && fraction != 0) {
        mpfr_set_nan(number);
    } else if (exponent == top) {
        mpfr_set_inf(number, 1);
    } else {
        /* The smallest subnormal is 2^(emin - 1): 1/2 times 2^emin. */
        const uint64_t whole =
            exponent ? fraction | UINT64_C(1) << type->fraction_bits : fraction;
        const mpfr_exp_t scale =
            type->emin - 1 + (exponent ? (mpfr_exp_t)exponent - 1 : 0);
        must_be_exact(mpfr_set_uj_2exp(number, whole, scale, MPFR_RNDN));
    }
    if (sign) {
        mpfr_neg(number, number, MPFR_RNDN);
    }
}

void qc_mp_decode(mpfr_t number, uint32_t dtype, uint64_t bits)
{
    switch (dtype) {
    case QC_S8: qc_mp_int(number, (int8_t)bits); break;
    case QC_U8: qc_mp_int(number, (uint8_t)bits); break;
    case QC_S32: qc_mp_int(number, (int32_t)bits); break;
    case QC_S64: qc_mp_int(number, (int64_t)bits); break;
    default: decode_float(number, &formats[dtype], bits);
    }
}

/* A NaN that arithmetic made is x86's default one: quiet, sign set, payload 0. */
static uint64_t encode_special(const mpfr_t number, const format *type)
{
    const uint64_t sign = UINT64_C(1) << (type->width - 1);
    const uint64_t fraction = (UINT64_C(1) << type->fraction_bits) - 1;
    const uint64_t infinity = (sign - 1) & ~fraction;
    if (mpfr_nan_p(number)) {
        return sign | infinity | UINT64_C(1) << (type->fraction_bits - 1);
    }
    const uint64_t signed_part = mpfr_signbit(number) ? sign : 0;
    return mpfr_inf_p(number) ? signed_part | infinity : signed_part;
}

uint64_t qc_mp_encode(const mpfr_t number, uint32_t dtype)
{
    const format *const type = &formats[dtype];
    if (!mpfr_regular_p(number)) {
        return encode_special(number, type);
    }
    /* Exact: no type here has values that a double lacks. */
    const double value = fabs(mpfr_get_d(number, MPFR_RNDN));
    const uint64_t sign = mpfr_signbit(number) ? UINT64_C(1) << (type->width - 1) : 0;
    const mpfr_exp_t normal = type->emin + type->fraction_bits;
    mpfr_exp_t exponent = mpfr_get_exp(number);
    exponent = exponent < normal ? normal : exponent;
    const uint64_t whole =
        (uint64_t)ldexp(value, (int)(type->fraction_bits + 1 - exponent));
    /* The hidden bit carries the lowest normal exponent by itself. */
    return sign | (whole + ((uint64_t)(exponent - normal) << type->fraction_bits));
}

void qc_mp_copy(mpfr_t copy, const mpfr_t a)
{
    mpfr_set_prec(copy, mpfr_get_prec(a));
    must_be_exact(mpfr_set(copy, a, MPFR_RNDN));
}

void qc_mp_mul(mpfr_t product, const mpfr_t a, const mpfr_t b)
{
    mpfr_set_prec(product, mpfr_get_prec(a) + mpfr_get_prec(b));
    must_be_exact(mpfr_mul(product, a, b, MPFR_RNDN));
}

/* From the lowest bit of either to one above the highest of both. */
static mpfr_prec_t sum_precision(const mpfr_t a, const mpfr_t b)
{
    const mpfr_exp_t top_a = mpfr_get_exp(a);
    const mpfr_exp_t top_b = mpfr_get_exp(b);
    const mpfr_exp_t low_a = top_a - mpfr_get_prec(a);
    const mpfr_exp_t low_b = top_b - mpfr_get_prec(b);
    const mpfr_exp_t top = top_a > top_b ? top_a : top_b;
    return top + 1 - (low_a < low_b ? low_a : low_b);
}

void qc_mp_add(mpfr_t sum, const mpfr_t a, const mpfr_t b)
{
    if (mpfr_regular_p(a) && mpfr_regular_p(b)) {
        mpfr_set_prec(sum, sum_precision(a, b));
    } else {
        mpfr_set_prec(sum, mpfr_get_prec(mpfr_regular_p(a) ? a : b));
    }
    must_be_exact(mpfr_add(sum, a, b, MPFR_RNDN));
}

/* RN_T(num / den), den > 0 and finite: one rounding. In the wide exponent range at T's
   precision, then into T's range with the ternary value passed along. */
void qc_mp_round(mpfr_t rounded, const mpfr_t num, const mpfr_t den, uint32_t T)
{
    const format *const type = &formats[T];
    const mpfr_exp_t wide_min = mpfr_get_emin();
    const mpfr_exp_t wide_max = mpfr_get_emax();
    mpfr_set_prec(rounded, type->fraction_bits + 1);
    int ternary = mpfr_cmp_ui(den, 1) == 0 ? mpfr_set(rounded, num, MPFR_RNDN)
                                           : mpfr_div(rounded, num, den, MPFR_RNDN);
    mpfr_set_emin(type->emin);
    mpfr_set_emax(type->emax);
    ternary = mpfr_check_range(rounded, ternary, MPFR_RNDN);
    mpfr_subnormalize(rounded, ternary, MPFR_RNDN);
    mpfr_set_emin(wide_min);
    mpfr_set_emax(wide_max);
}
