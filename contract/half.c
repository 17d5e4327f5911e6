/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/half.h"

#include <string.h>

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float qc_f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    const uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) {
        return float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    }
    if (magnitude < 0x400u) { /* subnormal: an integer times 2^-24, exact in f32 */
        const float value = (float)magnitude * 0x1p-24f;
        return sign ? -value : value;
    }
    return float_of(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
}

float qc_bf16_to_f32(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

/* Rounds a binary64 into a format with `mantissa_bits` stored bits and exponents up to
   `emax`, ties to even, by integers alone: one rounding whatever the environment. */
static uint16_t narrow(double value, int mantissa_bits, int emax)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & 0xfffffffffffffu;
    const uint16_t infinity = (uint16_t)(((2u * (unsigned)emax + 1u)) << mantissa_bits);
    if (exponent == 0x7ff) {
        const uint16_t quiet = (uint16_t)(1u << (mantissa_bits - 1));
        const uint16_t payload = (uint16_t)(fraction >> (52 - mantissa_bits));
        return (uint16_t)(sign | infinity | (fraction ? quiet | payload : 0));
    }
    const int unbiased = exponent - 1023;
    const int lowest = 1 - emax; /* exponent of the smallest normal */
    if (exponent == 0 || unbiased < lowest - mantissa_bits - 1) {
        return sign; /* below half of the smallest subnormal, and binary64 subnormals */
    }
    const int deficit = unbiased < lowest ? lowest - unbiased : 0;
    const int drop = 52 - mantissa_bits + deficit;
    const uint64_t significand = fraction | 1ull << 52;
    uint64_t kept = significand >> drop;
    const uint64_t rest = significand & ((1ull << drop) - 1);
    const uint64_t half = 1ull << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    /* A carry runs on into the exponent, which is what rounding up means. */
    const int64_t base = deficit ? 0 : (int64_t)(unbiased + emax - 1) << mantissa_bits;
    const uint64_t magnitude = (uint64_t)base + kept;
    return (uint16_t)(sign | (magnitude >= infinity ? infinity : magnitude));
}

uint16_t qc_f64_to_f16(double value)
{
    return narrow(value, 10, 15);
}

uint16_t qc_f64_to_bf16(double value)
{
    return narrow(value, 7, 127);
}
