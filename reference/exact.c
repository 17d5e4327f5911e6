/* SPDX-License-Identifier: Apache-2.0 */
/* Why this is exact on all inputs. Operands are doubles (53 bits, 2^-1074 ... 2^1024).
   No quantity here is a product of more than three of them and a power of two that is
   itself a quantum of one of the types, so that all lie within 2^-6000 ... 2^6000,
   where a long double of 15 exponent bits neither overflows nor loses bits to
   underflow. Then two-sum: a + b = fl(a + b) + e, e computed exactly (Knuth), and
   adding a number to a non-overlapping expansion that way leaves one (Shewchuk, grow-
   expansion); a * b for mantissas in [1/2, 1): the error of the product is what fma
   returns; digit * unit: 11 bits times 53 bits fit the 64 bits of the significand. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "exact.h"

_Static_assert(LDBL_MANT_DIG >= 64 && LDBL_MAX_EXP >= 16384,
               "exponent range of long double");

#define BEYOND ((qc_wide)1 << 100)

typedef struct format {
    int precision; /* bits */
    int quantum;   /* exponent of the smallest subnormal */
    double max;    /* the largest finite value */
} format;

static format format_of(qc_token type)
{
    switch (type) {
    case QC_TOKEN_f16: return (format){11, -24, 65504.0};
    case QC_TOKEN_bf16: return (format){8, -133, 0x1.fep127};
    case QC_TOKEN_f32: return (format){24, -149, FLT_MAX};
    default: assert(type == QC_TOKEN_f64); return (format){53, -1074, DBL_MAX};
    }
}

static long double top(const qc_exact *value)
{
    return value->count == 0 ? 0.0L : value->part[value->count - 1];
}

/* The sum += term: each part's rounding error stays behind, what was rounded moves up. */
static void grow(qc_exact *value, long double term)
{
    int kept = 0;
    for (int i = 0; i < value->count; i++) {
        const long double a = value->part[i];
        const long double sum = term + a;
        const long double b = sum - term;
        const long double error = (term - (sum - b)) + (a - b);
        if (error != 0.0L) {
            value->part[kept++] = error;
        }
        term = sum;
    }
    if (term != 0.0L) {
        assert(kept < QC_EXACT_PARTS);
        value->part[kept++] = term;
    }
    value->count = kept;
}

/* The sum += a * b, a of at most 64 bits and b a double. */
static void grow_product(qc_exact *value, long double a, double b)
{
    int a_exponent;
    int b_exponent;
    const long double a_mantissa = frexpl(a, &a_exponent);
    const double factor = frexp(b, &b_exponent);
    const double high = (double)a_mantissa;
    const double halves[2] = {high,
                              (double)(a_mantissa - high)}; /* the second: 11 bits */
    for (int i = 0; i < 2 && halves[i] != 0.0; i++) {
        const double product = halves[i] * factor;
        const double error = fma(halves[i], factor, -product);
        grow(value, ldexpl(error, a_exponent + b_exponent));
        grow(value, ldexpl(product, a_exponent + b_exponent));
    }
}

qc_exact qc_exact_of(double value)
{
    qc_exact result;
    result.count = 0;
    result.divisor = 1.0;
    grow(&result, value);
    return result;
}

qc_exact qc_exact_of_wide(qc_wide value)
{
    qc_exact result = qc_exact_of(0.0);
    const qc_wide high = value / ((qc_wide)1 << 60);
    grow(&result, (long double)(value - high * ((qc_wide)1 << 60)));
    if (high != 0) {
        grow(&result, ldexpl((long double)high, 60)); /* both below 2^60: exact */
    }
    return result;
}

void qc_exact_add(qc_exact *value, double term)
{
    if (value->divisor == 1.0) {
        grow(value, term);
    } else {
        grow_product(value, term, value->divisor);
    }
}

void qc_exact_add_product(qc_exact *value, double a, double b)
{
    assert(value->divisor == 1.0);
    grow_product(value, a, b);
}

void qc_exact_add_exact(qc_exact *value, const qc_exact *term)
{
    for (int i = 0; i < term->count; i++) {
        grow(value, term->part[i]);
    }
}

void qc_exact_multiply(qc_exact *value, double factor)
{
    const qc_exact old = *value;
    value->count = 0;
    for (int i = 0; i < old.count; i++) {
        grow_product(value, old.part[i], factor);
    }
}

int qc_exact_sign(const qc_exact *value)
{
    return (top(value) > 0.0L) - (top(value) < 0.0L);
}

/* A number that the hardware can compare, and round, as it stands. */
static int is_plain(const qc_exact *value)
{
    return value->count <= 1 && value->divisor == 1.0;
}

int qc_exact_compare(const qc_exact *value, double with)
{
    if (is_plain(value)) {
        return (top(value) > with) - (top(value) < with);
    }
    qc_exact difference = *value;
    qc_exact_add(&difference, -with);
    return qc_exact_sign(&difference);
}

/* An integer's 11 leading bits, rounded. */
static long double leading_digit(long double integer)
{
    int exponent;
    const long double mantissa = frexpl(integer, &exponent);
    return ldexpl(rintl(ldexpl(mantissa, 11)), exponent - 11);
}

/* floor(rest / unit), and rest := rest modulo unit, in [0, unit). Long division: each
   digit leaves at most 2^-11 of the quotient, and the last at most unit/2 (1 + 2^-63)
   on either side. A quotient beyond 2^66 is first reduced modulo 2^64 by fmod, which
   is exact. */
static qc_wide divide(qc_exact *rest, long double unit)
{
    qc_wide quotient = 0;
    if (fabsl(top(rest)) >= ldexpl(unit, 66)) {
        const qc_exact old = *rest;
        quotient = top(rest) > 0.0L ? BEYOND : -BEYOND;
        rest->count = 0;
        for (int i = 0; i < old.count; i++) {
            grow(rest, fmodl(old.part[i], ldexpl(unit, 64)));
        }
    }
    for (;;) {
        const long double digit = leading_digit(rintl(top(rest) / unit));
        if (digit == 0.0L) {
            break;
        }
        quotient += (qc_wide)digit;
        grow(rest, -digit * unit);
    }
    if (qc_exact_sign(rest) < 0) {
        quotient -= 1;
        grow(rest, unit);
    }
    return quotient;
}

/* value / 2^exponent to an integer. */
static qc_wide rint_at(const qc_exact *value, int exponent, qc_token ties)
{
    const long double unit = ldexpl(value->divisor, exponent);
    qc_exact rest = *value;
    const qc_wide below = divide(&rest, unit);
    const int is_integer = qc_exact_sign(&rest) == 0;
    const int is_negative = qc_exact_sign(value) < 0;
    grow(&rest, -0.5L * unit);
    const int half = qc_exact_sign(&rest); /* the fraction less 1/2 */
    if (ties == QC_TOKEN_toward_zero) {
        return below + (is_negative && !is_integer);
    }
    if (half != 0) {
        return below + (half > 0);
    }
    switch (ties) {
    case QC_TOKEN_half_even: return below + (below & 1);
    case QC_TOKEN_half_up: return below + 1;
    case QC_TOKEN_half_down: return below;
    default: assert(ties == QC_TOKEN_half_away); return below + !is_negative;
    }
}

qc_wide qc_exact_rint(const qc_exact *value, qc_token ties)
{
    if (is_plain(value) && fabsl(top(value)) < 0x1p62L &&
        top(value) == rintl(top(value))) {
        return (qc_wide)top(value);
    }
    return rint_at(value, 0, ties);
}

/* Rounding into a type is rounding to an integer in units of the type's quantum at the
   value. The first guess of that quantum is at most the true one; it is too fine exactly
   when the integer has more bits than the type. */
double qc_exact_round(const qc_exact *value, qc_token type)
{
    if (is_plain(value) && value->count &&
        (type == QC_TOKEN_f32 || type == QC_TOKEN_f64)) {
        return type == QC_TOKEN_f32 ? (float)top(value) : (double)top(value);
    }
    const format f = format_of(type);
    const qc_wide bound = (qc_wide)1 << f.precision;
    int exponent;
    frexpl(top(value) / value->divisor, &exponent);
    int quantum = exponent - f.precision - 1;
    if (quantum < f.quantum) {
        quantum = f.quantum;
    }
    qc_wide integer = rint_at(value, quantum, QC_TOKEN_half_even);
    while (integer > bound || integer < -bound) {
        quantum++;
        integer = rint_at(value, quantum, QC_TOKEN_half_even);
    }
    if (integer == 0) {
        return qc_exact_sign(value) < 0 ? -0.0 : 0.0;
    }
    const double rounded = ldexp((double)integer, quantum);
    return fabs(rounded) > f.max ? copysign(INFINITY, rounded) : rounded;
}
