/* SPDX-License-Identifier: Apache-2.0 */
#include "ranges.h"

int qc_is_range_op(uint32_t op)
{
    return op == QC_OP_choose_qparams || op == QC_OP_observe;
}

static int op_has_step(uint32_t op, uint8_t kind)
{
    switch (kind) {
    case QC_STEP_span:
    case QC_STEP_reach:
    case QC_STEP_steps:
    case QC_STEP_cutoff:
    case QC_STEP_anchor:
    case QC_STEP_zero_point:
    case QC_STEP_narrow: return op == QC_OP_choose_qparams;
    case QC_STEP_extremes:
    case QC_STEP_start:
    case QC_STEP_join:
    case QC_STEP_average:
    case QC_STEP_out: return op == QC_OP_observe;
    default: return 0;
    }
}

qc_status qc_range_steps_check(uint32_t op, const qc_steps *steps, qc_message *message)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!op_has_step(op, steps->step[i].kind)) {
            return qc_fail(QC_UNSUPPORTED, message, "step %u: not one of %s", i + 1,
                           qc_op_get(op)->name);
        }
    }
    return QC_OK;
}
