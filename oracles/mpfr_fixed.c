/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point multipliers, in one rounding or two: rule U3. s is multiplier * 2^shift. */
#include "mpfr_machine.h"

/* The right shift that is left for the second stage, as an exponent: 0 or below. */
static int32_t second_exponent(const qc_machine *machine)
{
    return machine->shift + 31 < 0 ? machine->shift + 31 : 0;
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
