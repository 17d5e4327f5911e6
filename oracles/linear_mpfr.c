/* SPDX-License-Identifier: Apache-2.0 */
/* The MPFR path of linear: the list of steps for each output. */
#include <stdlib.h>

#include "linear_machine.h"

static qc_status open_machine(qc_oracle *oracle, qc_message *message)
{
    qc_linear_machine *const state = malloc(sizeof *state);
    if (!state) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    *state = (qc_linear_machine){0};
    qc_linear_view(oracle->call, &state->linear);
    for (int f = 0; f < 3; f++) {
        mpfr_init2(state->factor[f], 64);
        mpfr_init2(state->spare[f], 64);
    }
    mpfr_init2(state->typed, 64);
    oracle->state = state;
    return qc_machine_open(&state->machine, oracle);
}

static void close_machine(qc_oracle *oracle)
{
    qc_linear_machine *const state = oracle->state;
    for (int f = 0; f < 3; f++) {
        mpfr_clear(state->factor[f]);
        mpfr_clear(state->spare[f]);
    }
    mpfr_clear(state->typed);
    qc_machine_close(&state->machine);
    free(state);
    mpfr_free_cache();
}

/* The parameters of output i; v is 0 until step acc. */
static void load(qc_linear_machine *state, int64_t i)
{
    const qc_linear *const l = &state->linear;
    qc_machine *const machine = &state->machine;
    const qc_oracle *const oracle = machine->oracle;
    const qc_tensor *const zp = &oracle->call->args[oracle->op->zero_point];
    state->m = i / l->columns;
    state->n = i % l->columns;
    state->wzp = state->pair = (qc_step){0};
    state->is_scaled = state->is_apart = state->is_typed = 0;
    for (int f = 0; f < 3; f++) {
        qc_mp_int(state->factor[f], 1);
        if (l->factor[f]) {
            qc_mp_decode(state->factor[f], l->factor[f]->dtype,
                         qc_linear_bits(l->factor[f], state->n));
        }
    }
    if (l->shift) {
        machine->shift = (int32_t)qc_linear_integer(l->shift, state->n);
        mpfr_mul_2si(state->factor[0], state->factor[0], machine->shift, MPFR_RNDN);
        qc_mp_copy(machine->s, state->factor[0]); /* what highmul multiplies by */
        qc_mp_int(machine->s_den, 1);
        machine->s_den_is_one = 1;
    }
    machine->z_code = (int32_t)qc_arg_integer(zp, 0);
    qc_mp_int(machine->z, machine->z_code);
    qc_mp_int(machine->x, 0);
    qc_machine_set_int(machine, 0);
    machine->mask = -1;
    machine->undefined = 0;
}

/* W1: the sum, where the accumulator's dtype holds it. */
static qc_expected accumulator(qc_machine *machine)
{
    const qc_call *const call = machine->oracle->call;
    const int is_s32 = call->args[QC_ARG_OF(linear_s32, acc)].dtype == QC_S32;
    if (!mpfr_integer_p(machine->num) || !mpfr_fits_intmax_p(machine->num, MPFR_RNDN)) {
        return (qc_expected){0, QC_EXPECT_UNDEFINED};
    }
    const int64_t sum = mpfr_get_sj(machine->num, MPFR_RNDN);
    if (is_s32 && (sum < INT32_MIN || sum > INT32_MAX)) {
        return (qc_expected){0, QC_EXPECT_UNDEFINED};
    }
    return (qc_expected){is_s32 ? (uint32_t)(int32_t)sum : (uint64_t)sum,
                         QC_EXPECT_VALUE};
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    qc_linear_machine *const state = oracle->state;
    const uint32_t role = oracle->op->roles[arg];
    for (int64_t i = 0; i < count; i++) {
        load(state, first + i);
        qc_machine_run(&state->machine, 0, role);
        expected_ret[i] = role == QC_ROLE_NONE ? accumulator(&state->machine)
                                               : qc_machine_result(&state->machine, role);
    }
}

void qc_linear_value(qc_oracle *oracle, int64_t i)
{
    static const qc_step exactly[3] = {{QC_STEP_acc, QC_TOKEN_exact, 0},
                                       {QC_STEP_multiplier, QC_TOKEN_exact, QC_TOKEN_left},
                                       {QC_STEP_bias, QC_TOKEN_exact, 0}};
    qc_linear_machine *const state = oracle->state;
    load(state, i);
    qc_mpfr_step_acc(&state->machine, &exactly[0]);
    qc_mpfr_step_multiplier(&state->machine, &exactly[1]);
    qc_mpfr_step_bias(&state->machine, &exactly[2]);
}

const qc_engine qc_engine_linear_mpfr = {open_machine, close_machine, expect};
