/* SPDX-License-Identifier: Apache-2.0 */
#include "op.h"

void qc_reference_ste_mask(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const mask = &call->args[QC_ARG_OF(ste_mask, mask)];
    for (int64_t i = 0, elems = qc_tensor_elems(mask); i < elems; i++) {
        qc_registers r;
        qc_registers_load(call, i, &r);
        qc_steps_evaluate(steps, &r);
        const qc_value bit = qc_value_of(r.mask);
        qc_store_code(mask, i, &bit);
    }
}
