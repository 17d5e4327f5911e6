/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of float bodies. The lemmas of semantics.md part L say which inputs tell choices
   apart; the mixture of `edges` holds each of them. */
#include "generate.h"

#include <math.h>

/* The bits `ulps` units in the last place further from zero (negative: nearer), finite. */
static uint64_t step(qc_float_layout layout, uint64_t bits, int64_t ulps)
{
    const int width = layout.exponent_bits + layout.fraction_bits;
    const uint64_t sign = bits & (UINT64_C(1) << width);
    const uint64_t top =
        (((UINT64_C(1) << layout.exponent_bits) - 1) << layout.fraction_bits) - 1;
    const int64_t magnitude = (int64_t)(bits ^ sign);
    if (magnitude > (int64_t)top) { /* an infinity, from a value beyond the dtype */
        return sign | top;
    }
    int64_t moved = 0;
    if (__builtin_add_overflow(magnitude, ulps, &moved) || moved > (int64_t)top) {
        return sign | top;
    }
    return moved < 0 ? sign : sign | (uint64_t)moved;
}

static inline uint64_t to_bits(const qc_generation *g, double value)
{
    const float single = (float)value;
    uint32_t word;
    uint64_t bits;
    switch (g->layout.fraction_bits) {
    case 23: memcpy(&word, &single, sizeof word); return word;
    case 52: memcpy(&bits, &value, sizeof bits); return bits;
    default: return qc_bits_of_double(g->target->dtype, value);
    }
}

/* A finite value near `value`, quickly: f16 and bf16 are rounded twice on the way, which does
   no harm where no exact value is meant. */
static inline uint64_t to_bits_near(const qc_generation *g, double value)
{
    const double above = value > g->largest ? g->largest : value;
    const double inside = above < -g->largest ? -g->largest : above;
    const float single = (float)inside;
    uint32_t word;
    memcpy(&word, &single, sizeof word);
    const uint32_t exponent = word >> 23 & 255;
    if (g->layout.fraction_bits == 7 && exponent < 254) {
        return (word + 0x7fff + (word >> 16 & 1)) >> 16;
    }
    if (g->layout.fraction_bits == 10 && exponent > 127 - 14 && exponent < 127 + 15) {
        const uint32_t magnitude = (word & 0x7fffffff) - ((127u - 15u) << 23);
        return (word >> 16 & 0x8000) | (magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13;
    }
    return to_bits(g, inside);
}

static inline uint64_t from_double(const qc_generation *g, double value, int64_t ulps)
{
    return step(g->layout, to_bits(g, value), ulps);
}

/* The input whose code axis value, zero point not added, is v. */
static double at_code(const qc_generation *g, const qc_channel *channel, double v)
{
    return g->multiply ? v / channel->scale : v * channel->scale;
}

/* k of a tie, zero point not added: anywhere on the grid and one beyond each end; or a k with
   2k + 1 a multiple of 3 (L1); or a small one, where few bits hold the tie (L3, L4), half of
   these 3/2, the only one that f64 reciprocals miss with 8-bit x. */
static int32_t pick_k(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    const uint32_t span = (uint32_t)(g->qmax - g->qmin) + 3;
    const int32_t k = g->qmin - 1 + (int32_t)qc_random_below(r, span) - channel->whole;
    const int32_t small = r >> 33 & 1 ? (int32_t)(r & 15) - 8 : r & 1 ? 1 : -2;
    const int32_t thirds = k - ((k - 1) % 3 + 3) % 3;
    const int32_t picked = r >> 63 == 0 ? k : r >> 62 & 1 ? small : thirds;
    const int32_t code = picked + channel->whole;
    return code < g->qmin - 1 || code > g->qmax + 1 ? -picked - 1 : picked; /* mirrored */
}

/* Whether x rounds to the dtype's precision with a relative error of at most `near`: Veltkamp's
   split, which leaves the upper bits of x where `factor` is 2^(53 - precision) + 1. */
static int is_near(double x, double factor, double near)
{
    const double scaled = x * factor;
    const double upper = scaled - (scaled - x);
    return fabs(upper - x) <= fabs(x) * near;
}

/* An input at a tie, or next to it. Few k have an input that lies nearer than its dtype's
   precision makes likely: some are tried, and the first taken that has. */
static uint64_t tie(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    static const int8_t ulps[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, -1, -1, -1, 2, -2};
    const int is_half = g->layout.fraction_bits < 16;
    const int tries = is_half ? 6 : g->layout.fraction_bits < 32 ? 3 : 1;
    const double factor = g->layout.fraction_bits == 7    ? 0x1p45 + 1
                          : g->layout.fraction_bits == 10 ? 0x1p42 + 1
                                                          : 0x1p29 + 1;
    const double near = is_half ? 0x1p-20 : 0x1p-45;
    const double rest = channel->zero_point - channel->whole;
    double v = 0;
    for (int n = 0; n < tries; n++) {
        r = n > 0 ? r * QC_RANDOM_STEP
                  : r; /* other upper bits; the lower ones change too */
        v = pick_k(g, channel, r ^ r >> 32) + 0.5 - rest;
        if (is_near(v * channel->unit, factor, near)) {
            break;
        }
    }
    return from_double(g, at_code(g, channel, v), ulps[r >> 40 & 15]);
}

/* An input at a code; often at zero_point +- 2^n or 3 * 2^n, where products round twice (L11),
   or at the zero point itself (L10). */
static uint64_t whole(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    const double rest = channel->zero_point - channel->whole;
    int32_t k = (r >> 60 & 1 ? 3 : 1) << (r >> 50 & 7);
    k = r >> 61 & 1 ? -k : k;
    if (r >> 62 == 0) {
        k = g->qmin + (int32_t)qc_random_below(r, (uint32_t)(g->qmax - g->qmin) + 1) -
            channel->whole;
    } else if ((r >> 44 & 7) == 0) {
        k = 0;
    } else if (k + channel->whole < g->qmin || k + channel->whole > g->qmax) {
        k = -k;
    }
    return from_double(g, at_code(g, channel, k - rest), (int64_t)(r >> 40 & 3) % 3 - 1);
}

/* The half step outside the grid (L12), and its ends. */
static uint64_t half_step(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    static const double outside[8] = {0,   0.125,        0.25, 0.375, 0.4990234375,
                                      0.5, 0.5009765625, 1};
    const double off = outside[r >> 40 & 7];
    const double end = r >> 60 & 1 ? g->qmax + off : g->qmin - off;
    return from_double(g, at_code(g, channel, end - channel->zero_point),
                       (int64_t)(r >> 50 & 3) % 3 - 1);
}

/* Up to three grids beyond the ends (L9). */
static uint64_t beyond(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    const double span = g->qmax - g->qmin;
    const double far =
        (double)(r >> 11 & 0xffff) * 0x1p-16 * (r >> 61 & 1 ? 3 * span : 40);
    const double end = r >> 60 & 1 ? g->qmax + far : g->qmin - far;
    return from_double(g, at_code(g, channel, end - channel->zero_point), 0);
}

/* Quotients at the limits of casts (L8) and of the magic-number rounding, and the dtype's own
   largest values. */
static uint64_t huge(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    static const double codes[16] = {0x1p31, 0x1p31, 2147483520, 0x1p32, 0x1p63, 0x1p63,
                                     0x1p64, 1e25,   0x1p22,     0x1p23, 0x1p24, 32768,
                                     0x1p33, 0x1p66, 1e30,       1e300};
    const double sign = r >> 60 & 1 ? -1 : 1;
    const uint32_t which = r >> 50 & 31;
    if (which < 16) {
        const double x = at_code(g, channel, sign * codes[which]);
        const uint64_t bits = qc_bits_of_double(g->target->dtype, x);
        const int beyond_dtype = isinf(qc_bits_to_double(g->target->dtype, bits));
        return beyond_dtype && g->nonfinite
                   ? bits
                   : step(g->layout, bits, (int64_t)(r >> 40 & 3) % 3 - 1);
    }
    if (which < 24) {
        return from_double(g, sign * INFINITY, -(int64_t)(r >> 40 & 3)); /* the largest */
    }
    return from_double(
        g, at_code(g, channel, sign * 0x1p63) * ldexp(1, (int)(r >> 40 & 31)), 0);
}

static uint64_t tiny(const qc_generation *g, uint64_t r)
{
    const uint64_t zero = (r >> 60 & 1)
                          << (g->layout.exponent_bits + g->layout.fraction_bits);
    return zero | (r >> 50 & 3 ? r >> 40 & 3 : 0);
}

/* Infinities, and NaNs of both signs, quiet and signalling, with any payload. */
static uint64_t nonfinite(const qc_generation *g, uint64_t r)
{
    const int fraction = g->layout.fraction_bits;
    const uint64_t infinity = ((UINT64_C(1) << g->layout.exponent_bits) - 1) << fraction;
    const uint64_t sign = (r >> 60 & 1) << (g->layout.exponent_bits + fraction);
    const uint64_t quiet = UINT64_C(1) << (fraction - 1);
    switch (r >> 50 & 7) {
    case 0: return sign | infinity | quiet;
    case 1: return sign | infinity | 1;
    case 2: return sign | infinity | (r & (quiet - 1)) | 1;
    case 3: return sign | infinity | quiet | (r & (quiet - 1));
    default: return sign | infinity;
    }
}

uint64_t qc_element_dense(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const double span = g->qmax - g->qmin;
    const double v = g->qmin - span / 2 + (double)(int64_t)(r >> 11) * 0x1p-52 * span;
    return to_bits_near(g, (v - channel->zero_point) * channel->unit);
}

uint64_t qc_element_random(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    (void)channel;
    const uint64_t bits = qc_random_of(g->key, (uint64_t)i) >> (64 - 8 * g->bytes);
    const uint64_t infinity = ((UINT64_C(1) << g->layout.exponent_bits) - 1)
                              << g->layout.fraction_bits;
    if (g->layout.fraction_bits != 0 && !g->nonfinite && (bits & infinity) == infinity) {
        return bits ^ (UINT64_C(1) << g->layout.fraction_bits); /* the largest exponent */
    }
    return bits;
}

uint64_t qc_element_edges(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    const uint64_t pick = qc_random_of(g->key, (uint64_t)i);
    const uint64_t r = qc_random_mix(pick);
    const int gives_floats =
        g->target->dtype == g->y_dtype; /* fake_quantize: codes count (L11) */
    switch (pick >> 59) {
    case 0:
    case 1:
    case 2:
    case 3: return whole(g, channel, r);
    case 4:
    case 5: return half_step(g, channel, r);
    case 6:
    case 7: return beyond(g, channel, r);
    case 8:
    case 9:
    case 10: return huge(g, channel, r);
    case 11: return tiny(g, r);
    case 12:
    case 13: return g->nonfinite ? nonfinite(g, r) : tie(g, channel, r);
    case 14:
    case 15: return qc_element_dense(g, channel, i);
    case 16:
    case 17:
    case 18: return gives_floats ? whole(g, channel, r) : tie(g, channel, r);
    default: return tie(g, channel, r);
    }
}

uint64_t qc_bits_nonfinite(const qc_generation *g, uint64_t r)
{
    return nonfinite(g, r);
}

uint64_t qc_bits_beside(const qc_generation *g, double value, int64_t ulps)
{
    return from_double(g, value, ulps);
}
