/* SPDX-License-Identifier: Apache-2.0 */
/* The second path, for ideal's lists: integers alone, no division, nothing to prove about
   precision. v rounds to k+1 or above exactly when it lies above the tie k + 1/2, or on
   it with k odd, and v against a tie is the sign of an integer A * 2^a - B * 2^b:

     divide    x/s + z  against h/2:   2x    against (h - 2z) * s      (s > 0)
     multiply  x*s + z  against h/2:   2x*s  against  h - 2z

   with h = 2k + 1, and z only where it is added before rounding. Real bounds are the same
   question with h = 2k. */
#include <stdlib.h>

#include "engine.h"
#include "gmp_number.h"

typedef struct integers {
    const qc_oracle *oracle;
    qc_ideal ideal;
    qc_dyadic scale;
    qc_dyadic zp_twice; /* 2z where z is inside the rounding, else 0 */
    qc_dyadic zp;
    qc_dyadic left;  /* 2x, or 2x * s */
    qc_dyadic right; /* the tie's side */
    qc_dyadic value;
    qc_dyadic spare;
    int32_t shift;   /* z where it is added after rounding, else 0 */
    int64_t channel; /* -1: none */
} integers;

static void each(integers *state, void (*apply)(qc_dyadic *))
{
    apply(&state->scale);
    apply(&state->zp_twice);
    apply(&state->zp);
    apply(&state->left);
    apply(&state->right);
    apply(&state->value);
    apply(&state->spare);
}

static qc_status open_integers(qc_oracle *oracle, qc_message *message)
{
    qc_ideal ideal;
    if (!qc_ideal_match(oracle, &ideal) || ideal.bounds) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the integer path knows only ideal's lists");
    }
    integers *const state = malloc(sizeof *state);
    if (!state) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    *state = (integers){.oracle = oracle, .ideal = ideal, .channel = -1};
    each(state, qc_dyadic_init);
    oracle->state = state;
    return QC_OK;
}

static void close_integers(qc_oracle *oracle)
{
    each(oracle->state, qc_dyadic_clear);
    free(oracle->state);
}

static void load_channel(integers *state, int64_t channel)
{
    const qc_oracle *const oracle = state->oracle;
    const qc_tensor *const scale = &oracle->call->args[oracle->op->scale];
    const qc_tensor *const zp = &oracle->call->args[oracle->op->zero_point];
    if (state->channel == channel) {
        return;
    }
    qc_dyadic_decode(&state->scale, scale->dtype, qc_arg_bits(scale, channel));
    state->scale.exponent += qc_channel_shift(oracle, channel);
    qc_dyadic_decode(&state->zp, zp->dtype, qc_arg_bits(zp, channel));
    qc_dyadic_set(&state->zp_twice, 0);
    state->shift = 0;
    if (state->ideal.zp_first) {
        mpz_set(state->zp_twice.whole, state->zp.whole);
        state->zp_twice.exponent = state->zp.exponent + 1;
    } else if (state->ideal.to_code) {
        state->shift = (int32_t)qc_arg_integer(zp, channel);
    }
    state->channel = channel;
}

static void load_left(integers *state)
{
    if (state->ideal.multiply) {
        qc_dyadic_mul(&state->left, &state->left, &state->scale);
    }
    state->left.exponent++;
}

/* The sign of v - h/2. */
static int side_of(integers *state, int64_t h)
{
    qc_dyadic_set(&state->right, h);
    qc_dyadic_sub(&state->right, &state->zp_twice, &state->spare);
    if (!state->ideal.multiply) {
        qc_dyadic_mul(&state->right, &state->right, &state->scale);
    }
    return qc_dyadic_compare(&state->left, &state->right, &state->spare);
}

/* 1 when v rounds to k+1 or above. */
static int rounds_above(integers *state, int32_t k)
{
    const int side = side_of(state, 2 * (int64_t)k + 1);
    return side > 0 || (side == 0 && k % 2 != 0);
}

/* The code after the clamp: qmin and one for each tie of the grid that v rounds above. */
static int32_t clamped_code(integers *state)
{
    int32_t low = state->oracle->qmin - state->shift;
    int32_t high = state->oracle->qmax - state->shift;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (rounds_above(state, middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low + state->shift;
}

static int lies_in_grid(integers *state)
{
    if (state->ideal.real_bounds) {
        return side_of(state, 2 * (int64_t)state->oracle->qmin) >= 0 &&
               side_of(state, 2 * (int64_t)state->oracle->qmax) <= 0;
    }
    return rounds_above(state, state->oracle->qmin - state->shift - 1) &&
           !rounds_above(state, state->oracle->qmax - state->shift);
}

/* RN_T((code - z) * s). */
static uint64_t real_of(integers *state)
{
    qc_dyadic_sub(&state->value, &state->zp, &state->spare);
    qc_dyadic_mul(&state->value, &state->value, &state->scale);
    return qc_dyadic_round(&state->value, state->oracle->own, &state->spare);
}

static qc_expected nan_result(uint32_t role)
{
    return (qc_expected){0,
                         role == QC_ROLE_MASK ? QC_EXPECT_VALUE : QC_EXPECT_CONSISTENT};
}

static qc_expected expect_one(integers *state, uint64_t bits, uint32_t role)
{
    const qc_oracle *const oracle = state->oracle;
    const uint32_t dtype = oracle->call->args[oracle->op->element].dtype;
    if (!state->ideal.to_code) {
        qc_dyadic_decode(&state->value, dtype, bits);
        return (qc_expected){real_of(state), QC_EXPECT_VALUE};
    }
    const qc_bits_class class = qc_dyadic_decode(&state->left, dtype, bits);
    int32_t code;
    if (class == QC_BITS_NAN) {
        return nan_result(role);
    }
    if (class == QC_BITS_INFINITE) {
        code = mpz_sgn(state->left.whole) > 0 ? oracle->qmax : oracle->qmin;
    } else {
        load_left(state);
        code = role == QC_ROLE_MASK ? lies_in_grid(state) : clamped_code(state);
    }
    if (role == QC_ROLE_MASK) {
        return (qc_expected){class == QC_BITS_FINITE && code, QC_EXPECT_VALUE};
    }
    if (role == QC_ROLE_CODE) {
        return (qc_expected){(uint8_t)code, QC_EXPECT_VALUE};
    }
    qc_dyadic_set(&state->value, code);
    return (qc_expected){real_of(state), QC_EXPECT_VALUE};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    integers *const state = oracle->state;
    qc_block block;
    for (int64_t done = 0; done < count; done += block.count) {
        qc_block_load(oracle, first + done, count - done, &block);
        load_channel(state, block.channel);
        for (int64_t i = 0; i < block.count; i++) {
            expected_ret[done + i] =
                expect_one(state, block.bits[i], oracle->op->roles[arg]);
        }
    }
}

const qc_engine qc_engine_gmp = {open_integers, close_integers, expect};
