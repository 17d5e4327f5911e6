/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points that bite. Families come in a fixed cycle over (stream, channel), so
   that every few cases hold each of them whatever the seed; the seed varies the members. */
#include "generate.h"

#include <math.h>

typedef enum family {
    THIRDS,  /* 2 x0 / 3: ties in 24 bits that are none in 53 or exactly (L1) */
    ODD,     /* 2 d 2^e: exact ties, inexact reciprocal (L3) */
    POWER,   /* 2^e: exact ties (L6) */
    NUDGED,  /* 2^e (1 + 2^-40), or one ulp: what narrowing loses */
    MIDDLE,  /* h / 3, h between two numbers of the dtype: products round twice (L11) */
    DECIMAL, /* short decimals, as in real models */
    TINY,    /* where every x is huge, and reciprocals overflow */
    HUGE,
    ANY
} family;

static const uint8_t to_codes[32] = {
    THIRDS, ODD,   POWER,  THIRDS, ODD,   NUDGED, ODD,     THIRDS, POWER, ODD,    THIRDS,
    ODD,    POWER, TINY,   THIRDS, ODD,   POWER,  DECIMAL, THIRDS, ODD,   HUGE,   THIRDS,
    POWER,  ODD,   NUDGED, THIRDS, POWER, ODD,    ANY,     THIRDS, ODD,   DECIMAL};
static const uint8_t to_floats[32] = {
    THIRDS, MIDDLE, ODD,    POWER,  MIDDLE,  THIRDS, ODD,    MIDDLE,
    NUDGED, ODD,    MIDDLE, THIRDS, POWER,   MIDDLE, ODD,    TINY,
    MIDDLE, THIRDS, ODD,    MIDDLE, DECIMAL, ODD,    MIDDLE, THIRDS,
    POWER,  MIDDLE, THIRDS, ODD,    HUGE,    MIDDLE, THIRDS, ANY};

/* Odd d for which x * RN(1 / (2d)) in f64 misses many of the ties x / (2d) = k + 1/2 on the
   side that changes the code; found by trying every d with x = (2k + 1) d in 8, 11 and 24
   bits. 49 (k = 1 and -2) is the only one with 8. The last row: small d, for L4. */
static const uint16_t factors[4][16] = {
    {49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 7, 13},
    {49, 49, 103, 107, 49, 117, 49, 123, 49, 49, 103, 107, 49, 105, 49, 123},
    {1997, 3987, 7909, 503, 1989, 3937, 3953, 4065, 7747, 7793, 123, 3827, 49, 3883, 7941,
     103},
    {3, 5, 7, 9, 11, 13, 3, 5, 7, 15, 17, 3, 5, 7, 49, 21}};

static const double decimals[16] = {
    0.1,       0.001,      0.003,  0.005,  0.00214854861,
    0.02,      0.05,       0.01,   0.265,  5.0 / 255,
    1.0 / 255, 12.0 / 255, 0.0035, 0.0078, 0.03125 + 0x1p-20,
    0.3};

/* Exponents for which the whole grid is inside the dtype and far from its subnormals. */
static int exponent(const qc_generation *g, uint64_t r)
{
    return g->x_dtype == QC_F16 ? (int)(r >> 40 & 7) - 5 : (int)(r >> 40 & 31) - 16;
}

/* RN(h / 3), h of 1 ... 2 between two neighbours of the output's dtype, such that 3 times it
   lies on the side of h that rounding twice, by way of the tie h, does not take (L11). */
static double third_of_midpoint(const qc_generation *g, uint64_t r)
{
    const uint32_t output = g->y_dtype != QC_NONE ? g->y_dtype : g->x_dtype;
    const int bits = qc_float_layout_of(output).fraction_bits;
    double scale = 0;
    for (int n = 0; n < 16; n++, r++) {
        const uint64_t below = UINT64_C(1) << bits | (r & ((UINT64_C(1) << bits) - 1));
        const double h = ldexp((double)(2 * below + 1), -bits - 1);
        scale = qc_bits_to_double(g->target->dtype,
                                  qc_bits_of_double(g->target->dtype, h / 3));
        const double error = fma(3, scale, -h); /* exact: 3 scale is next to h */
        if (below % 2 == 0 ? error > 0 : error < 0) {
            break;
        }
    }
    return scale;
}

static double tiny_scale(const qc_generation *g, uint64_t r)
{
    static const double half[4] = {0x1p-50, 0x1p-24, 0x1.8p-55, 0x1p-60};
    static const double single[4] = {1e-39, 0x1p-149, 0x1.234p-128, 0x1p-110};
    static const double wide[4] = {1e-39, 0x1p-1060, 0x1.8p-300, 0x1.234p-130};
    if (g->x_dtype == QC_F16) {
        return half[r >> 50 & 3];
    }
    return (g->target->dtype == QC_F64 ? wide : single)[r >> 50 & 3];
}

static double odd_factor(const qc_generation *g, uint64_t r)
{
    const int row = g->multiply             ? 3
                    : g->x_dtype == QC_BF16 ? 0
                    : g->x_dtype == QC_F16  ? 1
                                            : 2;
    const double d = factors[row][r >> 50 & 15];
    return ldexp(d, -ilogb(d));
}

static double scale_of(const qc_generation *g, family kind, uint64_t r)
{
    static const double x0[4] = {1, 1, 1, 5};
    const double unit = ldexp(1, exponent(g, r));
    switch (kind) {
    case THIRDS: return g->multiply ? unit * 3 : unit * x0[r >> 50 & 3] * 2 / 3;
    case ODD: return unit * odd_factor(g, r);
    case POWER: return unit;
    case NUDGED: return unit * (1 + (g->target->dtype == QC_F64 ? 0x1p-40 : 0x1p-23));
    case MIDDLE: return unit * third_of_midpoint(g, r);
    case DECIMAL: return decimals[r >> 50 & 15];
    case TINY: return tiny_scale(g, r);
    case HUGE: return g->x_dtype == QC_F16 ? 0x1p12 : 0x1.5p90;
    default: return unit * (1 + (double)(r >> 12) * 0x1p-52);
    }
}

uint64_t qc_element_scales(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const uint8_t *const cycle = g->y_dtype == QC_NONE ? to_codes : to_floats;
    family kind = cycle[(g->stream * 7 + (uint64_t)i) & 31];
    if (g->multiply && (kind == DECIMAL || kind == ANY)) {
        kind = POWER; /* the only multipliers with exact ties, and few besides */
    }
    double scale = scale_of(g, kind, r);
    if (g->multiply && (kind != TINY || g->x_dtype == QC_F16)) {
        scale = 1 / scale; /* the same families in codes per unit of x (L4) */
    }
    return qc_bits_of_double(g->target->dtype, scale);
}

/* L3 alone: exact ties whose reciprocals are not exact. */
uint64_t qc_element_odd_scales(const qc_generation *g, const qc_channel *channel,
                               int64_t i)
{
    (void)channel;
    const double scale = scale_of(g, ODD, qc_random_of(g->key, (uint64_t)i));
    return qc_bits_of_double(g->target->dtype, g->multiply ? 1 / scale : scale);
}

static int64_t fold(const qc_generation *g, int64_t value)
{
    const int64_t span = (int64_t)g->qmax - g->qmin + 1;
    return span <= 0 ? value : g->qmin + ((value - g->qmin) % span + span) % span;
}

static uint64_t whole_zero_point(const qc_generation *g, uint64_t place, uint64_t r)
{
    const int64_t any = (int64_t)(r >> 40 & 1023) - 512;
    const int64_t values[17] = {0,  -5, 5,       g->qmin, 1,        any | 1, -1, 127, any,
                                -5, 3,  any | 1, g->qmax, -any | 1, 128,     0,  -77};
    return (uint64_t)fold(g, values[place % 17]);
}

static double float_zero_point(const qc_generation *g, uint64_t place, uint64_t r)
{
    const double any = (double)fold(g, (int64_t)(r >> 40 & 1023) - 512);
    const double part = (double)(r >> 30 & 1023) * 0x1p-10;
    /* Tiny ones hide exact ties, which are fewer in the multiply form. */
    const double two = g->multiply ? 2 : 0x1p-60;
    const double one = g->multiply ? 1 : -0x1p-60;
    const double values[17] = {0,   0.5,        0x1p-60, -0.5, 0.1, -0x1p-60,
                               1.5, -3,         two,     any,  -7,  -0x1p-60,
                               5,   any + part, 0x1p-60, -1,   one};
    return place % 68 == 60 ? 1e10 : values[place % 17];
}

uint64_t qc_element_zero_points(const qc_generation *g, const qc_channel *channel,
                                int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const uint64_t place = g->stream + (uint64_t)i * 5;
    if (g->layout.fraction_bits != 0) {
        return qc_bits_of_double(g->target->dtype, float_zero_point(g, place, r));
    }
    return whole_zero_point(g, place, r) &
           (UINT64_MAX >> (64 - 8 * qc_dtype_bytes(g->target->dtype)));
}

/* Even numbers, which leave the parity of every tie; one in three a tiny one instead (L5). */
uint64_t qc_element_even_zero_points(const qc_generation *g, const qc_channel *channel,
                                     int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const double even = (double)(fold(g, (int64_t)(r >> 40 & 1023) - 512) & -2);
    const double tiny = r >> 20 & 1 ? 0x1p-60 : -0x1p-60;
    return qc_bits_of_double(g->target->dtype,
                             (g->stream + (uint64_t)i) % 3 == 2 ? tiny : even);
}
