/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-point multipliers, in one rounding or two (rule U3). s is multiplier * 2^shift. */
#include <math.h>

#include "steps.h"

/* What is left for the second stage: a right shift where shift < -31, else nothing. */
static int second_exponent(const qc_registers *r)
{
    return r->shift < -31 ? r->shift + 31 : 0;
}

static void round_value(qc_registers *r, uint8_t ties)
{
    if (r->v.is_exact) {
        r->v = qc_value_of_wide(qc_exact_rint(&r->v.exact, (qc_token)ties));
    }
}

static void multiply(qc_registers *r, double factor)
{
    if (r->v.is_exact) {
        qc_exact_multiply(&r->v.exact, factor);
    }
}

/* The highest value is 2^bits - 1, the lowest -2^bits, over what highmul shifts by. */
void qc_step_left(qc_registers *r, qc_step step)
{
    const int bits = step.first == QC_TOKEN_s64 ? 63 : 31;
    const int by = r->shift > -31 ? r->shift + 31 : 0;
    const double beyond = ldexp(1.0, bits - by);
    if (qc_value_compare(&r->v, -beyond) < 0) {
        r->v = qc_value_of(-beyond);
    } else if (bits == 31 && qc_value_compare(&r->v, ldexp(INT32_MAX, -by)) > 0) {
        r->v = qc_value_of(ldexp(INT32_MAX, -by));
    } else if (bits == 63 && qc_value_compare(&r->v, beyond) >= 0) {
        r->v = qc_value_of_wide(INT64_MAX);
        qc_exact_multiply(&r->v.exact, ldexp(1.0, -by));
    }
}

/* The factor is multiplier * 2^max(shift, -31): exact in a double. */
void qc_step_highmul(qc_registers *r, qc_step step)
{
    multiply(r, ldexp(r->s, -second_exponent(r)));
    if (step.first == QC_TOKEN_twice) {
        round_value(r, step.second);
    }
}

void qc_step_shift(qc_registers *r, qc_step step)
{
    multiply(r, ldexp(1.0, second_exponent(r)));
    round_value(r, step.first);
}
