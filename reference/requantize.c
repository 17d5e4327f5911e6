/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "op.h"

#define ARG(name) (&call->args[QC_ARG_OF(requantize, name)])

/* U1, U2. Scaling by 2^shift is exact: a multiplier has at most 31 bits. */
static void registers_load(const qc_call *call, int64_t i, qc_registers *r)
{
    const int64_t channel = qc_call_channel(call, i);
    r->is_acc = 1;
    r->acc = qc_load_integer(ARG(acc), i);
    r->x = (double)r->acc;
    r->shift = ARG(shift)->dtype == QC_NONE ? 0 : (int32_t)qc_load(ARG(shift), channel);
    r->s = r->scale = ldexp(qc_load(ARG(multiplier), channel), r->shift);
    r->z = qc_load(ARG(zero_point), channel);
    r->own = QC_TOKEN_f64; /* no step of the op names it */
    r->code = qc_call_code_dtype(call);
    qc_call_grid(call, &r->qmin, &r->qmax);
}

void qc_reference_requantize(const qc_call *call, const qc_steps *steps)
{
    for (int64_t i = 0, elems = qc_tensor_elems(ARG(q)); i < elems; i++) {
        qc_registers r;
        registers_load(call, i, &r);
        qc_steps_evaluate(steps, &r);
        qc_store_code(ARG(q), i, &r.v);
    }
}
