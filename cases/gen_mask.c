/* SPDX-License-Identifier: Apache-2.0 */
/* What tells masks apart (semantics.md L12 to L17): inputs at the two ends of the grid, zero
   points that put one of them a few codes from zero, so that short mantissas reach it, and
   scales whose multiples are, or nearly are, numbers of every dtype. */
#include "generate.h"

#include <math.h>

/* A scale and a zero point that belong together; `gap` codes lie between the zero point and
   the nearer end. */
typedef enum family {
    NEAR,  /* x/s or x*m all but a tie, or a bound: L1, L4, L14 */
    ODD,   /* a tie or a bound that reciprocals pass or miss: L3, L15 */
    POWER, /* exact ties and bounds; beside float zero points: L5, L6, L13 */
    TINY,  /* where a product of two distances vanishes: L16 */
    ANY
} family;

typedef struct choice {
    family kind;
    int gap;
    double d;       /* ODD */
    int is_outward; /* NEAR: the exact value lies outside the rounded one */
    int is_real;
    int is_low;    /* the nearer end is the lower one */
    uint64_t bits; /* for the rest */
} choice;

/* Found by trying all with (2 gap + 1) d, or gap d, in 8 and 11 bits. The first is the only
   one of 8 bits that an f64 reciprocal misses. */
typedef struct pair {
    uint8_t d;
    uint8_t gap;
} pair;
static const pair ties[4] = {{49, 1}, {103, 1}, {117, 2}, {237, 3}};
static const pair bounds[8] = {{7, 3},  {7, 7},  {15, 3}, {15, 7},
                               {13, 7}, {15, 6}, {7, 6},  {7, 15}};

/* Of either parity: RNE takes even gaps inward, odd ones outward. Divided by thirds, only a
   gap that is a multiple of 3, or 1 more, is nearly reached. */
static int near_gap(int multiply, int is_real, int is_outward, uint64_t bits)
{
    static const uint8_t gaps[2][3][4] = {{{1, 7, 1, 7}, {4, 10, 4, 10}, {3, 6, 9, 12}},
                                          {{1, 3, 1, 5}, {2, 4, 0, 2}, {1, 3, 4, 6}}};
    return gaps[multiply][is_real ? 2 : is_outward][bits & 3];
}

static choice choice_of(const qc_generation *g, int64_t i)
{
    static const uint8_t kinds[16] = {NEAR,  ODD,  POWER, NEAR, ODD,  POWER, NEAR, ODD,
                                      POWER, NEAR, ODD,   TINY, NEAR, ODD,   ANY,  ANY};
    static const uint8_t some[8] = {1, 0, 2, 3, 4, 7, 5, 15};
    const uint64_t n = g->stream * 7 + (uint64_t)i;
    const uint64_t bits = qc_random_mix(n * QC_RANDOM_STEP);
    const int is_real = g->item->call.attrs.mask_form == QC_MASK_FORM_real;
    choice c = {.kind = kinds[n & 15],
                .gap = some[bits >> 8 & 7],
                .is_outward = is_real || (bits & 1),
                .is_real = is_real,
                .is_low = bits >> 1 & 1,
                .bits = bits};
    if (c.kind == ODD && g->multiply) { /* products have no reciprocals: ties instead */
        c.kind = bits >> 2 & 1 ? POWER : NEAR;
    }
    if (c.kind == ODD) {
        const pair *const of = is_real
                                   ? &bounds[bits >> 16 & 7]
                                   : &ties[g->x_dtype == QC_BF16 ? 0 : bits >> 16 & 3];
        c.gap = of->gap;
        c.d = of->d;
    } else if (c.kind == NEAR) {
        c.gap = near_gap(g->multiply, is_real, c.is_outward, bits >> 16);
    }
    return c;
}

static double in_dtype(const qc_generation *g, double value)
{
    return qc_bits_to_double(g->target->dtype,
                             qc_bits_of_double(g->target->dtype, value));
}

/* 2c/3, or 1/d, whose rounding error has the wanted sign. */
static double near_scale(const qc_generation *g, const choice *c)
{
    static const double thirds[4] = {1, 5, 7, 11};
    static const double odds[7] = {3, 5, 7, 9, 11, 13, 25};
    double scale = 1;
    for (int n = 0; n < (g->multiply ? 7 : 4); n++) {
        scale = in_dtype(g, g->multiply ? 1 / odds[n] : 2 * thirds[n] / 3);
        const double error =
            g->multiply ? fma(scale, odds[n], -1) : -fma(scale, 3, -2 * thirds[n]);
        if ((error > 0) == c->is_outward) {
            break;
        }
    }
    return scale;
}

static double tiny_scale(const qc_generation *g, uint64_t bits)
{
    static const double single[4] = {0x1p-110, 1e-30, 0x1.8p-105, 0x1.234p-120};
    static const double wide[4] = {0x1p-110, 1e-30, 0x1p-600, 0x1.8p-560};
    if (g->x_dtype == QC_F16) {
        return bits >> 20 & 1 ? 0x1p-24 : 0x1p-20;
    }
    const int is_wide = g->target->dtype == QC_F64 && g->x_dtype == QC_F64;
    return (is_wide ? wide : single)[bits >> 20 & 3];
}

uint64_t qc_element_mask_scales(const qc_generation *g, const qc_channel *channel,
                                int64_t i)
{
    (void)channel;
    const choice c = choice_of(g, i);
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const int exponent =
        g->x_dtype == QC_F16 ? (int)(r >> 40 & 7) - 5 : (int)(r >> 40 & 31) - 16;
    const double unit = ldexp(1, exponent);
    double scale = 0;
    switch (c.kind) {
    case NEAR: scale = unit * near_scale(g, &c); break;
    case ODD: scale = unit * c.d / 32; break;
    case POWER: scale = unit; break;
    case TINY: scale = tiny_scale(g, c.bits); break;
    case ANY: scale = unit * (1 + (double)(r >> 12) * 0x1p-52);
    }
    if (g->multiply && c.kind == TINY) {
        scale = 1 / scale;
    }
    return qc_bits_of_double(g->target->dtype, scale);
}

static double float_zero_point(const choice *c, double whole, uint64_t r)
{
    static const double parts[8] = {0.5, -0.5, 0.1, 0x1p-30, 0.25, -0.1, -0x1p-30, 0};
    if (c->kind == POWER && (c->is_real || c->bits >> 12 & 1)) { /* up: L14; down: L5 */
        return c->bits >> 13 & (c->is_real ? 1 : 3) ? -0x1p-60 : 0x1p-60;
    }
    return c->kind == ANY ? whole + parts[r >> 30 & 7] : whole;
}

uint64_t qc_element_mask_zero_points(const qc_generation *g, const qc_channel *channel,
                                     int64_t i)
{
    (void)channel;
    const choice c = choice_of(g, i);
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const int32_t span = g->qmax - g->qmin;
    const int32_t gap = c.kind == ANY || c.kind == TINY
                            ? (int32_t)qc_random_below(r, (uint32_t)span + 1)
                            : c.gap % span;
    const int32_t whole = c.is_low ? g->qmin + gap : g->qmax - gap;
    if (g->layout.fraction_bits == 0) {
        return (uint64_t)(int64_t)whole &
               (UINT64_MAX >> (64 - 8 * qc_dtype_bytes(g->target->dtype)));
    }
    return qc_bits_of_double(g->target->dtype, float_zero_point(&c, whole, r));
}

/* The end of the grid at hand: mostly the one nearer to the zero point. */
static double end_of(const qc_generation *g, const qc_channel *channel, uint64_t r,
                     int *direction_ret)
{
    const int is_high_nearer =
        g->qmax - channel->zero_point < channel->zero_point - g->qmin;
    const int is_high = (r >> 8 & 3) == 0 ? !is_high_nearer : is_high_nearer;
    *direction_ret = is_high ? 1 : -1;
    return is_high ? g->qmax : g->qmin;
}

uint64_t qc_element_mask_edges(const qc_generation *g, const qc_channel *channel,
                               int64_t i)
{
    static const int8_t ulps[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, -1, -1, -1, 2, -2};
    static const double steps[4] = {0.125, 0.25, 0.375, 0.4990234375};
    const uint64_t pick = qc_random_of(g->key, (uint64_t)i);
    const uint64_t r = qc_random_mix(pick);
    int direction;
    const double end = end_of(g, channel, r, &direction) - channel->zero_point;
    double v = end;
    switch (pick >> 59) {
    case 0:
    case 1:
    case 2: v += direction * steps[r >> 50 & 3]; break;
    case 3: v += direction * (1 + (double)(r >> 50 & 31)); break;
    case 4:
    case 5: v = direction * ldexp(1, 8 + (int)(r >> 50 & 7)); break;
    case 6:
    case 7: /* codes inside */ v -= direction * (double)(r >> 50 & 15); break;
    case 8:
    case 9:
        if (g->nonfinite) {
            return qc_bits_nonfinite(g, r);
        }
        break;
    case 10:
    case 11: return qc_element_edges(g, channel, i);
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
    case 20: break;
    default: v += direction * 0.5;
    }
    const double x = g->multiply ? v / channel->scale : v * channel->scale;
    return qc_bits_beside(g, x, ulps[r >> 40 & 15]);
}

/* Ordinary gradients of both signs, zeros, subnormals, the largest, NaNs and infinities. */
uint64_t qc_element_gradients(const qc_generation *g, const qc_channel *channel,
                              int64_t i)
{
    const uint64_t pick = qc_random_of(g->key, (uint64_t)i);
    const uint64_t r = qc_random_mix(pick);
    const double sign = r >> 63 ? -1 : 1;
    switch (pick >> 60) {
    case 0:
    case 1:
    case 2: return g->nonfinite ? qc_bits_nonfinite(g, r) : qc_bits_beside(g, sign, 0);
    case 3: return qc_bits_beside(g, sign * 0.0, (int64_t)(r >> 40 & 3));
    case 4: return qc_bits_beside(g, sign * INFINITY, 0); /* the largest */
    case 5: return qc_element_random(g, channel, i);
    default: return qc_bits_beside(g, sign * (double)(r >> 40 & 0xffff) * 0x1p-12, 0);
    }
}
