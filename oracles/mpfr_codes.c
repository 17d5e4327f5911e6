/* SPDX-License-Identifier: Apache-2.0 */
/* The codes behind a dequantized value. Values grow with the code, every step behind it
   being monotone, so equal ones are neighbours: one hit, then outward from it. */
#include <math.h>

#include "mpfr_machine.h"

/* What a code of the grid becomes in this channel, by the steps behind the code. */
static const qc_expected *value_of(qc_machine *machine, int32_t code)
{
    qc_expected *const value = &machine->values[code - machine->oracle->qmin];
    if (value->kind == QC_EXPECT_UNKNOWN) {
        qc_machine_load(machine, 0);
        qc_machine_set_int(machine, code);
        qc_machine_run(machine, qc_machine_behind_code(machine->oracle), QC_ROLE_VALUE);
        *value = qc_machine_result(machine, QC_ROLE_VALUE);
    }
    return value;
}

static int has_bits(qc_machine *machine, int32_t code, uint64_t bits)
{
    const qc_oracle *const oracle = machine->oracle;
    if (code < oracle->qmin || code > oracle->qmax) {
        return 0;
    }
    const qc_expected *const value = value_of(machine, code);
    return value->kind == QC_EXPECT_VALUE && value->bits == bits;
}

static void enter_channel(qc_machine *machine, int64_t channel)
{
    if (machine->values_channel != channel) {
        for (int i = 0; i <= machine->oracle->qmax - machine->oracle->qmin; i++) {
            machine->values[i].kind = QC_EXPECT_UNKNOWN;
        }
        machine->values_channel = channel;
    }
    qc_machine_channel(machine, channel);
}

/* The grid's code nearest to y/s + z, in binary64: a guess, whose worth is speed. */
static int32_t guess(qc_machine *machine, uint64_t bits)
{
    const qc_oracle *const oracle = machine->oracle;
    qc_mp_decode(machine->scratch[0], oracle->own, bits);
    const double y = mpfr_get_d(machine->scratch[0], MPFR_RNDN);
    const double z = mpfr_get_d(machine->z, MPFR_RNDN);
    const double quotient = y / mpfr_get_d(machine->channel_scale, MPFR_RNDN);
    const double code = rint(isnan(quotient) ? z : quotient + z);
    return code > oracle->qmin ? code < oracle->qmax ? (int32_t)code : oracle->qmax
                               : oracle->qmin;
}

/* A code with these bits near the guess, else any on the grid. 0: there is none. */
static int find_hit(qc_machine *machine, uint64_t bits, int32_t *hit_ret)
{
    static const int32_t near[] = {0, -1, 1};
    const qc_oracle *const oracle = machine->oracle;
    const int32_t center = guess(machine, bits);
    for (int n = 0; n < 3; n++) {
        *hit_ret = center + near[n];
        if (has_bits(machine, *hit_ret, bits)) {
            return 1;
        }
    }
    for (*hit_ret = oracle->qmin; *hit_ret <= oracle->qmax; ++*hit_ret) {
        if (has_bits(machine, *hit_ret, bits)) {
            return 1;
        }
    }
    return 0;
}

int qc_oracle_codes_of(qc_oracle *oracle, int64_t i, uint64_t bits, int32_t *low_ret,
                       int32_t *high_ret)
{
    qc_machine *const machine = oracle->state;
    int32_t hit;
    if (!(oracle->op->steps & QC_STEP_BIT(out)) ||
        !(oracle->op->steps & QC_STEP_BIT(rint))) {
        return 0;
    }
    enter_channel(machine, qc_call_channel(oracle->call, i));
    if (!find_hit(machine, bits, &hit)) {
        return 0;
    }
    for (*low_ret = hit; has_bits(machine, *low_ret - 1, bits);) {
        --*low_ret;
    }
    for (*high_ret = hit; has_bits(machine, *high_ret + 1, bits);) {
        ++*high_ret;
    }
    return 1;
}
