/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of the grid: clamps (rule S6) and masks by the rounded code (M1, S8). */
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
void qc_machine_code_less_zp(qc_machine *machine, long code, mpfr_t bound)
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
        qc_machine_code_less_zp(machine, codes[end], t[2]);
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

static int mask_grid(qc_machine *machine, int is_open)
{
    return !qc_machine_is_special(machine) &&
           qc_machine_compare(machine, machine->oracle->qmin) >= 0 &&
           qc_machine_compare(machine, machine->oracle->qmax) < !is_open;
}

void qc_mpfr_step_mask(qc_machine *machine, const qc_step *step)
{
    const int is_open = step->first == QC_TOKEN_grid_open;
    machine->mask = is_open || step->first == QC_TOKEN_grid
                        ? mask_grid(machine, is_open)
                        : qc_machine_mask_real(machine, step);
}
