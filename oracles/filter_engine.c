/* SPDX-License-Identifier: Apache-2.0 */
/* The filtered path over elements. */
#include <stdlib.h>
#include <string.h>

#include "filter.h"

static double real_of(uint32_t dtype, uint64_t bits)
{
    double value;
    qc_filter_widen(dtype, &bits, 1, &value);
    return value;
}

static int has_24_bits(uint32_t dtype)
{
    return dtype != QC_F64;
}

static qc_status open_filter(qc_oracle *oracle, qc_message *message)
{
    const qc_call *const call = oracle->call;
    qc_ideal ideal;
    if (!qc_ideal_match(oracle, &ideal)) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the filtered path knows only ideal's lists");
    }
    qc_filter *const filter = malloc(sizeof *filter);
    if (!filter) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    *filter = (qc_filter){
        .oracle = oracle,
        .ideal = ideal,
        .is_narrow = has_24_bits(call->args[oracle->op->element].dtype) &&
                     has_24_bits(call->args[oracle->op->scale].dtype),
        .channel = -1,
    };
    oracle->state = filter;
    return QC_OK;
}

static void close_filter(qc_oracle *oracle)
{
    free(oracle->state);
}

static void load_channel(qc_filter *filter, int64_t channel)
{
    const qc_oracle *const oracle = filter->oracle;
    const qc_tensor *const scale = &oracle->call->args[oracle->op->scale];
    const qc_tensor *const zp = &oracle->call->args[oracle->op->zero_point];
    if (filter->channel == channel) {
        return;
    }
    filter->scale = real_of(scale->dtype, qc_arg_bits(scale, channel));
    filter->zp = oracle->float_zp ? real_of(zp->dtype, qc_arg_bits(zp, channel))
                                  : (double)qc_arg_integer(zp, channel);
    qc_filter_set_unit(filter);
    filter->shift =
        filter->ideal.to_code && !filter->ideal.zp_first ? (int32_t)filter->zp : 0;
    filter->channel = channel;
}

static int32_t clamp(int32_t code, int32_t lowest, int32_t highest)
{
    return code < lowest ? lowest : code > highest ? highest : code;
}

static int is_mark(int32_t rounded)
{
    return rounded == QC_FILTER_NAN || rounded == QC_FILTER_UNKNOWN;
}

/* Rounded quotients to clamped codes, in place; marks become any code. 1: there are
 * marks. */
static int clamp_codes(const qc_filter *filter, int64_t count, const int32_t *rounded,
                       int32_t *codes_ret)
{
    const qc_oracle *const oracle = filter->oracle;
    /* A mark less the shift would overflow: the clamp goes first, to [qmin, qmax] -
     * shift. */
    const int32_t lowest = oracle->qmin - filter->shift;
    const int32_t highest = oracle->qmax - filter->shift;
    int marks = 0;
    for (int64_t i = 0; i < count; i++) {
        marks |= is_mark(rounded[i]);
        codes_ret[i] = clamp(rounded[i], lowest, highest) + filter->shift;
    }
    return marks;
}

/* Overwrites what marks made of their elements. */
static void set_marks(const int32_t *rounded, int64_t count, qc_expected *expected_ret)
{
    for (int64_t i = 0; i < count; i++) {
        if (rounded[i] == QC_FILTER_NAN) {
            expected_ret[i] = (qc_expected){0, QC_EXPECT_CONSISTENT};
        } else if (rounded[i] == QC_FILTER_UNKNOWN) {
            expected_ret[i] = (qc_expected){0, QC_EXPECT_UNKNOWN};
        }
    }
}

static void set_masks(const qc_filter *filter, const int32_t *rounded, int64_t count,
                      qc_expected *expected_ret)
{
    const int32_t lowest = filter->oracle->qmin - filter->shift;
    const int32_t highest = filter->oracle->qmax - filter->shift;
    for (int64_t i = 0; i < count; i++) {
        /* NaN's mark is below every grid, and infinities stand at the bound: 0. */
        const int holds = rounded[i] >= lowest && rounded[i] <= highest;
        const int is_known = rounded[i] != QC_FILTER_UNKNOWN;
        expected_ret[i] = (qc_expected){(uint64_t)holds,
                                        is_known ? QC_EXPECT_VALUE : QC_EXPECT_UNKNOWN};
    }
}

static void expect_block(const qc_filter *filter, const qc_block *block, uint32_t role,
                         qc_expected *expected_ret)
{
    const qc_oracle *const oracle = filter->oracle;
    const uint32_t dtype = oracle->call->args[oracle->op->element].dtype;
    const int64_t count = block->count;
    int32_t codes[QC_BLOCK_ELEMS];
    if (!filter->ideal.to_code) {
        for (int64_t i = 0; i < count; i++) {
            codes[i] = dtype == QC_S8 ? (int8_t)block->bits[i] : (uint8_t)block->bits[i];
        }
        qc_filter_values(filter, codes, count, expected_ret);
        return;
    }
    double x[QC_BLOCK_ELEMS];
    int32_t rounded[QC_BLOCK_ELEMS];
    qc_filter_widen(dtype, block->bits, count, x);
    if (filter->ideal.bounds) {
        qc_filter_typed_masks(filter, x, count, expected_ret);
        return;
    }
    if (filter->ideal.real_bounds) {
        qc_filter_real_masks(filter, x, count, expected_ret);
        return;
    }
    qc_filter_round(filter, x, count, rounded);
    if (role == QC_ROLE_MASK) {
        set_masks(filter, rounded, count, expected_ret);
        return;
    }
    const int marks = clamp_codes(filter, count, rounded, codes);
    if (role == QC_ROLE_VALUE) {
        qc_filter_values(filter, codes, count, expected_ret);
    } else {
        for (int64_t i = 0; i < count; i++) {
            expected_ret[i].bits = (uint8_t)codes[i];
            expected_ret[i].kind = QC_EXPECT_VALUE;
        }
    }
    if (marks) {
        set_marks(rounded, count, expected_ret);
    }
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    qc_filter *const filter = oracle->state;
    qc_block block;
    for (int64_t done = 0; done < count; done += block.count) {
        qc_block_load(oracle, first + done, count - done, &block);
        load_channel(filter, block.channel);
        expect_block(filter, &block, oracle->op->roles[arg], expected_ret + done);
    }
}

const qc_engine qc_engine_filter = {open_filter, close_filter, expect};
