/* SPDX-License-Identifier: Apache-2.0 */
/* The second path of linear, for ideal's lists: integers alone.

   The code of v = num/den is qmin and one for each tie k + 1/2 of the grid that v rounds
   above: 2 num against (2k + 1) den, a sign of A 2^a - B 2^b. num is x_scale w_scale S +
   bias, or (S + bias) M; den is out_scale, or 1. */
#include <stdlib.h>

#include "gmp_number.h"
#include "linear.h"

typedef struct integers {
    const qc_oracle *oracle;
    qc_linear linear;
    qc_dyadic num;
    qc_dyadic den;
    qc_dyadic factor;
    qc_dyadic right;
    qc_dyadic spare;
    mpz_t product;
} integers;

static void each(integers *state, void (*apply)(qc_dyadic *))
{
    apply(&state->num);
    apply(&state->den);
    apply(&state->factor);
    apply(&state->right);
    apply(&state->spare);
}

static qc_status open_integers(qc_oracle *oracle, qc_message *message)
{
    if (!qc_linear_is_ideal(oracle)) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the integer path knows only ideal's lists");
    }
    integers *const state = malloc(sizeof *state);
    if (!state) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    state->oracle = oracle;
    qc_linear_view(oracle->call, &state->linear);
    each(state, qc_dyadic_init);
    mpz_init(state->product);
    oracle->state = state;
    return QC_OK;
}

static void close_integers(qc_oracle *oracle)
{
    integers *const state = oracle->state;
    each(state, qc_dyadic_clear);
    mpz_clear(state->product);
    free(state);
}

static void add_product(integers *state, int64_t a, int64_t b)
{
    mpz_set_si(state->product, a);
    mpz_mul_si(state->product, state->product, b);
    mpz_add(state->num.whole, state->num.whole, state->product);
}

/* By parts, of raw codes, the zero points last:
   sum x w - z_w sum x - z_x sum w + K z_x z_w. */
static void sum(integers *state, int64_t m, int64_t n)
{
    const qc_linear *const l = &state->linear;
    const int32_t x_zp = qc_linear_integer(l->x_zp, 0);
    const int32_t w_zp = qc_linear_integer(l->w_zp, n);
    int64_t products = 0;
    int64_t x_sum = 0;
    int64_t w_sum = 0;
    for (int64_t k = 0; k < l->count; k++) {
        const int32_t x = qc_linear_code(l->x, m, k);
        const int32_t w = qc_linear_code(l->w, n, k);
        products += x * w;
        x_sum += x;
        w_sum += w;
    }
    qc_dyadic_set(&state->num, products);
    add_product(state, -x_sum, w_zp);
    add_product(state, -w_sum, x_zp);
    add_product(state, (int64_t)x_zp * w_zp, l->count);
}

static void scale(integers *state, int f, int64_t n)
{
    const qc_tensor *const t = state->linear.factor[f];
    if (t) {
        qc_dyadic_decode(&state->factor, t->dtype, qc_linear_bits(t, n));
        qc_dyadic_mul(&state->num, &state->num, &state->factor);
    }
}

static void add_bias(integers *state, int64_t n)
{
    const qc_tensor *const bias = state->linear.bias;
    qc_dyadic_decode(&state->factor, bias->dtype, qc_linear_bits(bias, n));
    mpz_neg(state->factor.whole, state->factor.whole);
    qc_dyadic_sub(&state->num, &state->factor, &state->spare);
}

/* num and den of output (m, n). */
static void load(integers *state, int64_t m, int64_t n)
{
    const qc_linear *const l = &state->linear;
    sum(state, m, n);
    if (l->bias && !l->bias_is_real) {
        add_bias(state, n);
    }
    scale(state, 0, n);
    scale(state, 1, n);
    if (l->shift) {
        state->num.exponent += qc_linear_integer(l->shift, n);
    }
    if (l->bias && l->bias_is_real) {
        add_bias(state, n);
    }
    qc_dyadic_set(&state->den, 1);
    if (l->factor[2]) {
        qc_dyadic_decode(&state->den, l->factor[2]->dtype,
                         qc_linear_bits(l->factor[2], n));
    }
}

/* 1 when num/den rounds to k + 1 or above; num has been doubled. */
static int rounds_above(integers *state, int32_t k)
{
    qc_dyadic_set(&state->right, 2 * (int64_t)k + 1);
    qc_dyadic_mul(&state->right, &state->right, &state->den);
    const int side = qc_dyadic_compare(&state->num, &state->right, &state->spare);
    return side > 0 || (side == 0 && k % 2 != 0);
}

static uint64_t code(integers *state)
{
    const qc_oracle *const oracle = state->oracle;
    const qc_tensor *const zp = &oracle->call->args[oracle->op->zero_point];
    const int32_t z = (int32_t)qc_arg_integer(zp, 0);
    int32_t k = oracle->qmin - z;
    int32_t high = oracle->qmax - z;
    state->num.exponent++;
    while (k < high) {
        const int32_t middle = k + (high - k) / 2;
        if (rounds_above(state, middle)) {
            k = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint8_t)(k + z);
}

static qc_expected accumulator(integers *state)
{
    const mpz_srcptr whole = state->num.whole;
    if (state->oracle->call->args[state->oracle->op->element].dtype == QC_S64) {
        return (qc_expected){(uint64_t)mpz_get_si(whole), mpz_fits_slong_p(whole)
                                                              ? QC_EXPECT_VALUE
                                                              : QC_EXPECT_UNDEFINED};
    }
    const int fits =
        mpz_cmp_si(whole, INT32_MIN) >= 0 && mpz_cmp_si(whole, INT32_MAX) <= 0;
    return (qc_expected){fits ? (uint32_t)mpz_get_si(whole) : 0,
                         fits ? QC_EXPECT_VALUE : QC_EXPECT_UNDEFINED};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    integers *const state = oracle->state;
    const uint32_t role = oracle->op->roles[arg];
    for (int64_t i = 0; i < count; i++) {
        load(state, (first + i) / state->linear.columns,
             (first + i) % state->linear.columns);
        if (role == QC_ROLE_NONE) {
            expected_ret[i] = accumulator(state);
        } else {
            expected_ret[i].kind = QC_EXPECT_VALUE;
            expected_ret[i].bits =
                role == QC_ROLE_CODE
                    ? code(state)
                    : qc_dyadic_round(&state->num, oracle->own, &state->spare);
        }
    }
}

const qc_engine qc_engine_linear_gmp = {open_integers, close_integers, expect};
