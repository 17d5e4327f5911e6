/* SPDX-License-Identifier: Apache-2.0 */
#include "op.h"

void qc_reference_fake_quantize(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const y = &call->args[QC_ARG_OF(fake_quantize, y)];
    const qc_tensor *const mask = &call->args[QC_ARG_OF(fake_quantize, mask)];
    for (int64_t i = 0, elems = qc_tensor_elems(y); i < elems; i++) {
        qc_registers r;
        qc_registers_load(call, i, &r);
        qc_steps_evaluate(steps, &r);
        qc_store_real(y, i, &r.v);
        if (mask->dtype != QC_NONE) {
            const qc_value bit = qc_value_of(r.mask);
            qc_store_code(mask, i, &bit);
        }
    }
}
