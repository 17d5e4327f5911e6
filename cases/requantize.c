/* SPDX-License-Identifier: Apache-2.0 */
/* Multipliers, shifts and accumulators. Families of multipliers come in a fixed cycle over
   (stream, channel), as scales do; part R of semantics.md says what each is for. */
#include "generate.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

typedef enum family {
    POWER,  /* 2^-e: exact ties, and accumulators beside them that f32 cannot hold (U6) */
    INVERT, /* 1 / (2a), a odd: a (2k + 1) lies beside the tie k + 1/2 (U6, U7) */
    DECIMAL,
    ABOVE,  /* 1 and more */
    HUGE,   /* products beyond 2^63 (L8, U8) */
    TINY,   /* and 0, where multipliers are fixed */
    FACTOR, /* of the table below: f64 products of s32 that land on a tie (U7) */
    ANY
} family;

static const uint8_t cycle[32] = {POWER,  INVERT, FACTOR, HUGE,   INVERT, POWER,  DECIMAL,
                                  INVERT, POWER,  ABOVE,  INVERT, FACTOR, HUGE,   POWER,
                                  INVERT, POWER,  TINY,   INVERT, POWER,  ANY,    FACTOR,
                                  INVERT, POWER,  INVERT, HUGE,   POWER,  INVERT, FACTOR,
                                  POWER,  INVERT, POWER,  DECIMAL};

/* acc * whole * 2^exponent is k + 1/2 +- a few of its last bits, beyond the 53 of f64, and
   nearer to the odd one of k and k + 1. Found by dividing; f32 first, then s32. */
static const struct {
    uint32_t acc;
    uint32_t whole;
    int32_t exponent;
} factors[2][8] = {{{1977232205, 9110917, -55},
                    {1744617485, 10325701, -55},
                    {1125501409, 16005665, -55},
                    {1665271161, 13522121, -53},
                    {1427308767, 15776543, -53},
                    {2130763469, 14795259, -53},
                    {1595657731, 12700843, -52},
                    {2022400615, 10577577, -51}},
                   {{2139423913, 1077786873, -62},
                    {2132328818, 1081373093, -62},
                    {2113799061, 1090852509, -62},
                    {2072967687, 1112339099, -62},
                    {2063085124, 1117667411, -62},
                    {2001273698, 1152187735, -62},
                    {2098027447, 1167743635, -58},
                    {2069583890, 1148975219, -57}}};

static const double decimals[16] = {0.001, 0.0073,    0.00394,    0.1,     0.0005, 0.003,
                                    0.02,  0.7,       0.0111,     1.0 / 3, 0.25,   0.9999,
                                    1e-5,  0.0037037, 0.00024218, 0.5};
static const double above[8] = {1, 2, 4, 3.5, 1.5, 100, 0x1p31, 7.0 / 3};

/* multiplier * 2^shift */
typedef struct fixed {
    uint32_t multiplier;
    int32_t shift;
} fixed;

static int has_wide_acc(const qc_generation *g)
{
    return g->item->call.args[qc_op_body(g->item->call.op)].dtype == QC_S64;
}

/* e of POWER: small, where few steps of acc lie between ties; or such that acc needs more bits
   than f32 has, or f64. */
static int power_of(const qc_generation *g, uint64_t r)
{
    if (r >> 20 & 1) {
        return (int)(r >> 21 & 7) % 5;
    }
    return has_wide_acc(g) && (r >> 24 & 1) ? 48 + (int)(r >> 25 & 7)
                                            : 16 + (int)(r >> 25 & 7);
}

/* Bits of the odd a of INVERT, those of acc less those of 2k + 1: eight, or where acc has 64
   and f64 is to lose some of them, fewer, for which `tie` takes a small k. */
static int inverse_bits(const qc_generation *g, uint64_t r)
{
    return has_wide_acc(g) && (r & 3) != 0 ? 53 + (int)(r >> 2 & 3) + (int)(r >> 4 & 1)
                                           : 20 + (int)(r >> 2 & 3);
}

static uint64_t odd_of(int bits, uint64_t r)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    return top | (r >> 8 & (top - 1)) | 1;
}

static double real_of(const qc_generation *g, family kind, uint64_t r)
{
    static const double huge[4] = {0x1p40, 0x1p70, 0x1.fffffep127, 0x1.8p100};
    static const double wide_huge[4] = {0x1p40, 1e300, 0x1.fffffffffffffp1023, 0x1.8p100};
    static const double tiny[4] = {0x1p-40, 0x1p-62, 0x1p-149, 0x1.8p-127};
    static const double wide_tiny[4] = {0x1p-40, 0x1p-62, 0x1p-1074, 0x1.8p-127};
    const int is_f64 = g->target->dtype == QC_F64;
    switch (kind) {
    case POWER: return ldexp(1, -power_of(g, r));
    case INVERT: return 0.5 / (double)odd_of(inverse_bits(g, r), r);
    case DECIMAL: return decimals[r >> 50 & 15];
    case ABOVE: return above[r >> 50 & 7];
    case HUGE: return (is_f64 ? wide_huge : huge)[r >> 50 & 3];
    case TINY: return (is_f64 ? wide_tiny : tiny)[r >> 50 & 3];
    case FACTOR:
        return ldexp(factors[0][r >> 50 & 7].whole, factors[0][r >> 50 & 7].exponent);
    default: return ldexp(1 + (double)(r >> 12) * 0x1p-52, -(int)(r & 15));
    }
}

/* The multiplier of 31 bits that is nearest to a positive value. */
static fixed fixed_near(double value)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    const double whole = fmin(rint(ldexp(fraction, 31)), INT32_MAX);
    return (fixed){(uint32_t)whole, exponent - 31};
}

static fixed fixed_of(const qc_generation *g, family kind, uint64_t r)
{
    static const fixed huge[4] = {
        {INT32_MAX, 31}, {1u << 30, 127}, {INT32_MAX, 3}, {1, 40}};
    static const fixed tiny[8] = {{0, 0},   {1, -31},        {0, -62},          {3, -128},
                                  {1, -62}, {1u << 30, -62}, {INT32_MAX, -128}, {0, 127}};
    const int low = 30 - (int)(r >> 50 & 7) % 4;
    switch (kind) {
    case POWER: return (fixed){1u << low, -low - power_of(g, r)};
    case INVERT: return fixed_near(0.5 / (double)odd_of(inverse_bits(g, r), r));
    case DECIMAL: return fixed_near(decimals[r >> 50 & 15]);
    case ABOVE: return fixed_near(above[r >> 50 & 7]);
    case HUGE: return huge[r >> 50 & 3];
    case TINY: return tiny[r >> 50 & 7];
    case FACTOR:
        return (fixed){factors[1][r >> 50 & 7].whole, factors[1][r >> 50 & 7].exponent};
    default: return (fixed){(uint32_t)(r >> 8) & INT32_MAX, -24 - (int)(r & 15)};
    }
}

static family kind_of(const qc_generation *g, int64_t i)
{
    return cycle[(g->stream * 7 + (uint64_t)i) & 31];
}

/* The pair that two generators make, one half each. */
static fixed fixed_at(const qc_generation *g, int64_t i)
{
    return fixed_of(g, kind_of(g, i), qc_random_of(g->shared_key, (uint64_t)i));
}

static uint64_t as_target(const qc_generation *g, uint64_t bits)
{
    return bits & (UINT64_MAX >> (64 - 8 * g->bytes));
}

uint64_t qc_element_multipliers(const qc_generation *g, const qc_channel *channel,
                                int64_t i)
{
    (void)channel;
    if (g->layout.fraction_bits == 0) {
        return as_target(g, fixed_at(g, i).multiplier);
    }
    const uint64_t r = qc_random_of(g->shared_key, (uint64_t)i);
    return qc_bits_of_double(g->target->dtype, real_of(g, kind_of(g, i), r));
}

uint64_t qc_element_shifts(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    (void)channel;
    return as_target(g, (uint64_t)(int64_t)fixed_at(g, i).shift);
}

/* 2^63 - 1, or what the dtype has. */
static uint64_t largest_of(const qc_generation *g)
{
    return UINT64_MAX >> (65 - 8 * g->bytes);
}

/* The accumulator nearest to halves / 2 / M, saturated; M = B 2^e. In integers: a quotient in
   doubles is off by hundreds where acc has 62 bits. |halves| < 2^12; beyond 2^115 / B even one
   half is out of range. */
static int64_t acc_at(const qc_generation *g, const qc_channel *channel, int64_t halves)
{
    int exponent;
    const uint64_t b = (uint64_t)ldexp(frexp(channel->scale, &exponent), 53);
    const int up = 53 - exponent - 1;
    const wide num = (wide)(uint64_t)(halves < 0 ? -halves : halves);
    wide acc = 0;
    if (up >= 0) {
        acc = up > 115 ? UINT64_MAX : ((num << up) + b / 2) / b;
        acc = num == 0 ? 0 : acc;
    } else if (up > -70) {
        const wide den = (wide)b << -up;
        acc = (num + den / 2) / den;
    }
    const uint64_t bound = largest_of(g);
    const int64_t kept = (int64_t)(acc < bound ? (uint64_t)acc : bound);
    return halves < 0 ? -kept : kept;
}

static int64_t moved(const qc_generation *g, int64_t acc, int64_t by)
{
    const int64_t bound = (int64_t)largest_of(g);
    int64_t sum;
    if (__builtin_add_overflow(acc, by, &sum)) {
        return acc;
    }
    return sum > bound ? bound : sum < -bound - 1 ? -bound - 1 : sum;
}

/* k of a tie, zero point not added: anywhere on the grid and one beyond each end. */
static int64_t pick_k(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    const uint32_t span = (uint32_t)(g->qmax - g->qmin) + 3;
    return g->qmin - 1 + (int64_t)qc_random_below(r, span) - channel->whole;
}

static int64_t tie(const qc_generation *g, const qc_channel *channel, int64_t k,
                   uint64_t r)
{
    static const int8_t off[16] = {0, 0, 0, 0, 0, 0, -1, -1, 1, 1, -1, 1, -1, 1, 2, -2};
    int64_t acc = acc_at(g, channel, 2 * k + 1);
    if ((acc < 0 ? -acc : acc) == (int64_t)largest_of(g)) {
        acc = acc_at(g, channel, 2 * (k % 8) + 1);
    }
    return moved(g, acc, off[r >> 40 & 15]);
}

/* The accumulator of the multiplier's row, of either sign; 0: it has none. */
static int64_t factor_acc(const qc_channel *channel, uint64_t r)
{
    const double scale = channel->scale;
    if (scale > 0x1p-26 || scale < 0x1p-33) {
        return 0;
    }
    for (int n = 0; n < 16; n++) {
        if (ldexp(factors[n / 8][n % 8].whole, factors[n / 8][n % 8].exponent) == scale) {
            const int64_t acc = factors[n / 8][n % 8].acc;
            return r & 1 ? acc : -acc;
        }
    }
    return 0;
}

static int64_t extreme(const qc_generation *g, uint64_t r)
{
    static const int64_t values[16] = {0,
                                       1,
                                       1 << 24,
                                       (1 << 24) + 1,
                                       (1 << 24) - 1,
                                       (1 << 25) + 1,
                                       1 << 30,
                                       INT32_MAX,
                                       (INT64_C(1) << 31) + 1,
                                       INT64_C(1) << 32,
                                       INT64_C(1) << 53,
                                       (INT64_C(1) << 53) + 1,
                                       INT64_C(1) << 62,
                                       (INT64_C(1) << 62) + 1,
                                       INT64_MAX,
                                       16908289};
    const uint64_t value = (uint64_t)values[r >> 50 & 15];
    const uint64_t bound = largest_of(g);
    const int64_t kept = (int64_t)(value < bound ? value : bound);
    return r >> 49 & 1 ? -kept - ((uint64_t)kept == bound) : kept; /* the lowest, too */
}

/* Any magnitude is as likely as another. */
static int64_t any_acc(const qc_generation *g, uint64_t r)
{
    const uint32_t bits = 8 * (uint32_t)g->bytes;
    const int64_t value =
        (int64_t)(qc_random_mix(r) >> (64 - bits) >> (1 + qc_random_below(r, bits - 1)));
    return r >> 63 ? -value : value;
}

/* Codes up to three grids beyond the ends. */
static int64_t beyond(const qc_generation *g, const qc_channel *channel, uint64_t r)
{
    const int64_t span = (int64_t)g->qmax - g->qmin;
    const int64_t far = (int64_t)qc_random_below(r, (uint32_t)span * 6);
    const int64_t end =
        r >> 33 & 1 ? 2 * (int64_t)g->qmax + far : 2 * (int64_t)g->qmin - far;
    return acc_at(g, channel, end - 2 * (int64_t)channel->whole);
}

uint64_t qc_element_acc_edges(const qc_generation *g, const qc_channel *channel,
                              int64_t i)
{
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    int64_t acc = r >> 63 ? factor_acc(channel, r) : 0;
    if (channel->scale > 0x1p12) { /* no tie but 0 lies in any grid */
        acc = r >> 62 & 1 ? extreme(g, r) : any_acc(g, r);
    }
    if (acc != 0) {
        return as_target(g, (uint64_t)acc);
    }
    switch (r >> 60) {
    case 0:
    case 1: acc = extreme(g, r); break;
    case 2: acc = any_acc(g, r); break;
    case 3:
    case 4: acc = beyond(g, channel, r); break;
    case 5: acc = acc_at(g, channel, 2 * pick_k(g, channel, r)); break;
    case 6:
    case 7: acc = tie(g, channel, (int64_t)(r & 15) - 8, r); break;
    default: acc = tie(g, channel, pick_k(g, channel, r), r);
    }
    return as_target(g, (uint64_t)acc);
}

/* Between the codes of the grid and a little beyond; a few of any size. */
uint64_t qc_element_accs(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const int64_t low = acc_at(g, channel, 2 * pick_k(g, channel, r));
    const int64_t step = acc_at(g, channel, 2);
    const uint64_t inside = step > 0 ? (r >> 20) % (uint64_t)step : 0;
    const int64_t acc = r >> 60 == 0 ? any_acc(g, r) : moved(g, low, (int64_t)inside);
    return as_target(g, (uint64_t)acc);
}
