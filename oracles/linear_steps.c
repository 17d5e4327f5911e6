/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of linear in MPFR: rules S20 to S24 of semantics.md. */
#include "linear_machine.h"

static qc_linear_machine *state_of(qc_machine *machine)
{
    return (qc_linear_machine *)machine;
}

void qc_mpfr_step_wzp(qc_machine *machine, const qc_step *step)
{
    state_of(machine)->wzp = *step;
}

void qc_mpfr_step_pair(qc_machine *machine, const qc_step *step)
{
    state_of(machine)->pair = *step;
}

static int32_t weight_zero_point(const qc_linear_machine *state)
{
    const uint32_t whose = state->wzp.first;
    return whose == QC_TOKEN_none
               ? 0
               : qc_linear_integer(state->linear.w_zp,
                                   whose == QC_TOKEN_first ? 0 : state->n);
}

/* Width of an integer word in bits; 0: none. */
static unsigned width_of(uint32_t token)
{
    return token == QC_TOKEN_s8    ? 8
           : token == QC_TOKEN_s16 ? 16
           : token == QC_TOKEN_s32 ? 32
                                   : 0;
}

/* A sum in the width, which holds every partial sum before it. */
static int64_t fit(int64_t sum, unsigned width, uint32_t overflow)
{
    if (width == 0) {
        return sum;
    }
    const int64_t half = INT64_C(1) << (width - 1);
    if (overflow == QC_TOKEN_saturate) {
        return sum >= half ? half - 1 : sum < -half ? -half : sum;
    }
    const int64_t low = sum & (2 * half - 1);
    return low >= half ? low - 2 * half : low;
}

/* The product of place k, or S21: what the pair that begins at k adds to the sum. */
static long term(const qc_linear_machine *state, int64_t k, long x_zp, long w_zp)
{
    const qc_linear *const l = &state->linear;
    if (state->pair.kind == 0) {
        return (qc_linear_code(l->x, state->m, k) - x_zp) *
               (qc_linear_code(l->w, state->n, k) - w_zp);
    }
    const long x_up = l->x->dtype == QC_S8 ? 128 : 0;
    const long w_up = l->w->dtype == QC_U8 ? -128 : 0;
    const int64_t end = k + 2 < l->count ? k + 2 : l->count;
    long products = 0;
    long exact = 0;
    if (k % 2 != 0) {
        return 0;
    }
    for (; k < end; k++) {
        const long x = qc_linear_code(l->x, state->m, k);
        const long w = qc_linear_code(l->w, state->n, k);
        products += (x + x_up) * (w + w_up);
        exact += (x - x_zp) * (w - w_zp);
    }
    return exact - products +
           fit(products, width_of(state->pair.first), state->pair.second);
}

void qc_mpfr_step_acc(qc_machine *machine, const qc_step *step)
{
    const qc_linear_machine *const state = state_of(machine);
    const long x_zp = qc_linear_integer(state->linear.x_zp, 0);
    const long w_zp = weight_zero_point(state);
    const unsigned width = width_of(step->first);
    const uint32_t T = qc_machine_type(machine, step->first);
    mpfr_t *const t = machine->scratch;
    qc_machine_set_int(machine, 0);
    if (width != 0) { /* integers of a width need no MPFR */
        int64_t sum = 0;
        for (int64_t k = 0; k < state->linear.count; k++) {
            sum = fit(sum + term(state, k, x_zp, w_zp), width, step->second);
        }
        qc_machine_set_int(machine, sum);
        return;
    }
    for (int64_t k = 0; k < state->linear.count; k++) {
        const long product = term(state, k, x_zp, w_zp);
        if (T != QC_NONE) {
            qc_mp_int(t[1], product);
            qc_mp_add(t[2], machine->num, t[1]);
            qc_mp_round(machine->num, t[2], machine->den, T);
        } else if (mpfr_add_si(machine->num, machine->num, product, MPFR_RNDN) != 0) {
            qc_oracle_fault("MPFR: a sum of products beyond 64 bits");
        }
    }
    if (mpfr_zero_p(machine->num)) {
        qc_machine_set_int(machine, 0);
    }
}

/* typed := the multiplier in T, associated as asked; a product that leaves T's range is
   IEEE's infinity or zero. */
static void type_multiplier(qc_linear_machine *state, uint32_t T, uint32_t association)
{
    mpfr_t *const t = state->machine.scratch;
    mpfr_t *const f = state->factor;
    mpfr_t *const one = &state->spare[0];
    qc_mp_int(*one, 1);
    if (association == QC_TOKEN_apart) {
        qc_mp_mul(t[1], f[0], f[1]);
        qc_mp_round(state->typed, t[1], *one, T);
        return;
    }
    if (association == QC_TOKEN_left) {
        qc_mp_mul(t[1], f[0], f[1]);
        qc_mp_round(t[2], t[1], *one, T);
        if (mpfr_number_p(t[2])) {
            qc_mp_round(state->typed, t[2], f[2], T);
        } else {
            qc_mp_copy(state->typed, t[2]);
        }
        return;
    }
    qc_mp_round(t[2], f[1], f[2], T);
    if (mpfr_number_p(t[2])) {
        qc_mp_mul(t[1], f[0], t[2]);
        qc_mp_round(state->typed, t[1], *one, T);
    } else {
        qc_mp_copy(state->typed, t[2]);
    }
}

/* v := RN_T(v factor); infinities and NaN as IEEE has them. */
static void multiply_typed(qc_machine *machine, const mpfr_t factor, uint32_t T)
{
    mpfr_t *const t = machine->scratch;
    if (!mpfr_number_p(factor) || qc_machine_is_special(machine)) {
        mpfr_set_prec(t[0], 64);
        mpfr_mul(t[0], machine->num, factor, MPFR_RNDN);
        mpfr_swap(machine->num, t[0]);
        qc_machine_den_one(machine);
        return;
    }
    qc_mp_mul(t[0], machine->num, factor);
    mpfr_swap(machine->num, t[0]);
    qc_machine_settle(machine, T);
}

void qc_mpfr_step_multiplier(qc_machine *machine, const qc_step *step)
{
    qc_linear_machine *const state = state_of(machine);
    const uint32_t T = qc_machine_type(machine, step->first);
    mpfr_t *const t = machine->scratch;
    state->is_scaled = 1;
    if (T == QC_NONE) {
        qc_mp_mul(t[0], machine->num, state->factor[0]);
        qc_mp_mul(machine->num, t[0], state->factor[1]);
        qc_mp_mul(t[0], machine->den, state->factor[2]);
        mpfr_swap(machine->den, t[0]);
        machine->den_is_one = mpfr_cmp_ui(machine->den, 1) == 0;
        qc_machine_settle(machine, QC_NONE);
        return;
    }
    type_multiplier(state, T, step->second);
    state->is_typed = 1;
    state->is_apart = step->second == QC_TOKEN_apart;
    multiply_typed(machine, state->typed, T);
}

void qc_mpfr_step_rescale(qc_machine *machine, const qc_step *step)
{
    qc_linear_machine *const state = state_of(machine);
    const uint32_t T = qc_machine_type(machine, step->first);
    qc_mp_int(state->spare[0], 1);
    qc_mp_round(state->spare[1], state->spare[0], state->factor[2], T);
    multiply_typed(machine, state->spare[1], T);
}

/* spare[1] / spare[2] := the bias in the units that v has here (S24). */
static void bias_ratio(qc_linear_machine *state)
{
    mpfr_t *const t = state->machine.scratch;
    const qc_linear *const l = &state->linear;
    mpfr_t *const num = &state->spare[1];
    mpfr_t *const den = &state->spare[2];
    qc_mp_decode(*num, l->bias->dtype, qc_linear_bits(l->bias, state->n));
    qc_mp_int(*den, 1);
    if (l->bias_is_real && state->is_scaled) {
        if (!state->is_apart) {
            qc_mp_copy(*den, state->factor[2]);
        }
    } else if (l->bias_is_real) {
        qc_mp_mul(*den, state->factor[0], state->factor[1]);
    } else if (state->is_scaled && state->is_typed) {
        qc_mp_mul(t[0], *num, state->typed);
        mpfr_swap(*num, t[0]);
    } else if (state->is_scaled) {
        qc_mp_mul(t[0], *num, state->factor[0]);
        qc_mp_mul(*num, t[0], state->factor[1]);
        qc_mp_copy(*den, state->factor[2]);
    }
}

/* v := spare[1] / spare[2] rounded half to even to an integer, v itself being kept in t[4]
   over t[5]; then back into spare. */
static void round_bias(qc_linear_machine *state)
{
    qc_machine *const machine = &state->machine;
    const int den_is_one = machine->den_is_one;
    mpfr_swap(machine->num, state->spare[1]);
    mpfr_swap(machine->den, state->spare[2]);
    machine->den_is_one = 0;
    qc_machine_round(machine, QC_TOKEN_half_even);
    mpfr_swap(machine->num, state->spare[1]);
    mpfr_swap(machine->den, state->spare[2]);
    machine->den_is_one = den_is_one;
}

void qc_mpfr_step_bias(qc_machine *machine, const qc_step *step)
{
    qc_linear_machine *const state = state_of(machine);
    const unsigned width = width_of(step->first);
    const uint32_t T = qc_machine_type(machine, step->first);
    mpfr_t *const t = machine->scratch;
    if (!state->linear.bias || qc_machine_is_special(machine) ||
        (state->is_typed && !mpfr_number_p(state->typed))) {
        return;
    }
    bias_ratio(state);
    if (state->linear.bias_is_real && !state->is_scaled) {
        round_bias(state);
    } else if (state->linear.bias_is_real && T != QC_NONE) {
        qc_mp_round(t[0], state->spare[1], state->spare[2], T);
        mpfr_swap(state->spare[1], t[0]);
        qc_mp_int(state->spare[2], 1);
    }
    if (!mpfr_number_p(state->spare[1])) {
        qc_mp_copy(machine->num, state->spare[1]);
        qc_machine_den_one(machine);
        return;
    }
    qc_mp_mul(t[0], machine->num, state->spare[2]);
    qc_mp_mul(t[1], state->spare[1], machine->den);
    qc_mp_add(machine->num, t[0], t[1]);
    qc_mp_mul(t[0], machine->den, state->spare[2]);
    mpfr_swap(machine->den, t[0]);
    machine->den_is_one = mpfr_cmp_ui(machine->den, 1) == 0;
    if (width != 0) {
        qc_machine_round(machine, QC_TOKEN_half_even);
        const intmax_t sum = mpfr_get_sj(machine->num, MPFR_RNDN); /* saturates */
        const int64_t bound = INT64_C(1) << 62;
        qc_machine_set_int(machine, fit(sum > bound    ? bound
                                        : sum < -bound ? -bound
                                                       : sum,
                                        width, step->second));
    } else {
        qc_machine_settle(machine, T);
    }
}
