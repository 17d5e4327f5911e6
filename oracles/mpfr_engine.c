/* SPDX-License-Identifier: Apache-2.0 */
/* The MPFR path over elements: blocks, NaN routed on bits, one machine. */
#include <stdlib.h>

#include "mpfr_machine.h"

static qc_status open_machine(qc_oracle *oracle, qc_message *message)
{
    qc_machine *const machine = malloc(sizeof *machine);
    if (!machine) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    oracle->state = machine;
    return qc_machine_open(machine, oracle);
}

static void close_machine(qc_oracle *oracle)
{
    qc_machine_close(oracle->state);
    free(oracle->state);
    mpfr_free_cache();
}

uint32_t qc_machine_behind_code(const qc_oracle *oracle)
{
    uint32_t behind = 0;
    for (uint32_t i = 0; i < oracle->steps.count; i++) {
        const uint32_t kind = oracle->steps.step[i].kind;
        if (kind == QC_STEP_clamp || kind == QC_STEP_code) {
            behind = i + 1;
        }
    }
    return behind;
}

/* Rule S1: a NaN element takes no step before it is a code. */
static qc_expected nan_result(qc_machine *machine, uint32_t rule, uint32_t role)
{
    const qc_oracle *const oracle = machine->oracle;
    long code = 0;
    if (rule == QC_TOKEN_undefined) {
        return (qc_expected){0, QC_EXPECT_UNDEFINED};
    }
    if (role == QC_ROLE_MASK) {
        return (qc_expected){0, QC_EXPECT_VALUE};
    }
    if (rule == QC_TOKEN_consistent) {
        return (qc_expected){0, QC_EXPECT_CONSISTENT};
    }
    if (rule == QC_TOKEN_zp) {
        code = oracle->float_zp ? mpfr_get_si(machine->z, MPFR_RNDN) : machine->z_code;
    }
    code = code < oracle->qmin || rule == QC_TOKEN_qmin ? oracle->qmin : code;
    code = code > oracle->qmax || rule == QC_TOKEN_qmax ? oracle->qmax : code;
    qc_machine_load(machine, 0);
    qc_machine_set_int(machine, code);
    qc_machine_run(machine, qc_machine_behind_code(oracle), role);
    return qc_machine_result(machine, role);
}

static qc_expected expect_one(qc_machine *machine, uint64_t bits, uint32_t role)
{
    const qc_step *const first = &machine->oracle->steps.step[0];
    qc_machine_load(machine, bits);
    if (mpfr_nan_p(machine->x) && first->kind == QC_STEP_nan &&
        machine->oracle->steps.count) {
        return nan_result(machine, first->first, role);
    }
    qc_machine_run(machine, 0, role);
    return qc_machine_result(machine, role);
}

static void expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret)
{
    qc_machine *const machine = oracle->state;
    const uint32_t role = oracle->op->roles[arg];
    qc_block block;
    for (int64_t done = 0; done < count; done += block.count) {
        qc_block_load(oracle, first + done, count - done, &block);
        for (int64_t i = 0; i < block.count; i++) {
            qc_machine_channel(machine, block.channel);
            expected_ret[done + i] = expect_one(machine, block.bits[i], role);
        }
    }
}

const qc_engine qc_engine_mpfr = {open_machine, close_machine, expect};
