/* SPDX-License-Identifier: Apache-2.0 */
/* choose_qparams by integers, ideal's lists (R1, R2). The scale: the quotient of integers,
   cut off 256 bits below the range's own last bit, with a last bit that says whether
   anything was left; no rounding can tell it from the quotient. The zero point: the floor of
   (2 (qmin s - lo) + s) / 2s, whose remainder says whether it is a tie. */
#include <stdlib.h>

#include "gmp_number.h"
#include "ranges.h"

enum { EXTRA_BITS = 256 };

typedef struct range {
    int is_symmetric;
    qc_dyadic lo, hi, v, s, spare;
    mpz_t whole, rest;
} range;

static qc_status open_range(qc_oracle *oracle, qc_message *message)
{
    const qc_ranges_list list = qc_ranges_match(oracle);
    if (list == QC_RANGES_OTHER || list == QC_RANGES_DOCUMENTED) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "the integer path knows only ideal's lists");
    }
    range *const r = malloc(sizeof *r);
    if (!r) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    r->is_symmetric = list == QC_RANGES_SYMMETRIC;
    qc_dyadic_init(&r->lo);
    qc_dyadic_init(&r->hi);
    qc_dyadic_init(&r->v);
    qc_dyadic_init(&r->s);
    qc_dyadic_init(&r->spare);
    mpz_inits(r->whole, r->rest, NULL);
    oracle->state = r;
    return QC_OK;
}

static void close_range(qc_oracle *oracle)
{
    range *const r = oracle->state;
    qc_dyadic_clear(&r->lo);
    qc_dyadic_clear(&r->hi);
    qc_dyadic_clear(&r->v);
    qc_dyadic_clear(&r->s);
    qc_dyadic_clear(&r->spare);
    mpz_clears(r->whole, r->rest, NULL);
    free(r);
}

/* lo := min(0, min), hi := max(0, max), v := hi - lo or max(-lo, hi). */
static void load(range *r, const qc_call *call, int64_t i)
{
    const qc_tensor *const min = &call->args[QC_ARG_OF(choose_qparams, min)];
    const qc_tensor *const max = &call->args[QC_ARG_OF(choose_qparams, max)];
    qc_dyadic_decode(&r->lo, min->dtype, qc_arg_bits(min, i));
    qc_dyadic_decode(&r->hi, max->dtype, qc_arg_bits(max, i));
    if (mpz_sgn(r->lo.whole) > 0) {
        qc_dyadic_set(&r->lo, 0);
    }
    if (mpz_sgn(r->hi.whole) < 0) {
        qc_dyadic_set(&r->hi, 0);
    }
    mpz_set(r->v.whole, r->hi.whole);
    r->v.exponent = r->hi.exponent;
    if (!r->is_symmetric) {
        qc_dyadic_sub(&r->v, &r->lo, &r->spare);
        return;
    }
    mpz_neg(r->lo.whole, r->lo.whole);
    if (qc_dyadic_compare(&r->lo, &r->hi, &r->spare) > 0) {
        mpz_set(r->v.whole, r->lo.whole);
        r->v.exponent = r->lo.exponent;
    }
}

static uint64_t scale_bits(range *r, int32_t steps, uint32_t dtype)
{
    if (mpz_sgn(r->v.whole) == 0) {
        return dtype == QC_F64 ? UINT64_C(0x3ff) << 52 : UINT64_C(0x7f) << 23;
    }
    mpz_mul_2exp(r->whole, r->v.whole, EXTRA_BITS);
    const unsigned long left = mpz_fdiv_q_ui(r->whole, r->whole, (unsigned long)steps);
    if (left) {
        mpz_setbit(r->whole, 0);
    }
    mpz_set(r->s.whole, r->whole);
    r->s.exponent = r->v.exponent - EXTRA_BITS;
    const uint64_t bits = qc_dyadic_round(&r->s, dtype, &r->spare);
    return bits ? bits : UINT64_C(1) << (dtype == QC_F64 ? 52 : 23);
}

/* s: the returned scale. */
static int32_t affine_zero_point(range *r, const qc_oracle *oracle)
{
    qc_dyadic_set(&r->v, oracle->qmin);
    qc_dyadic_mul(&r->v, &r->v, &r->s);
    qc_dyadic_sub(&r->v, &r->lo, &r->spare);
    const int64_t low = r->v.exponent < r->s.exponent ? r->v.exponent : r->s.exponent;
    mpz_mul_2exp(r->whole, r->v.whole, (mp_bitcnt_t)(r->v.exponent - low + 1));
    mpz_mul_2exp(r->rest, r->s.whole, (mp_bitcnt_t)(r->s.exponent - low));
    mpz_add(r->whole, r->whole, r->rest);
    mpz_mul_2exp(r->rest, r->rest, 1);
    mpz_fdiv_qr(r->whole, r->rest, r->whole, r->rest);
    if (mpz_sgn(r->rest) == 0 && mpz_odd_p(r->whole)) {
        mpz_sub_ui(r->whole, r->whole, 1);
    }
    if (mpz_cmp_si(r->whole, oracle->qmin) < 0) {
        return oracle->qmin;
    }
    return mpz_cmp_si(r->whole, oracle->qmax) > 0 ? oracle->qmax
                                                  : (int32_t)mpz_get_si(r->whole);
}

/* floor((qmin + qmax + 1) / 2): what is shifted is never negative. */
static int32_t middle(const qc_oracle *oracle)
{
    return ((oracle->qmin + oracle->qmax + 1 + 1024) >> 1) - 512;
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    range *const r = oracle->state;
    const uint32_t dtype = oracle->call->args[arg].dtype;
    const int32_t steps = qc_ranges_steps(oracle, r->is_symmetric);
    for (int64_t i = 0; i < count; i++) {
        load(r, oracle->call, first + i);
        uint64_t bits = scale_bits(r, steps, oracle->own);
        if (arg == QC_ARG_OF(choose_qparams, zero_point)) {
            qc_dyadic_decode(&r->s, oracle->own, bits);
            const int32_t z =
                r->is_symmetric ? middle(oracle) : affine_zero_point(r, oracle);
            bits = dtype == QC_S32 ? (uint64_t)(uint32_t)z : (uint64_t)(int64_t)z;
        }
        expected_ret[i] = (qc_expected){bits, QC_EXPECT_VALUE};
    }
}

const qc_engine qc_engine_qparams_gmp = {open_range, close_range, expect};
