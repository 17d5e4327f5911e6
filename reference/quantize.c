/* SPDX-License-Identifier: Apache-2.0 */
#include "op.h"

void qc_reference_quantize(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const q = &call->args[QC_ARG_OF(quantize, q)];
    for (int64_t i = 0, elems = qc_tensor_elems(q); i < elems; i++) {
        qc_registers r;
        qc_registers_load(call, i, &r);
        qc_steps_evaluate(steps, &r);
        qc_store_code(q, i, &r.v);
    }
}
