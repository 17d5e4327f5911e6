/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of the grid: clamps (rule S6) and masks (rules M1, M2, S8). */
#include "mpfr_machine.h"

/* v := min(max(v, lowest), highest). The first comparison is false for NaN, which so
   gives the lower bound. */
static void clamp_int(qc_machine *machine, long lowest, long highest)
{
    if (mpfr_nan_p(machine->num) || qc_machine_compare(machine, lowest) < 0) {
        qc_machine_set_int(machine, lowest);
    } else if (qc_machine_compare(machine, highest) > 0) {
        qc_machine_set_int(machine, highest);
    }
}

/* bound := code - z, exactly. */
static void code_less_zp(qc_machine *machine, long code, mpfr_t bound)
{
    mpfr_t *const t = machine->scratch;
    qc_mp_int(t[0], code);
    qc_mp_copy(t[1], machine->z);
    mpfr_neg(t[1], t[1], MPFR_RNDN);
    qc_mp_add(bound, t[0], t[1]);
}

/* Clamps to [qmin - z, qmax - z], which are integers when z is. */
static void clamp_before_zp(qc_machine *machine)
{
    mpfr_t *const t = machine->scratch;
    const long codes[2] = {machine->oracle->qmin, machine->oracle->qmax};
    for (int end = 0; end < 2; end++) {
        code_less_zp(machine, codes[end], t[2]);
        qc_mp_mul(t[3], t[2], machine->den);
        const int is_nan = mpfr_nan_p(machine->num);
        const int side = is_nan ? -1 : mpfr_cmp(machine->num, t[3]);
        if (end == 0 ? side < 0 : side > 0) {
            qc_mp_copy(machine->num, t[2]);
            qc_machine_den_one(machine);
        }
    }
}

void qc_mpfr_step_clamp(qc_machine *machine, const qc_step *step)
{
    const qc_oracle *const oracle = machine->oracle;
    switch (step->first) {
    case QC_TOKEN_symmetric: clamp_int(machine, -oracle->qmax, oracle->qmax); break;
    case QC_TOKEN_before_zp: clamp_before_zp(machine); break;
    default: clamp_int(machine, oracle->qmin, oracle->qmax);
    }
}

/* bound := (code - z) * s, rounded into T. A scale is special only where a step made it
   so: then no finite x is compared with a meaningless bound, the product is IEEE's. */
static void real_bound(qc_machine *machine, long code, uint32_t T, mpfr_t bound)
{
    mpfr_t *const t = machine->scratch;
    code_less_zp(machine, code, t[2]);
    if (!mpfr_regular_p(machine->s)) {
        mpfr_set_prec(bound, 64);
        mpfr_mul(bound, t[2], machine->s, MPFR_RNDN);
        return;
    }
    qc_mp_mul(bound, t[2], machine->s);
    if (T != QC_NONE) {
        qc_mp_round(t[0], bound, machine->s_den, T);
        mpfr_swap(bound, t[0]);
    }
}

/* x := x rounded into T where it is a number; T `exact` changes nothing. */
static void round_number(qc_machine *machine, mpfr_t number, uint32_t T)
{
    mpfr_t *const t = machine->scratch;
    if (T != QC_NONE && mpfr_number_p(number)) {
        qc_mp_int(t[1], 1);
        qc_mp_round(t[0], number, t[1], T);
        mpfr_swap(number, t[0]);
    }
}

/* distance := RN_T(x - bound). */
static void distance_to(qc_machine *machine, mpfr_t bound, uint32_t T, mpfr_t distance)
{
    mpfr_neg(bound, bound, MPFR_RNDN);
    if (mpfr_number_p(machine->x) && mpfr_number_p(bound)) {
        qc_mp_add(distance, machine->x, bound);
        round_number(machine, distance, T);
    } else {
        mpfr_set_prec(distance, 64);
        mpfr_add(distance, machine->x, bound, MPFR_RNDN);
    }
}

static int mask_product(qc_machine *machine, uint32_t T)
{
    mpfr_t *const t = machine->scratch;
    real_bound(machine, machine->oracle->qmin, T, t[3]);
    distance_to(machine, t[3], T, t[4]);
    real_bound(machine, machine->oracle->qmax, T, t[3]);
    distance_to(machine, t[3], T, t[5]);
    if (mpfr_number_p(t[4]) && mpfr_number_p(t[5])) {
        qc_mp_mul(t[3], t[4], t[5]);
        round_number(machine, t[3], T);
    } else {
        mpfr_set_prec(t[3], 64);
        mpfr_mul(t[3], t[4], t[5], MPFR_RNDN);
    }
    return !mpfr_nan_p(t[3]) && mpfr_sgn(t[3]) <= 0;
}

/* lo <= x <= hi; exact: x * s_den against (code - z) * s, no division. */
static int mask_real(qc_machine *machine, uint32_t T)
{
    mpfr_t *const t = machine->scratch;
    if (!mpfr_number_p(machine->x)) {
        return 0;
    }
    if (T == QC_NONE) {
        qc_mp_mul(t[4], machine->x, machine->s_den);
    } else {
        qc_mp_copy(t[4], machine->x);
    }
    real_bound(machine, machine->oracle->qmin, T, t[3]);
    const int is_above = mpfr_lessequal_p(t[3], t[4]);
    real_bound(machine, machine->oracle->qmax, T, t[3]);
    return is_above && mpfr_lessequal_p(t[4], t[3]);
}

static int mask_grid(qc_machine *machine)
{
    return !qc_machine_is_special(machine) &&
           qc_machine_compare(machine, machine->oracle->qmin) >= 0 &&
           qc_machine_compare(machine, machine->oracle->qmax) <= 0;
}

void qc_mpfr_step_mask(qc_machine *machine, const qc_step *step)
{
    const uint32_t T = qc_machine_type(machine, step->second);
    switch (step->first) {
    case QC_TOKEN_real: machine->mask = mask_real(machine, T); break;
    case QC_TOKEN_product: machine->mask = mask_product(machine, T); break;
    default: machine->mask = mask_grid(machine);
    }
}
