/* SPDX-License-Identifier: Apache-2.0 */
/* The filtered path of requantize: integers alone, so that it answers everywhere.

   |acc| <= 2^63 and the multiplier is B * 2^e, B odd or 0, B < 2^53: P = |acc| * B fits 116
   bits, and |v| = P * 2^e. RNE is symmetric, so it is taken of |v| and the sign put back.
   e >= 0: |v| is an integer, and where P * 2^e may exceed the bound it is the bound.
   -e > 116: P < 2^116 <= 2^(-e) / 2, so RNE(|v|) = 0.
   Else the integer part and the rest are P's bits from -e on and below: the rest against
   half of 2^(-e) decides, and on it the parity.
   Narrow: where B < 2^31 and acc is s32, P < 2^62 and 64 bits do the same. */
#include <stdlib.h>

#include "filter.h"

typedef struct filter_acc {
    const qc_oracle *oracle;
    uint64_t whole; /* B */
    int exponent;   /* e */
    int is_narrow;
    int32_t shift;   /* the zero point */
    int64_t channel; /* -1: none */
} filter_acc;

static qc_status open_filter(qc_oracle *oracle, qc_message *message)
{
    qc_ideal ideal;
    if (!qc_ideal_match(oracle, &ideal)) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the filtered path knows only ideal's lists");
    }
    filter_acc *const filter = malloc(sizeof *filter);
    if (!filter) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    *filter = (filter_acc){.oracle = oracle, .channel = -1};
    oracle->state = filter;
    return QC_OK;
}

static void close_filter(qc_oracle *oracle)
{
    free(oracle->state);
}

/* B and e of an integer or float multiplier, without the shift. */
static void load_multiplier(filter_acc *filter, uint32_t dtype, uint64_t bits)
{
    double value;
    if (dtype == QC_S32) {
        filter->whole = bits;
        filter->exponent = 0;
    } else {
        qc_filter_widen(dtype, &bits, 1, &value);
        filter->whole = qc_filter_split(value, &filter->exponent);
    }
    if (filter->whole != 0) {
        const int trailing = __builtin_ctzll(filter->whole);
        filter->whole >>= trailing;
        filter->exponent += trailing;
    }
}

static void load_channel(filter_acc *filter, int64_t channel)
{
    const qc_oracle *const oracle = filter->oracle;
    const qc_tensor *const multiplier = &oracle->call->args[oracle->op->scale];
    const qc_tensor *const zp = &oracle->call->args[oracle->op->zero_point];
    if (filter->channel == channel) {
        return;
    }
    load_multiplier(filter, multiplier->dtype, qc_arg_bits(multiplier, channel));
    filter->exponent += qc_channel_shift(oracle, channel);
    filter->is_narrow = filter->whole < UINT64_C(1) << 31 &&
                        oracle->call->args[oracle->op->element].dtype == QC_S32;
    filter->shift = (int32_t)qc_arg_integer(zp, channel);
    filter->channel = channel;
}

/* min(RNE(P / 2^down), bound); 0 < down < 64. */
static int64_t round_narrow(uint64_t product, int down)
{
    const uint64_t half = UINT64_C(1) << (down - 1);
    const uint64_t kept = product >> down;
    const uint64_t rest = product & (half + half - 1);
    const uint64_t rounded = kept + (rest + (kept & 1) > half);
    return rounded < QC_FILTER_BOUND ? (int64_t)rounded : QC_FILTER_BOUND;
}

/* The same for any exponent. */
static int64_t round_wide(qc_u128 product, int exponent)
{
    if (product == 0 || exponent < -116) {
        return 0;
    }
    if (exponent >= 0) {
        const int is_beyond = exponent >= 21 || product >= QC_FILTER_BOUND;
        const qc_u128 whole = is_beyond ? QC_FILTER_BOUND : product << exponent;
        return whole < QC_FILTER_BOUND ? (int64_t)whole : QC_FILTER_BOUND;
    }
    const qc_u128 half = (qc_u128)1 << (-exponent - 1);
    const qc_u128 kept = product >> -exponent;
    const qc_u128 rest = product & (half + half - 1);
    const qc_u128 rounded = kept + (rest + (kept & 1) > half);
    return rounded < QC_FILTER_BOUND ? (int64_t)rounded : QC_FILTER_BOUND;
}

static qc_expected clamped(const qc_oracle *oracle, int64_t code)
{
    const int64_t low = code < oracle->qmin ? oracle->qmin : code;
    const int64_t inside = low > oracle->qmax ? oracle->qmax : low;
    return (qc_expected){(uint8_t)inside, QC_EXPECT_VALUE};
}

static void expect_narrow(const filter_acc *filter, const qc_block *block,
                          qc_expected *expected_ret)
{
    const uint64_t whole = filter->whole;
    const int down = -filter->exponent;
    const int32_t zp = filter->shift;
    for (int64_t i = 0; i < block->count; i++) {
        const int64_t acc = (int32_t)(uint32_t)block->bits[i];
        const int64_t sign = acc >> 63;
        const int64_t rounded =
            round_narrow((uint64_t)((acc ^ sign) - sign) * whole, down);
        expected_ret[i] = clamped(filter->oracle, ((rounded ^ sign) - sign) + zp);
    }
}

static void expect_wide(const filter_acc *filter, const qc_block *block, uint32_t dtype,
                        qc_expected *expected_ret)
{
    for (int64_t i = 0; i < block->count; i++) {
        const int64_t acc =
            dtype == QC_S32 ? (int32_t)(uint32_t)block->bits[i] : (int64_t)block->bits[i];
        const uint64_t magnitude = acc < 0 ? -(uint64_t)acc : (uint64_t)acc;
        const int64_t rounded =
            round_wide((qc_u128)magnitude * filter->whole, filter->exponent);
        expected_ret[i] =
            clamped(filter->oracle, (acc < 0 ? -rounded : rounded) + filter->shift);
    }
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    filter_acc *const filter = oracle->state;
    const uint32_t dtype = oracle->call->args[oracle->op->element].dtype;
    qc_block block;
    (void)arg; /* the op has one output */
    for (int64_t done = 0; done < count; done += block.count) {
        qc_block_load(oracle, first + done, count - done, &block);
        load_channel(filter, block.channel);
        if (filter->is_narrow && filter->exponent < 0 && filter->exponent > -64) {
            expect_narrow(filter, &block, expected_ret + done);
        } else {
            expect_wide(filter, &block, dtype, expected_ret + done);
        }
    }
}

const qc_engine qc_engine_filter_acc = {open_filter, close_filter, expect};
