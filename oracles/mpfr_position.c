/* SPDX-License-Identifier: Apache-2.0 */
/* Where an element lies among the ties of its call, whatever the step list says: v = x/s,
   or x * s, and with a float zero point v + z. */
#include <float.h>
#include <math.h>

#include "mpfr_machine.h"

/* v := x/s or x * s of element i, exactly; 0 when it has none. */
static int load_value(qc_oracle *oracle, int64_t i)
{
    qc_machine *const machine = oracle->state;
    const qc_step exactly = {.first = QC_TOKEN_exact};
    qc_block block;
    if ((oracle->op->steps & QC_STEP_BIT(rint)) == 0) {
        return 0;
    }
    if (oracle->op->value) {
        oracle->op->value(oracle, i);
        return 1;
    }
    qc_block_load(oracle, i, 1, &block);
    qc_machine_channel(machine, block.channel);
    qc_machine_load(machine, block.bits[0]);
    if (mpfr_nan_p(machine->x)) {
        return 0;
    }
    const int has_form = qc_op_has_key(oracle->call->op, QC_ATTR_scale_form);
    const int divides = (oracle->op->steps & QC_STEP_BIT(div)) != 0;
    if (!divides ||
        (has_form && oracle->call->attrs.scale_form == QC_SCALE_FORM_multiply)) {
        qc_mpfr_step_mul(machine, &exactly);
    } else {
        qc_mpfr_step_div(machine, &exactly);
    }
    return 1;
}

/* floor(v), held within [low, high]. */
static int32_t floor_within(qc_machine *machine, int32_t low, int32_t high)
{
    if (qc_machine_compare(machine, low) < 0) {
        return low;
    }
    if (qc_machine_compare(machine, high) >= 0) {
        return high;
    }
    while (low + 1 < high) {
        const int32_t middle = low + (high - low) / 2;
        if (qc_machine_compare(machine, middle) >= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* t[2] / t[3] := v - half_units / 2, exactly. */
static void distance_ratio(qc_machine *machine, long half_units)
{
    mpfr_t *const t = machine->scratch;
    qc_mp_int(t[0], -half_units);
    qc_mp_mul(t[1], t[0], machine->den);
    qc_mp_copy(t[0], machine->num);
    mpfr_mul_2ui(t[0], t[0], 1, MPFR_RNDN);
    qc_mp_add(t[2], t[0], t[1]);
    qc_mp_copy(t[3], machine->den);
    mpfr_mul_2ui(t[3], t[3], 1, MPFR_RNDN);
}

/* A lower bound that is 0 only for 0. */
static double lower_bound(mpfr_t *t)
{
    if (mpfr_zero_p(t[2])) {
        return 0;
    }
    mpfr_set_prec(t[0], 53);
    mpfr_div(t[0], t[2], t[3], MPFR_RNDZ);
    const double bound = fabs(mpfr_get_d(t[0], MPFR_RNDZ));
    return bound > 0 ? bound : DBL_TRUE_MIN;
}

void qc_oracle_position(qc_oracle *oracle, int64_t i, qc_position *position_ret)
{
    qc_machine *const machine = oracle->state;
    *position_ret = (qc_position){0};
    if (!load_value(oracle, i)) {
        return;
    }
    if (oracle->float_zp) {
        qc_machine_add_zp(machine, 1, QC_NONE);
    }
    const int32_t z = machine->z_code; /* 0 for float zero points, which v contains */
    const int32_t low = oracle->qmin - z - 1;
    const int32_t high = oracle->qmax - z;
    int32_t tie;
    if (qc_machine_is_special(machine)) {
        const int is_positive = mpfr_sgn(machine->num) > 0;
        *position_ret =
            (qc_position){is_positive ? high : low, is_positive ? 1 : -1, INFINITY, 1};
        return;
    }
    /* Ties stand half way between integers, so the nearest is that above floor(v); at an
       integer both neighbours are as near, and the lower one is asked for. */
    tie = floor_within(machine, low, high);
    if (tie > low && qc_machine_compare(machine, tie) == 0) {
        tie--;
    }
    distance_ratio(machine, 2L * tie + 1);
    *position_ret = (qc_position){
        .tie = tie,
        .side = mpfr_sgn(machine->scratch[2]),
        .distance = lower_bound(machine->scratch),
        .defined = 1,
    };
    position_ret->side = (position_ret->side > 0) - (position_ret->side < 0);
}

static double quotient(qc_machine *machine, const mpfr_t a, const mpfr_t b,
                       mpfr_rnd_t rounding)
{
    mpfr_t *const t = machine->scratch;
    mpfr_set_prec(t[0], 53);
    mpfr_div(t[0], a, b, rounding);
    return mpfr_get_d(t[0], rounding);
}

/* |v - k| - 1/2 rounded up, k = code - z (float zero points: code). Where the clamp takes
   all integers beyond k to the code and v lies there, its nearest one is meant: v
   rounded. */
static double excess_of(qc_machine *machine, int32_t code, int clamped)
{
    mpfr_t *const t = machine->scratch;
    const qc_oracle *const oracle = machine->oracle;
    const int32_t k = code - machine->z_code;
    const int is_beyond = (code == oracle->qmin && qc_machine_compare(machine, k) < 0) ||
                          (code == oracle->qmax && qc_machine_compare(machine, k) > 0);
    if (clamped && is_beyond) {
        const int is_one = machine->den_is_one;
        qc_mp_copy(t[4], machine->num);
        qc_mp_copy(t[5], machine->den);
        qc_machine_round(machine, QC_TOKEN_half_even);
        mpfr_neg(machine->num, machine->num, MPFR_RNDN);
        qc_mp_mul(t[1], machine->num, t[5]);
        mpfr_swap(machine->num, t[4]);
        mpfr_swap(machine->den, t[5]);
        machine->den_is_one = is_one;
    } else {
        qc_mp_int(t[0], -k);
        qc_mp_mul(t[1], t[0], machine->den);
    }
    qc_mp_add(t[2], machine->num, t[1]); /* den (v - k) */
    mpfr_abs(t[2], t[2], MPFR_RNDN);
    mpfr_mul_2ui(t[2], t[2], 1, MPFR_RNDN);
    qc_mp_copy(t[0], machine->den);
    mpfr_neg(t[0], t[0], MPFR_RNDN);
    qc_mp_add(t[1], t[2], t[0]); /* 2 den (|v - k| - 1/2) */
    qc_mp_copy(t[3], machine->den);
    mpfr_mul_2ui(t[3], t[3], 1, MPFR_RNDN);
    return quotient(machine, t[1], t[3], MPFR_RNDU);
}

static double magnitude(qc_machine *machine)
{
    return fabs(quotient(machine, machine->num, machine->den, MPFR_RNDZ));
}

void qc_oracle_deviation(qc_oracle *oracle, int64_t i, int32_t code, int clamped,
                         qc_deviation *deviation_ret)
{
    qc_machine *const machine = oracle->state;
    *deviation_ret = (qc_deviation){.excess = INFINITY};
    if (!load_value(oracle, i) || qc_machine_is_special(machine)) {
        return;
    }
    deviation_ret->magnitude = magnitude(machine);
    if (oracle->float_zp) {
        qc_machine_add_zp(machine, 1, QC_NONE);
        deviation_ret->excess = excess_of(machine, code, clamped);
    } else {
        deviation_ret->excess = excess_of(machine, code, clamped);
        qc_machine_add_zp(machine, 1, QC_NONE);
    }
    deviation_ret->sum = magnitude(machine);
}
