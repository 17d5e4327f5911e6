/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges, states and batches that bite. Families come in a fixed cycle over (stream, i). */
#include <math.h>

#include "ranges.h"

typedef enum family {
    SYMMETRIC, /* [-a, a]: zero points next to a half (L30) */
    KNOWN,     /* the short ranges of the reports */
    POSITIVE,  /* zero has to be taken in (L33) */
    NEGATIVE,
    ZERO, /* of either sign (L34) */
    POINT,
    TIE,  /* exact ties (L31) */
    NEAR, /* zero points next to other halves */
    TINY, /* subnormal ends and scales */
    HUGE,
    WIDE, /* ends of very different size */
    ANY
} family;

static const uint8_t cycle[32] = {
    SYMMETRIC, TIE,       ZERO, POSITIVE, NEAR, KNOWN, TINY,     TIE,
    NEGATIVE,  SYMMETRIC, WIDE, TIE,      ANY,  ZERO,  HUGE,     TIE,
    SYMMETRIC, NEAR,      ANY,  POSITIVE, TIE,  POINT, TINY,     NEAR,
    SYMMETRIC, TIE,       ZERO, KNOWN,    WIDE, TIE,   NEGATIVE, ANY};

static const double known[8][2] = {{-1, 1},       {-3, 3},       {-0.1, 0.1},
                                   {-0.07, 0.27}, {-0.01, 0.09}, {-1e-6, 1e-6},
                                   {0, 1e-6},     {-0.6, 0.9}};

static family family_of(const qc_generation *g, int64_t i)
{
    return (family)cycle[(g->stream * 7 + (uint64_t)i) & 31];
}

/* Random bits that both ends of range i share. */
static uint64_t shared(const qc_generation *g, int64_t i)
{
    return qc_random_of(g->shared_key, (uint64_t)i);
}

/* The largest end: no scale beyond its dtype. */
static double most(const qc_generation *g)
{
    const uint32_t arg = qc_arg_find(g->item->call.op, "scale");
    const int is_f64 = arg < QC_MAX_ARGS && g->item->call.args[arg].dtype == QC_F64;
    const double limit = is_f64 ? 0x1p1000 : 0x1p126;
    return g->largest < limit ? g->largest : limit;
}

static double smallest(const qc_generation *g)
{
    return qc_bits_to_double(g->target->dtype, 1);
}

static int middle_exponent(const qc_generation *g, uint64_t r)
{
    return g->target->dtype == QC_F16 ? (int)(r >> 40 & 7) - 6 : (int)(r >> 40 & 31) - 16;
}

/* Batches and states of one case are of like size, so that both count in an average. */
static int batch_exponent(const qc_generation *g, uint64_t r)
{
    const int base = g->target->dtype == QC_F16 ? (int)(g->stream % 8) - 6
                                                : (int)(g->stream % 31) - 15;
    return base + (int)(r >> 40 & 1);
}

/* A number of 1 ... 2 with all the bits that a double has. */
static double mantissa(uint64_t r)
{
    return 1 + (double)(r >> 12) * 0x1p-52;
}

static uint64_t to_bits(const qc_generation *g, double value)
{
    const double limit = most(g);
    return qc_bits_of_double(g->target->dtype, fmin(fmax(value, -limit), limit));
}

/* 2k + 1 for a tie of the zero point; bf16 holds but one of the wider grids (L31). */
static double odd_of(const qc_generation *g, uint64_t r)
{
    const int32_t steps = g->qmax - g->qmin;
    const int32_t span = steps > 0 ? steps : 1;
    const int32_t k = (int32_t)qc_random_below(r, (uint32_t)span);
    return g->target->dtype == QC_BF16 && span > 127 ? span : 2 * k + 1;
}

static double wide_end(const qc_generation *g, uint64_t r)
{
    return g->target->dtype == QC_F16 ? 0x1p-20 * mantissa(r) : 0x1p-40 * mantissa(r);
}

uint64_t qc_element_range_min(const qc_generation *g, const qc_channel *channel,
                              int64_t i)
{
    (void)channel;
    const uint64_t r = shared(g, i);
    const double unit = ldexp(1, middle_exponent(g, r));
    const double a = unit * mantissa(qc_random_mix(r));
    switch (family_of(g, i)) {
    case KNOWN: return to_bits(g, known[r >> 50 & 7][0]);
    case POSITIVE: return to_bits(g, a);
    case NEGATIVE: return to_bits(g, -a * (3 + (double)(r >> 60)));
    case ZERO: return to_bits(g, r >> 60 & 1 ? -0.0 : 0.0);
    case POINT: return to_bits(g, r >> 60 & 1 ? -a : a);
    case TIE: return to_bits(g, -odd_of(g, r) / 2 * unit);
    case NEAR: return to_bits(g, -odd_of(g, r) / 2 * a);
    case TINY: return to_bits(g, -smallest(g) * (double)(r >> 54));
    case HUGE: return to_bits(g, -most(g) * (double)(r >> 56) * 0x1p-8);
    case WIDE: return to_bits(g, r >> 60 & 1 ? -wide_end(g, r) : -a * 1000);
    case ANY: return to_bits(g, -a * (double)(qc_random_mix(r + 1) >> 56));
    default: return to_bits(g, -a);
    }
}

static double min_at(const qc_generation *g, const char *name, int64_t i)
{
    const qc_tensor *const min = &g->item->call.args[qc_arg_find(g->item->call.op, name)];
    return qc_bits_to_double(min->dtype, qc_bits_load(min, qc_tensor_at(min, i)));
}

static double max_of(const qc_generation *g, int64_t i, double min)
{
    const uint64_t r = shared(g, i);
    const double unit = ldexp(1, middle_exponent(g, r));
    const double steps = g->qmax - g->qmin;
    switch (family_of(g, i)) {
    case KNOWN: return known[r >> 50 & 7][1];
    case POSITIVE: return min * (2 + (double)(r >> 60));
    case NEGATIVE: return min / (2 + (double)(r >> 61));
    case ZERO: return r >> 61 & 1 ? -0.0 : 0.0;
    case POINT: return min;
    case TIE: return min + steps * unit;
    case NEAR: return min - min / odd_of(g, r) * 2 * steps;
    case TINY: return smallest(g) * (double)(qc_random_mix(r) >> 54);
    case HUGE: return most(g) * (double)(r >> 48 & 255) * 0x1p-8;
    case WIDE: return r >> 60 & 1 ? unit * 1000 * mantissa(r) : wide_end(g, r);
    case ANY: return unit * (double)(qc_random_mix(r + 2) >> 40) * 0x1p-18;
    default: return -min;
    }
}

uint64_t qc_element_range_max(const qc_generation *g, const qc_channel *channel,
                              int64_t i)
{
    (void)channel;
    const double min = min_at(g, "min", i);
    const double max = qc_bits_to_double(g->target->dtype, to_bits(g, max_of(g, i, min)));
    return to_bits(g, max < min ? min : max);
}

/* Batches: what a whole case is like follows from its stream. */
typedef enum batch {
    PLAIN,
    ONE_NAN, /* one lane */
    MANY_NAN,
    ALL_NAN,
    ZEROS,
    INFINITE,
    ABOVE, /* all positive */
    BELOW
} batch;

static const uint8_t batches[16] = {
    PLAIN, MANY_NAN, ABOVE,    MANY_NAN, BELOW, ZEROS,   INFINITE, ONE_NAN,
    PLAIN, ABOVE,    MANY_NAN, ONE_NAN,  BELOW, ALL_NAN, PLAIN,    MANY_NAN};

/* Quiet and signalling, of both signs, with any payload. */
static uint64_t nan_bits(const qc_generation *g, uint64_t r)
{
    const uint64_t infinity = ((UINT64_C(1) << g->layout.exponent_bits) - 1)
                              << g->layout.fraction_bits;
    const uint64_t payload = r & ((UINT64_C(1) << g->layout.fraction_bits) - 1);
    const uint64_t sign = (r >> 60 & 1)
                          << (g->layout.exponent_bits + g->layout.fraction_bits);
    return sign | infinity | (payload ? payload : 1);
}

uint64_t qc_element_batch(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const int64_t elems = qc_tensor_elems(g->target);
    const batch kind = (batch)batches[g->stream & 15];
    const double a = ldexp(mantissa(qc_random_mix(r)), batch_exponent(g, r));
    const double value = kind == ABOVE || (kind != BELOW && r >> 63) ? a : -a;
    const int is_lane = elems > 0 && i == (int64_t)(g->stream / 3 % (uint64_t)elems);
    const int is_nan = (kind == ONE_NAN && is_lane) ||
                       (kind == MANY_NAN && r >> 61 < 3) || kind == ALL_NAN;
    if (is_nan && g->nonfinite) {
        return nan_bits(g, qc_random_mix(r + 3));
    }
    /* An average with an infinity has no value: few of those. */
    const int joins = g->item->call.attrs.observer == QC_OBSERVER_min_max;
    const int has_infinities = kind == INFINITE || (joins && g->stream % 3 == 1);
    if (has_infinities && g->nonfinite && (r >> 56 & 15) == 0) {
        return qc_bits_of_double(g->target->dtype, r >> 63 ? INFINITY : -INFINITY);
    }
    return qc_bits_of_double(g->target->dtype,
                             kind == ZEROS ? copysign(0, value) : value);
}

uint64_t qc_element_state_min(const qc_generation *g, const qc_channel *channel,
                              int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const double a = ldexp(mantissa(r), batch_exponent(g, r));
    switch ((g->stream + (uint64_t)i) % 16) {
    case 2: return to_bits(g, a); /* above zero */
    case 5: return qc_bits_of_double(g->target->dtype, g->nonfinite ? -INFINITY : -a);
    case 7: return to_bits(g, -0.0);
    case 9: return to_bits(g, -g->largest);
    case 12: return to_bits(g, -smallest(g));
    default: return to_bits(g, -a);
    }
}

uint64_t qc_element_state_max(const qc_generation *g, const qc_channel *channel,
                              int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const double min = min_at(g, "old_min", i);
    const double a = ldexp(mantissa(r), batch_exponent(g, r));
    const uint64_t kind = (g->stream + (uint64_t)i * 5) % 16;
    const double wanted = kind == 3 ? min : kind == 6 ? 0.0 : kind == 9 ? g->largest : a;
    if (kind == 11 && g->nonfinite) {
        return qc_bits_of_double(g->target->dtype, INFINITY);
    }
    const double max = qc_bits_to_double(g->target->dtype, to_bits(g, wanted));
    return qc_bits_of_double(g->target->dtype, max < min ? min : max);
}
