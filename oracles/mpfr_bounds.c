/* SPDX-License-Identifier: Apache-2.0 */
/* Masks by real bounds (rules M2, S8). */
#include "mpfr_machine.h"

/* number := number rounded into T where it is one; T `exact` changes nothing. */
static void round_number(qc_machine *machine, mpfr_t number, uint32_t T)
{
    mpfr_t *const t = machine->scratch;
    if (T != QC_NONE && mpfr_number_p(number)) {
        qc_mp_int(t[1], 1);
        qc_mp_round(t[0], number, t[1], T);
        mpfr_swap(number, t[0]);
    }
}

/* bound := RN_T(RN_T(code - z) * s), or over m. A scale is special only where a step made it
   so: then no finite x is compared with a meaningless bound, the product is IEEE's. */
static void typed_bound(qc_machine *machine, long code, uint32_t T, mpfr_t bound)
{
    mpfr_t *const t = machine->scratch;
    qc_machine_code_less_zp(machine, code, t[2]);
    round_number(machine, t[2], T);
    const int multiplies = qc_oracle_multiplies(machine->oracle);
    if (!mpfr_regular_p(machine->s) || !mpfr_number_p(t[2])) {
        mpfr_set_prec(bound, 64);
        if (multiplies) {
            mpfr_div(bound, t[2], machine->s, MPFR_RNDN);
        } else {
            mpfr_mul(bound, t[2], machine->s, MPFR_RNDN);
        }
        return;
    }
    qc_mp_mul(bound, t[2], multiplies ? machine->s_den : machine->s);
    qc_mp_round(t[0], bound, multiplies ? machine->s : machine->s_den, T);
    mpfr_swap(bound, t[0]);
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

/* Bounds in T, distances and their product in the wider of T and x's dtype. */
static int mask_product(qc_machine *machine, uint32_t T, int is_open)
{
    mpfr_t *const t = machine->scratch;
    const qc_oracle *const oracle = machine->oracle;
    const uint32_t wider =
        oracle->call->args[oracle->op->element].dtype == QC_F64 ? QC_F64 : T;
    typed_bound(machine, oracle->qmin, T, t[3]);
    distance_to(machine, t[3], wider, t[4]);
    typed_bound(machine, oracle->qmax, T, t[3]);
    distance_to(machine, t[3], wider, t[5]);
    if (mpfr_number_p(t[4]) && mpfr_number_p(t[5])) {
        qc_mp_mul(t[3], t[4], t[5]);
        round_number(machine, t[3], wider);
    } else {
        mpfr_set_prec(t[3], 64);
        mpfr_mul(t[3], t[4], t[5], MPFR_RNDN);
    }
    return !mpfr_nan_p(t[3]) && mpfr_sgn(t[3]) < !is_open;
}

/* The sign of x/s + z - code, or x*m + z - code, without a division. */
static int side_of_exact(qc_machine *machine, long code)
{
    mpfr_t *const t = machine->scratch;
    const int multiplies = qc_oracle_multiplies(machine->oracle);
    qc_machine_code_less_zp(machine, code, t[2]);
    qc_mp_mul(t[3], t[2], multiplies ? machine->s_den : machine->s);
    qc_mp_mul(t[4], machine->x, multiplies ? machine->s : machine->s_den);
    return mpfr_cmp(t[4], t[3]);
}

/* The sign of x less the bound in T; `clamp`: in f64 first. NaN, which only a special scale
   makes, is below every bound. */
static int side_of_typed(qc_machine *machine, long code, uint32_t T, int is_clamp)
{
    mpfr_t *const t = machine->scratch;
    typed_bound(machine, code, is_clamp ? QC_F64 : T, t[3]);
    if (is_clamp) {
        round_number(machine, t[3], T);
    }
    return mpfr_nan_p(t[3]) ? -1 : mpfr_cmp(machine->x, t[3]);
}

/* The sign of v + z - code. */
static int side_of_value(qc_machine *machine, long code)
{
    mpfr_t *const t = machine->scratch;
    qc_machine_code_less_zp(machine, code, t[2]);
    qc_mp_mul(t[3], t[2], machine->den);
    return mpfr_cmp(machine->num, t[3]);
}

static int side_of(qc_machine *machine, long code, const qc_step *step)
{
    const uint32_t T = qc_machine_type(machine, step->second);
    const int is_clamp =
        step->first == QC_TOKEN_clamp || step->first == QC_TOKEN_clamp_open;
    if (step->first == QC_TOKEN_value) {
        return side_of_value(machine, code);
    }
    return T == QC_NONE ? side_of_exact(machine, code)
                        : side_of_typed(machine, code, T, is_clamp);
}

int qc_machine_mask_real(qc_machine *machine, const qc_step *step)
{
    const qc_oracle *const oracle = machine->oracle;
    const int is_open = step->first == QC_TOKEN_real_open ||
                        step->first == QC_TOKEN_clamp_open ||
                        step->first == QC_TOKEN_product_open;
    if (!mpfr_number_p(machine->x) || mpfr_nan_p(machine->num)) {
        return 0;
    }
    const uint32_t T = qc_machine_type(machine, step->second);
    const int is_product =
        step->first == QC_TOKEN_product || step->first == QC_TOKEN_product_open;
    if (is_product && T != QC_NONE) { /* of exact distances: the sides' own signs */
        return mask_product(machine, T, is_open);
    }
    return side_of(machine, oracle->qmin, step) >= (is_product && is_open) &&
           side_of(machine, oracle->qmax, step) < !is_open;
}
