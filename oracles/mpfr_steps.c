/* SPDX-License-Identifier: Apache-2.0 */
/* Steps on reals: rules S2, S4, S7 of semantics.md. */
#include "mpfr_machine.h"

uint32_t qc_machine_type(const qc_machine *machine, uint32_t token)
{
    switch (token) {
    case QC_TOKEN_f16: return QC_F16;
    case QC_TOKEN_bf16: return QC_BF16;
    case QC_TOKEN_f32: return QC_F32;
    case QC_TOKEN_f64: return QC_F64;
    case QC_TOKEN_own: return machine->oracle->own;
    default: return QC_NONE;
    }
}

/* An operation with an infinity, a NaN or a scale of 0: IEEE's own answer, which MPFR
   gives at any precision; `x` itself is enough of a finite v, whose sign alone matters.
 */
static int scale_is_special(const qc_machine *machine)
{
    return !mpfr_regular_p(machine->s);
}

static void set_special(qc_machine *machine)
{
    mpfr_swap(machine->num, machine->scratch[0]);
    qc_machine_den_one(machine);
}

void qc_mpfr_step_div(qc_machine *machine, const qc_step *step)
{
    mpfr_t *const t = machine->scratch;
    if (scale_is_special(machine) || !mpfr_number_p(machine->x)) {
        mpfr_set_prec(t[0], 64);
        mpfr_div(t[0], machine->x, machine->s, MPFR_RNDN);
        set_special(machine);
        return;
    }
    if (machine->s_den_is_one) {
        qc_mp_copy(machine->num, machine->x);
    } else {
        qc_mp_mul(machine->num, machine->x, machine->s_den);
    }
    qc_mp_copy(machine->den, machine->s);
    machine->den_is_one = 0;
    qc_machine_settle(machine, qc_machine_type(machine, step->first));
}

/* v := v * s, exactly; 1 when the result is special. */
static int multiply(qc_machine *machine)
{
    mpfr_t *const t = machine->scratch;
    if (scale_is_special(machine) || qc_machine_is_special(machine)) {
        mpfr_set_prec(t[0], 64);
        mpfr_mul(t[0], machine->num, machine->s, MPFR_RNDN);
        set_special(machine);
        return 1;
    }
    qc_mp_mul(t[0], machine->num, machine->s);
    mpfr_swap(machine->num, t[0]);
    if (!machine->s_den_is_one) {
        qc_mp_mul(t[0], machine->den, machine->s_den);
        mpfr_swap(machine->den, t[0]);
        machine->den_is_one = 0;
    }
    return 0;
}

void qc_mpfr_step_mul(qc_machine *machine, const qc_step *step)
{
    multiply(machine);
    qc_machine_settle(machine, qc_machine_type(machine, step->first));
}

/* v += addend; the numerator takes it times the denominator. */
static void add(qc_machine *machine, const mpfr_t addend)
{
    mpfr_t *const t = machine->scratch;
    if (qc_machine_is_special(machine) || !mpfr_number_p(addend)) {
        mpfr_set_prec(t[0], 64);
        mpfr_add(t[0], machine->num, addend, MPFR_RNDN);
        set_special(machine);
        return;
    }
    if (machine->den_is_one) {
        qc_mp_add(t[0], machine->num, addend);
    } else {
        qc_mp_mul(t[1], addend, machine->den);
        qc_mp_add(t[0], machine->num, t[1]);
    }
    mpfr_swap(machine->num, t[0]);
}

void qc_machine_add_zp(qc_machine *machine, int sign, uint32_t T)
{
    if (sign > 0) {
        add(machine, machine->z);
    } else {
        qc_mp_copy(machine->scratch[2], machine->z);
        mpfr_neg(machine->scratch[2], machine->scratch[2], MPFR_RNDN);
        add(machine, machine->scratch[2]);
    }
    qc_machine_settle(machine, T);
}

void qc_mpfr_step_fma(qc_machine *machine, const qc_step *step)
{
    multiply(machine);
    qc_machine_add_zp(machine, 1, qc_machine_type(machine, step->first));
}

/* P := RN_T(-z * s), then v := RN_T(v * s + P). */
void qc_mpfr_step_fma_premul(qc_machine *machine, const qc_step *step)
{
    const uint32_t T = qc_machine_type(machine, step->first);
    mpfr_t *const t = machine->scratch;
    qc_machine_scale(machine); /* S7 */
    if (T == QC_NONE) {
        qc_machine_add_zp(machine, -1, QC_NONE);
        multiply(machine);
        qc_machine_settle(machine, QC_NONE);
        return;
    }
    if (scale_is_special(machine)) {
        mpfr_set_prec(t[3], 64);
        mpfr_mul(t[3], machine->z, machine->s, MPFR_RNDN);
    } else {
        qc_mp_mul(t[0], machine->z, machine->s);
        qc_mp_round(t[3], t[0], machine->s_den, T);
    }
    mpfr_neg(t[3], t[3], MPFR_RNDN);
    multiply(machine);
    add(machine, t[3]);
    qc_machine_settle(machine, T);
}

/* s := 1/s. */
void qc_mpfr_step_recip(qc_machine *machine, const qc_step *step)
{
    const uint32_t T = qc_machine_type(machine, step->first);
    mpfr_t *const t = machine->scratch;
    machine->s_is_changed = 1;
    if (scale_is_special(machine)) {
        mpfr_ui_div(machine->s, 1, machine->s, MPFR_RNDN);
    } else if (T == QC_NONE) {
        mpfr_swap(machine->s, machine->s_den);
        machine->s_den_is_one = 0;
    } else {
        qc_mp_round(t[0], machine->s_den, machine->s, T);
        mpfr_swap(machine->s, t[0]);
        qc_mp_int(machine->s_den, 1);
        machine->s_den_is_one = 1;
    }
}

/* 1 when num was a number and now is one of T, so that its denominator has become 1. */
static int narrow_ratio(qc_machine *machine, mpfr_t num, const mpfr_t den, uint32_t T)
{
    if (!mpfr_number_p(num)) {
        return 0;
    }
    qc_mp_round(machine->scratch[0], num, den, T);
    mpfr_swap(num, machine->scratch[0]);
    return 1;
}

static void narrow_scale(qc_machine *machine, uint32_t T)
{
    machine->s_is_changed = 1;
    if (narrow_ratio(machine, machine->s, machine->s_den, T)) {
        qc_mp_int(machine->s_den, 1);
        machine->s_den_is_one = 1;
    }
}

/* A narrowed x is also what v starts as; later steps have made v their own. */
void qc_mpfr_step_narrow(qc_machine *machine, const qc_step *step)
{
    const uint32_t T = qc_machine_type(machine, step->second);
    mpfr_t *const one = &machine->scratch[4];
    if (T == QC_NONE) {
        return;
    }
    qc_mp_int(*one, 1);
    switch (step->first) {
    case QC_TOKEN_x:
        narrow_ratio(machine, machine->x, *one, T);
        if (machine->v_is_x) {
            qc_mp_copy(machine->num, machine->x);
        }
        break;
    case QC_TOKEN_s: narrow_scale(machine, T); break;
    case QC_TOKEN_z:
        narrow_ratio(machine, machine->z, *one, T);
        machine->channel = -1; /* z is read anew for the next element */
        break;
    default: qc_machine_settle(machine, T); machine->v_is_x = 0;
    }
}

void qc_mpfr_step_out(qc_machine *machine, const qc_step *step)
{
    qc_machine_settle(machine, qc_machine_type(machine, step->first));
}
