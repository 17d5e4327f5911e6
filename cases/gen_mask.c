/* SPDX-License-Identifier: Apache-2.0 */
/* What tells masks apart (semantics.md L12 to L17): inputs at the two ends of the grid, zero
   points that put one of them a few codes from zero, so that short mantissas reach it, and
   scales whose multiples are, or nearly are, numbers of every dtype. */
#include "generate.h"

#include <math.h>

/* Codes between the zero point and the nearer end. Times 3 (L14), or one half more being a
   multiple of 3/2 (L1), or below a power of two (L15); even and odd. */
static const int8_t gaps[16] = {1, 3, 4, 7, 1, 6, 4, 9, 15, 7, 0, 2, 1, 4, 3, 12};

/* Odd d: reciprocals of the first eight miss ties, or pass bounds (L3, L15). */
static const int16_t odds[16] = {49, 49, 103, 107, 1997, 3987, 117, 7909,
                                 3,  5,  7,   9,   11,   13,   23,  29};

static double unit_of(const qc_generation *g, uint64_t r)
{
    return ldexp(1, g->x_dtype == QC_F16 ? (int)(r >> 40 & 7) - 5
                                         : (int)(r >> 40 & 31) - 16);
}

/* Odd factors short enough that the first ends of the grid are numbers of x's dtype. */
static double odd_of(const qc_generation *g, uint64_t r)
{
    const uint64_t at = r >> 50 & 15;
    const int is_short = g->x_dtype == QC_BF16 || g->multiply;
    return is_short && at < 8 && !(at < 2 && !g->multiply) ? 15 + 2 * (double)(r >> 54 & 7)
                                                           : odds[at];
}

/* Where a product of two distances vanishes (L16). */
static double tiny_of(const qc_generation *g, uint64_t r)
{
    static const double scales[4] = {0x1p-110, 1e-30, 0x1.8p-105, 0x1.234p-120};
    static const double wide[4] = {0x1p-110, 1e-30, 0x1p-600, 0x1.8p-560};
    if (g->x_dtype == QC_F16) {
        return r >> 50 & 1 ? 0x1p-24 : 0x1p-20;
    }
    const int is_wide = g->target->dtype == QC_F64 && g->x_dtype == QC_F64;
    return (is_wide ? wide : scales)[r >> 50 & 3];
}

uint64_t qc_element_mask_scales(const qc_generation *g, const qc_channel *channel,
                                int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const double unit = unit_of(g, r);
    const double thirds = (r >> 48 & 1 ? 1.0 : 5.0) * 2 / 3;
    double scale = unit * (1 + (double)(r >> 12) * 0x1p-52);
    switch ((g->stream * 7 + (uint64_t)i) & 15) {
    case 0:
    case 3:
    case 6:
    case 9:
    case 12: scale = g->multiply ? unit * odd_of(g, r) : unit * thirds; break;
    case 1:
    case 4:
    case 7:
    case 10:
    case 13: scale = unit * odd_of(g, r); break;
    case 2:
    case 5:
    case 8: scale = unit; break;
    case 11: scale = tiny_of(g, r); break;
    case 14: scale = 0.1 * unit; break;
    default: break;
    }
    return qc_bits_of_double(g->target->dtype, g->multiply ? 1 / scale : scale);
}

uint64_t qc_element_mask_zero_points(const qc_generation *g, const qc_channel *channel,
                                     int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const int32_t span = g->qmax - g->qmin;
    const int32_t gap = gaps[r >> 40 & 15] % span;
    int32_t whole = r >> 60 & 1 ? g->qmin + gap : g->qmax - gap;
    if ((r >> 50 & 7) == 0) {
        whole = g->qmin + (int32_t)qc_random_below(r, (uint32_t)span + 1);
    } else if ((r >> 50 & 7) == 1) {
        whole = g->qmin < 0 ? 0 : 128 % (g->qmax + 1);
    }
    if (g->layout.fraction_bits == 0) {
        return (uint64_t)(int64_t)whole &
               (UINT64_MAX >> (64 - 8 * qc_dtype_bytes(g->target->dtype)));
    }
    static const double parts[8] = {0, 0, 0, 0, 0.5, -0.5, 0.1, 0x1p-30};
    const double tiny = r >> 20 & 1 ? 0x1p-60 : -0x1p-60;
    const double value = r >> 56 & 3 ? whole + parts[r >> 30 & 7] : tiny;
    return qc_bits_of_double(g->target->dtype, value);
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
