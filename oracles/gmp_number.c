/* SPDX-License-Identifier: Apache-2.0 */
#include "gmp_number.h"

#include "quantcert/types.h"

/* Fields of a float dtype, and the exponent of its smallest subnormal. */
typedef struct layout {
    unsigned fraction;
    unsigned exponent;
    int64_t lowest;
} layout;

static layout layout_of(uint32_t dtype)
{
    switch (dtype) {
    case QC_F64: return (layout){52, 11, -1074};
    case QC_F32: return (layout){23, 8, -149};
    case QC_F16: return (layout){10, 5, -24};
    default: return (layout){7, 8, -133};
    }
}

void qc_dyadic_init(qc_dyadic *number)
{
    mpz_init2(number->whole, 4096);
    number->exponent = 0;
}

void qc_dyadic_clear(qc_dyadic *number)
{
    mpz_clear(number->whole);
}

void qc_dyadic_set(qc_dyadic *number, int64_t whole)
{
    mpz_set_si(number->whole, whole);
    number->exponent = 0;
}

static qc_bits_class decode_float(qc_dyadic *number, layout type, uint64_t bits)
{
    const uint64_t ones = (UINT64_C(1) << type.exponent) - 1;
    const uint64_t field = bits >> type.fraction & ones;
    const uint64_t fraction = bits & ((UINT64_C(1) << type.fraction) - 1);
    const int is_negative = bits >> (type.fraction + type.exponent) & 1;
    if (field == ones) {
        qc_dyadic_set(number, is_negative ? -1 : 1);
        return fraction ? QC_BITS_NAN : QC_BITS_INFINITE;
    }
    mpz_set_ui(number->whole, fraction + (field ? UINT64_C(1) << type.fraction : 0));
    number->exponent = type.lowest + (int64_t)(field ? field - 1 : 0);
    if (is_negative) {
        mpz_neg(number->whole, number->whole);
    }
    return QC_BITS_FINITE;
}

qc_bits_class qc_dyadic_decode(qc_dyadic *number, uint32_t dtype, uint64_t bits)
{
    switch (dtype) {
    case QC_S8: qc_dyadic_set(number, (int8_t)bits); return QC_BITS_FINITE;
    case QC_U8: qc_dyadic_set(number, (uint8_t)bits); return QC_BITS_FINITE;
    case QC_S32: qc_dyadic_set(number, (int32_t)bits); return QC_BITS_FINITE;
    case QC_S64: qc_dyadic_set(number, (int64_t)bits); return QC_BITS_FINITE;
    default: return decode_float(number, layout_of(dtype), bits);
    }
}

void qc_dyadic_mul(qc_dyadic *product, const qc_dyadic *a, const qc_dyadic *b)
{
    const int64_t exponent = a->exponent + b->exponent;
    mpz_mul(product->whole, a->whole, b->whole);
    product->exponent = exponent;
}

void qc_dyadic_sub(qc_dyadic *a, const qc_dyadic *b, qc_dyadic *spare)
{
    if (a->exponent > b->exponent) {
        mpz_mul_2exp(a->whole, a->whole, (mp_bitcnt_t)(a->exponent - b->exponent));
        a->exponent = b->exponent;
    }
    mpz_mul_2exp(spare->whole, b->whole, (mp_bitcnt_t)(b->exponent - a->exponent));
    mpz_sub(a->whole, a->whole, spare->whole);
}

int qc_dyadic_compare(const qc_dyadic *a, const qc_dyadic *b, qc_dyadic *spare)
{
    if (a->exponent >= b->exponent) {
        mpz_mul_2exp(spare->whole, a->whole, (mp_bitcnt_t)(a->exponent - b->exponent));
        return mpz_cmp(spare->whole, b->whole);
    }
    mpz_mul_2exp(spare->whole, b->whole, (mp_bitcnt_t)(b->exponent - a->exponent));
    return mpz_cmp(a->whole, spare->whole);
}

/* |whole| / 2^shift to the nearest integer, ties to even, into `rounded`. */
static void shift_right(mpz_t rounded, const mpz_t whole, mp_bitcnt_t shift)
{
    const int half = mpz_tstbit(whole, shift - 1);
    const int is_beyond_half = mpz_scan1(whole, 0) < shift - 1;
    mpz_tdiv_q_2exp(rounded, whole, shift);
    mpz_abs(rounded, rounded);
    if (half && (is_beyond_half || mpz_odd_p(rounded))) {
        mpz_add_ui(rounded, rounded, 1);
    }
}

uint64_t qc_dyadic_round(const qc_dyadic *number, uint32_t dtype, qc_dyadic *spare)
{
    const layout type = layout_of(dtype);
    const unsigned sign_at = type.fraction + type.exponent;
    const uint64_t infinity = ((UINT64_C(1) << type.exponent) - 1) << type.fraction;
    if (mpz_sgn(number->whole) == 0) {
        return 0;
    }
    const uint64_t sign = (uint64_t)(mpz_sgn(number->whole) < 0) << sign_at;
    mpz_abs(spare->whole, number->whole);
    const int64_t top = (int64_t)mpz_sizeinbase(spare->whole, 2) + number->exponent;
    if (top > type.lowest + (INT64_C(1) << type.exponent) + type.fraction) {
        return sign | infinity; /* beyond every finite value, whatever the rounding */
    }
    int64_t unit = top - (int64_t)type.fraction - 1; /* exponent of the last kept bit */
    unit = unit < type.lowest ? type.lowest : unit;
    if (unit > number->exponent) {
        shift_right(spare->whole, spare->whole, (mp_bitcnt_t)(unit - number->exponent));
    } else {
        mpz_mul_2exp(spare->whole, spare->whole, (mp_bitcnt_t)(number->exponent - unit));
    }
    /* The hidden bit, or the carry out of the fraction, adds 1 to the exponent field. */
    const uint64_t bits =
        ((uint64_t)(unit - type.lowest) << type.fraction) + mpz_get_ui(spare->whole);
    return sign | (bits < infinity ? bits : infinity);
}
