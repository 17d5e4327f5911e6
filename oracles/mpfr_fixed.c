/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point multipliers, in one rounding or two: rule U3. s is multiplier * 2^shift. */
#include "mpfr_machine.h"

/* The right shift that is left for the second stage, as an exponent: 0 or below. */
static int32_t second_exponent(const qc_machine *machine)
{
    return machine->shift + 31 < 0 ? machine->shift + 31 : 0;
}

/* v := v held to [-2^n, 2^n - 1] * 2^-by, whose upper end needs n bits. */
void qc_mpfr_step_left(qc_machine *machine, const qc_step *step)
{
    const mpfr_exp_t bits = step->first == QC_TOKEN_s64 ? 63 : 31;
    const mpfr_exp_t by = machine->shift + 31 > 0 ? machine->shift + 31 : 0;
    mpfr_t *const end = &machine->scratch[0];
    mpfr_set_prec(*end, 64);
    mpfr_set_ui_2exp(*end, 1, bits, MPFR_RNDN);
    mpfr_sub_ui(*end, *end, 1, MPFR_RNDN);
    mpfr_mul_2si(*end, *end, -by, MPFR_RNDN);
    if (mpfr_cmp(machine->num, *end) > 0) {
        qc_mp_copy(machine->num, *end);
        return;
    }
    mpfr_set_si_2exp(*end, -1, bits - by, MPFR_RNDN);
    if (mpfr_cmp(machine->num, *end) < 0) {
        qc_mp_copy(machine->num, *end);
    }
}

/* v := v * multiplier * 2^max(shift, -31): s without what the second stage takes. */
void qc_mpfr_step_highmul(qc_machine *machine, const qc_step *step)
{
    const qc_step exactly = {.first = QC_TOKEN_exact};
    qc_mpfr_step_mul(machine, &exactly);
    mpfr_mul_2si(machine->num, machine->num, -second_exponent(machine), MPFR_RNDN);
    if (step->first == QC_TOKEN_twice) {
        qc_machine_round(machine, step->second);
    }
}

void qc_mpfr_step_shift(qc_machine *machine, const qc_step *step)
{
    mpfr_mul_2si(machine->num, machine->num, second_exponent(machine), MPFR_RNDN);
    qc_machine_round(machine, step->first);
}
