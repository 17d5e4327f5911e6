/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of the machine, and one element's way through the list. */
#include "mpfr_machine.h"

/* Room for x, s and z of any dtype before a sum of all needs more: f32 and halves fit. */
#define START_PRECISION 1024

qc_status qc_machine_open(qc_machine *machine, const qc_oracle *oracle)
{
    *machine = (qc_machine){.oracle = oracle, .channel = -1, .values_channel = -1};
    mpfr_inits2(START_PRECISION, machine->x, machine->s, machine->s_den, machine->z,
                machine->num, machine->den, machine->channel_scale, (mpfr_ptr)0);
    for (int i = 0; i < QC_MACHINE_SCRATCH; i++) {
        mpfr_init2(machine->scratch[i], START_PRECISION);
    }
    mpz_init(machine->whole);
    return QC_OK;
}

void qc_machine_close(qc_machine *machine)
{
    mpfr_clears(machine->x, machine->s, machine->s_den, machine->z, machine->num,
                machine->den, machine->channel_scale, (mpfr_ptr)0);
    for (int i = 0; i < QC_MACHINE_SCRATCH; i++) {
        mpfr_clear(machine->scratch[i]);
    }
    mpz_clear(machine->whole);
}

void qc_machine_channel(qc_machine *machine, int64_t channel)
{
    if (machine->channel == channel) {
        return;
    }
    const qc_oracle *const oracle = machine->oracle;
    const qc_tensor *const scale = &oracle->call->args[oracle->op->scale];
    const qc_tensor *const zero_point = &oracle->call->args[oracle->op->zero_point];
    qc_mp_decode(machine->channel_scale, scale->dtype, qc_arg_bits(scale, channel));
    machine->shift = qc_channel_shift(oracle, channel);
    mpfr_mul_2si(machine->channel_scale, machine->channel_scale, machine->shift,
                 MPFR_RNDN); /* exact: the range is far wider */
    qc_mp_decode(machine->z, zero_point->dtype, qc_arg_bits(zero_point, channel));
    machine->z_code = oracle->float_zp ? 0 : (int32_t)qc_arg_integer(zero_point, channel);
    machine->channel = channel;
    machine->s_is_changed = 1;
}

void qc_machine_den_one(qc_machine *machine)
{
    if (!machine->den_is_one) {
        qc_mp_int(machine->den, 1);
        machine->den_is_one = 1;
    }
}

/* x and v := the element, s := the channel's scale. */
void qc_machine_scale(qc_machine *machine)
{
    if (machine->s_is_changed) {
        qc_mp_copy(machine->s, machine->channel_scale);
        qc_mp_int(machine->s_den, 1);
        machine->s_den_is_one = 1;
        machine->s_is_changed = 0;
    }
}

void qc_machine_load(qc_machine *machine, uint64_t bits)
{
    const qc_oracle *const oracle = machine->oracle;
    const uint32_t dtype = oracle->call->args[oracle->op->element].dtype;
    qc_mp_decode(machine->x, dtype, bits);
    qc_mp_copy(machine->num, machine->x);
    qc_machine_den_one(machine);
    qc_machine_scale(machine);
    machine->mask = -1;
    machine->v_is_x = 1;
    machine->undefined = 0;
}

int qc_machine_is_special(const qc_machine *machine)
{
    return !mpfr_number_p(machine->num);
}

/* Ends a step: v rounded into T, or left exact, where a zero has no sign and so is +0. */
void qc_machine_settle(qc_machine *machine, uint32_t T)
{
    if (qc_machine_is_special(machine)) {
        return;
    }
    if (T != QC_NONE) {
        qc_mp_round(machine->scratch[0], machine->num, machine->den, T);
        mpfr_swap(machine->num, machine->scratch[0]);
        qc_machine_den_one(machine);
    } else if (mpfr_zero_p(machine->num)) {
        qc_machine_set_int(machine, 0);
    }
}

void qc_machine_set_int(qc_machine *machine, long value)
{
    qc_mp_int(machine->num, value);
    qc_machine_den_one(machine);
}

/* Sign of v - bound for a v that is no NaN. */
int qc_machine_compare(qc_machine *machine, long bound)
{
    if (machine->den_is_one) {
        return mpfr_cmp_si(machine->num, bound);
    }
    qc_mp_int(machine->scratch[0], bound);
    qc_mp_mul(machine->scratch[1], machine->scratch[0], machine->den);
    return mpfr_cmp(machine->num, machine->scratch[1]);
}

static qc_machine_step *const steps[QC_STEP_COUNT] = {
    [QC_STEP_narrow] = qc_mpfr_step_narrow,
    [QC_STEP_recip] = qc_mpfr_step_recip,
    [QC_STEP_div] = qc_mpfr_step_div,
    [QC_STEP_mul] = qc_mpfr_step_mul,
    [QC_STEP_fma] = qc_mpfr_step_fma,
    [QC_STEP_fma_premul] = qc_mpfr_step_fma_premul,
    [QC_STEP_add_half_floor] = qc_mpfr_step_add_half_floor,
    [QC_STEP_rint] = qc_mpfr_step_rint,
    [QC_STEP_limit] = qc_mpfr_step_limit,
    [QC_STEP_cast] = qc_mpfr_step_cast,
    [QC_STEP_addzp] = qc_mpfr_step_addzp,
    [QC_STEP_subzp] = qc_mpfr_step_subzp,
    [QC_STEP_mask] = qc_mpfr_step_mask,
    [QC_STEP_clamp] = qc_mpfr_step_clamp,
    [QC_STEP_code] = qc_mpfr_step_code,
    [QC_STEP_out] = qc_mpfr_step_out,
    [QC_STEP_wzp] = qc_mpfr_step_wzp,
    [QC_STEP_pair] = qc_mpfr_step_pair,
    [QC_STEP_acc] = qc_mpfr_step_acc,
    [QC_STEP_multiplier] = qc_mpfr_step_multiplier,
    [QC_STEP_bias] = qc_mpfr_step_bias,
    [QC_STEP_highmul] = qc_mpfr_step_highmul,
    [QC_STEP_shift] = qc_mpfr_step_shift,
    [QC_STEP_left] = qc_mpfr_step_left,
    [QC_STEP_rescale] = qc_mpfr_step_rescale,
};

/* Stops early where the rest cannot matter: no value, or only the mask was asked for. */
void qc_machine_run(qc_machine *machine, uint32_t first_step, uint32_t role)
{
    const qc_steps *const list = &machine->oracle->steps;
    for (uint32_t i = first_step; i < list->count && !machine->undefined; i++) {
        if (role == QC_ROLE_MASK && machine->mask >= 0) {
            return;
        }
        const qc_step *const step = &list->step[i];
        if (steps[step->kind]) {
            steps[step->kind](machine, step);
        }
        if (step->kind != QC_STEP_narrow && step->kind != QC_STEP_recip &&
            step->kind != QC_STEP_nan) {
            machine->v_is_x = 0;
        }
    }
}

/* A code that the list left outside its dtype, or no number: the list gives no value. */
static qc_expected code_result(qc_machine *machine)
{
    const uint32_t code = machine->oracle->code;
    qc_expected none = {0, QC_EXPECT_UNDEFINED};
    if (qc_machine_is_special(machine)) {
        return none;
    }
    qc_machine_round(machine, QC_TOKEN_toward_zero);
    if (qc_machine_compare(machine, code == QC_S8 ? INT8_MIN : 0) < 0 ||
        qc_machine_compare(machine, code == QC_S8 ? INT8_MAX : UINT8_MAX) > 0) {
        return none;
    }
    return (qc_expected){(uint8_t)mpfr_get_si(machine->num, MPFR_RNDN), QC_EXPECT_VALUE};
}

qc_expected qc_machine_result(qc_machine *machine, uint32_t role)
{
    const uint32_t own = machine->oracle->own;
    if (role == QC_ROLE_MASK && machine->mask >= 0) {
        return (qc_expected){(uint64_t)machine->mask, QC_EXPECT_VALUE};
    }
    if (machine->undefined || role == QC_ROLE_MASK) {
        return (qc_expected){0, QC_EXPECT_UNDEFINED};
    }
    if (role == QC_ROLE_CODE) {
        return code_result(machine);
    }
    if (!qc_machine_is_special(machine)) {
        qc_mp_round(machine->scratch[0], machine->num, machine->den, own);
        return (qc_expected){qc_mp_encode(machine->scratch[0], own), QC_EXPECT_VALUE};
    }
    return (qc_expected){qc_mp_encode(machine->num, own), QC_EXPECT_VALUE};
}
