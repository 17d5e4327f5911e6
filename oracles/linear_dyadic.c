/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_dyadic.h"

#include <math.h>
#include <string.h>

qc_linear_dyadic qc_linear_dyadic_of(double value)
{
    qc_linear_dyadic d = {0, 0, value < 0};
    if (value != 0) {
        d.whole = qc_filter_split(value, &d.exponent);
        const int trailing = __builtin_ctzll((uint64_t)d.whole);
        d.whole >>= trailing;
        d.exponent += trailing;
    }
    return d;
}

static int bits_of(qc_u128 whole)
{
    const uint64_t high = (uint64_t)(whole >> 64);
    return high              ? 128 - __builtin_clzll(high)
           : (uint64_t)whole ? 64 - __builtin_clzll((uint64_t)whole)
                             : 0;
}

int qc_linear_dyadic_mul(qc_linear_dyadic *a, double b)
{
    const qc_linear_dyadic other = qc_linear_dyadic_of(b);
    if (bits_of(a->whole) + bits_of(other.whole) > 126) {
        return 0;
    }
    a->whole *= other.whole;
    a->exponent += other.exponent;
    a->is_negative ^= other.is_negative;
    return 1;
}

/* *a := big and a trace of small: 120 bits of big, and half a unit for small. */
static int add_trace(qc_linear_dyadic *a, qc_linear_dyadic big, qc_linear_dyadic small)
{
    const int up = 120 - bits_of(big.whole);
    const int unit = big.exponent - up;
    if (up < 0 || small.exponent + bits_of(small.whole) > unit) {
        return 0;
    }
    big.whole <<= up + 1;
    a->whole = big.is_negative == small.is_negative ? big.whole + 1 : big.whole - 1;
    a->exponent = unit - 1;
    a->is_negative = big.is_negative;
    return 1;
}

int qc_linear_dyadic_add(qc_linear_dyadic *a, qc_linear_dyadic b)
{
    __extension__ typedef __int128 wide;
    if (b.whole == 0) {
        return 1;
    }
    if (a->whole == 0) {
        *a = b;
        return 1;
    }
    const int unit = a->exponent < b.exponent ? a->exponent : b.exponent;
    const int a_top = a->exponent + bits_of(a->whole);
    const int b_top = b.exponent + bits_of(b.whole);
    if (a_top - unit > 125 || b_top - unit > 125) {
        return a_top > b_top ? add_trace(a, *a, b) : add_trace(a, b, *a);
    }
    wide total = (wide)(a->whole << (a->exponent - unit)) * (a->is_negative ? -1 : 1);
    total += (wide)(b.whole << (b.exponent - unit)) * (b.is_negative ? -1 : 1);
    a->is_negative = total < 0;
    a->whole = (qc_u128)(total < 0 ? -total : total);
    a->exponent = unit;
    return 1;
}

uint64_t qc_linear_f32(double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

/* Cut to 53 bits, the last one set for what was cut (rounding to odd), a number rounds
   into f32 as before. Exponents are held where f32 has long overflowed, or
   underflowed. */
uint64_t qc_linear_dyadic_round(const qc_linear_dyadic *a)
{
    const int extra = bits_of(a->whole) > 53 ? bits_of(a->whole) - 53 : 0;
    const qc_u128 kept = a->whole >> extra;
    const int is_cut = kept << extra != a->whole;
    const double odd = (double)((uint64_t)kept | (uint64_t)is_cut);
    const int exponent = a->exponent + extra;
    const double value = ldexp(odd, exponent > 900    ? 900
                                    : exponent < -900 ? -900
                                                      : exponent);
    return qc_linear_f32(a->is_negative ? -value : value);
}
