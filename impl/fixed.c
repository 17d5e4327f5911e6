/* SPDX-License-Identifier: Apache-2.0 */
#include "fixed.h"
#include "format.h"

#include "quantcert/types.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

/* A finite double as whole * 2^exponent. */
static int64_t split(double value, int *exponent_ret)
{
    const double mantissa = frexp(value, exponent_ret);
    *exponent_ret -= 53;
    return (int64_t)ldexp(mantissa, 53);
}

/* 128 bits shifted by less than 64 touch three words; then the carry or borrow runs on. */
static void add_at(qc_fixed *number, wide magnitude, int bit, int is_negative)
{
    const int at = bit / 64;
    const int shift = bit % 64;
    const uint64_t low = (uint64_t)magnitude;
    const uint64_t high = (uint64_t)(magnitude >> 64);
    const uint64_t part[3] = {low << shift,
                              high << shift | (shift ? low >> (64 - shift) : 0),
                              shift ? high >> (64 - shift) : 0};
    uint64_t carry = 0;
    for (int i = at; i < QC_FIXED_WORDS; i++) {
        const uint64_t term = i - at < 3 ? part[i - at] : 0;
        const wide sum = is_negative ? (wide)number->word[i] - term - carry
                                     : (wide)number->word[i] + term + carry;
        number->word[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64) & 1;
    }
}

void qc_fixed_add_product(qc_fixed *number, double a, double b)
{
    int a_exponent;
    int b_exponent;
    const int64_t a_whole = split(a, &a_exponent);
    const int64_t b_whole = split(b, &b_exponent);
    const wide product = (wide)(uint64_t)(a_whole < 0 ? -a_whole : a_whole) *
                         (uint64_t)(b_whole < 0 ? -b_whole : b_whole);
    if (product) {
        /* Subnormals have whole numbers with zeros below 2^-1074: moved up to stay inside. */
        int bit = a_exponent + b_exponent - QC_FIXED_LOWEST;
        wide kept = product;
        while (bit < 0) {
            kept >>= 1;
            bit++;
        }
        add_at(number, kept, bit, (a_whole < 0) != (b_whole < 0));
    }
}

void qc_fixed_divide(qc_fixed *number, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = QC_FIXED_WORDS - 1; i >= 0; i--) {
        const wide part = (wide)rest << 64 | number->word[i];
        number->word[i] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
    number->word[0] |= rest != 0;
}

static qc_fixed magnitude_of(const qc_fixed *number, int is_negative)
{
    qc_fixed result = *number;
    uint64_t carry = (uint64_t)is_negative;
    for (int i = 0; i < QC_FIXED_WORDS && is_negative; i++) {
        result.word[i] = ~result.word[i] + carry;
        carry = carry && result.word[i] == 0;
    }
    return result;
}

static int top_bit(const qc_fixed *number)
{
    for (int i = QC_FIXED_WORDS - 1; i >= 0; i--) {
        if (number->word[i]) {
            return 64 * i + 63 - __builtin_clzll(number->word[i]);
        }
    }
    return -1;
}

static int bit_at(const qc_fixed *number, int bit)
{
    return (int)(number->word[bit / 64] >> bit % 64 & 1);
}

/* Any bit below `bit`. */
static int is_inexact_below(const qc_fixed *number, int bit)
{
    uint64_t any = number->word[bit / 64] & ((UINT64_C(1) << bit % 64) - 1);
    for (int i = 0; i < bit / 64; i++) {
        any |= number->word[i];
    }
    return any != 0;
}

/* Bits from `bit` up to `top`, at most 53 of them. */
static uint64_t bits_from(const qc_fixed *number, int bit, int top)
{
    uint64_t whole = 0;
    for (int i = top; i >= bit; i--) {
        whole = whole << 1 | (uint64_t)bit_at(number, i);
    }
    return whole;
}

double qc_fixed_round(const qc_fixed *number, uint32_t dtype)
{
    const qc_format f = qc_format_of(dtype);
    const int is_negative = (int)(number->word[QC_FIXED_WORDS - 1] >> 63);
    const qc_fixed magnitude = magnitude_of(number, is_negative);
    const int top = top_bit(&magnitude);
    if (top < 0) {
        return 0.0;
    }
    const int lowest = f.quantum - QC_FIXED_LOWEST;
    const int unit = top - f.precision + 1 > lowest ? top - f.precision + 1 : lowest;
    uint64_t whole = bits_from(&magnitude, unit, top);
    if (bit_at(&magnitude, unit - 1) &&
        (whole % 2 || is_inexact_below(&magnitude, unit - 1))) {
        whole++;
    }
    const double value = ldexp((double)whole, unit + QC_FIXED_LOWEST);
    const double bounded = value > f.max ? INFINITY : value;
    return is_negative ? -bounded : bounded;
}
