/* SPDX-License-Identifier: Apache-2.0 */
#include "op.h"

void qc_reference_dequantize(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const y = &call->args[QC_ARG_OF(dequantize, y)];
    for (int64_t i = 0, elems = qc_tensor_elems(y); i < elems; i++) {
        qc_registers r;
        qc_registers_load(call, i, &r);
        r.own = qc_token_of(y->dtype); /* the element is a code */
        qc_steps_evaluate(steps, &r);
        qc_store_real(y, i, &r.v);
    }
}
