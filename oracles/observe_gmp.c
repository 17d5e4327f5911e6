/* SPDX-License-Identifier: Apache-2.0 */
/* observe by integers, ideal's lists (R5 to R8). The order of values is that of their bits,
   read as sign and magnitude; the average is one dyadic sum, rounded once. */
#include <stdlib.h>
#include <string.h>

#include "gmp_number.h"
#include "ranges.h"

typedef struct observer {
    int is_average;
    unsigned width;    /* bits of x */
    uint64_t infinity; /* as bits */
    qc_dyadic v, c, old, spare;
} observer;

static qc_status open_observer(qc_oracle *oracle, qc_message *message)
{
    const qc_ranges_list list = qc_ranges_match(oracle);
    if (list == QC_RANGES_OTHER) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the integer path knows only ideal's lists");
    }
    observer *const o = malloc(sizeof *o);
    uint64_t bits;
    if (!o) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    o->is_average = list == QC_RANGES_AVERAGE;
    o->width = 8u * (unsigned)qc_dtype_bytes(oracle->own);
    o->infinity = oracle->own == QC_F64   ? UINT64_C(0x7ff) << 52
                  : oracle->own == QC_F32 ? UINT64_C(0xff) << 23
                  : oracle->own == QC_F16 ? UINT64_C(0x1f) << 10
                                          : UINT64_C(0xff) << 7;
    qc_dyadic_init(&o->v);
    qc_dyadic_init(&o->c);
    qc_dyadic_init(&o->old);
    qc_dyadic_init(&o->spare);
    memcpy(&bits, &oracle->call->attrs.averaging, sizeof bits);
    qc_dyadic_decode(&o->c, QC_F64, bits);
    oracle->state = o;
    return QC_OK;
}

static void close_observer(qc_oracle *oracle)
{
    observer *const o = oracle->state;
    qc_dyadic_clear(&o->v);
    qc_dyadic_clear(&o->c);
    qc_dyadic_clear(&o->old);
    qc_dyadic_clear(&o->spare);
    free(o);
}

static uint64_t magnitude(const observer *o, uint64_t bits)
{
    return bits & ((UINT64_C(1) << (o->width - 1)) - 1);
}

/* Place on the line of values: zeros of either sign are one. */
static int64_t place(const observer *o, uint64_t bits)
{
    const int64_t size = (int64_t)magnitude(o, bits);
    return bits >> (o->width - 1) & 1 ? -size : size;
}

/* 1 and the bits of the batch's least (greatest) value. */
static int extreme(const qc_oracle *oracle, int64_t channel, int is_min,
                   uint64_t *bits_ret)
{
    const observer *const o = oracle->state;
    const qc_tensor *const x = &oracle->call->args[QC_ARG_OF(observe, x)];
    int found = 0;
    for (int64_t at = -1; qc_ranges_next(oracle, channel, &at);) {
        const uint64_t bits = qc_arg_bits(x, at);
        if (magnitude(o, bits) > o->infinity) {
            continue;
        }
        const int64_t here = place(o, bits);
        if (!found ||
            (is_min ? here < place(o, *bits_ret) : here > place(o, *bits_ret))) {
            *bits_ret = bits;
        }
        found = 1;
    }
    return found;
}

/* old + c (v - old). */
static uint64_t averaged(const qc_oracle *oracle, uint64_t old, uint64_t bits)
{
    observer *const o = oracle->state;
    qc_dyadic_decode(&o->v, oracle->own, bits);
    qc_dyadic_decode(&o->old, oracle->own, old);
    qc_dyadic_sub(&o->v, &o->old, &o->spare);
    qc_dyadic_mul(&o->v, &o->v, &o->c);
    mpz_neg(o->old.whole, o->old.whole);
    qc_dyadic_sub(&o->v, &o->old, &o->spare);
    return qc_dyadic_round(&o->v, oracle->own, &o->spare);
}

static qc_expected expect_one(const qc_oracle *oracle, uint32_t arg, int64_t channel)
{
    const observer *const o = oracle->state;
    const int is_min = arg == QC_ARG_OF(observe, min);
    const int has_old = qc_ranges_has_state(oracle);
    const uint64_t old = has_old ? qc_arg_bits(qc_ranges_old(oracle, arg), channel) : 0;
    uint64_t bits = 0;
    const int found = extreme(oracle, channel, is_min, &bits);
    if (!found) {
        bits = old;
    } else if (has_old && o->is_average) {
        if (magnitude(o, old) == o->infinity || magnitude(o, bits) == o->infinity) {
            return (qc_expected){0, QC_EXPECT_UNDEFINED};
        }
        bits = averaged(oracle, old, bits);
    } else if (has_old) {
        const int keeps =
            is_min ? place(o, old) < place(o, bits) : place(o, old) > place(o, bits);
        bits = keeps ? old : bits;
    }
    return (qc_expected){magnitude(o, bits) ? bits : 0, QC_EXPECT_VALUE};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    for (int64_t i = 0; i < count; i++) {
        expected_ret[i] = expect_one(oracle, arg, first + i);
    }
}

const qc_engine qc_engine_observe_gmp = {open_observer, close_observer, expect};
