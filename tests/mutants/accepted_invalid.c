/* SPDX-License-Identifier: Apache-2.0 */
/* A scale of zero or less is taken for 1 (semantics.md V6). */
#include "mutant.h"

static const double one = 1;

static qc_call mended(const qc_call *call)
{
    qc_call copy = *call;
    qc_tensor *const scale = &copy.args[1];
    const int is_scale = (QC_SET_SCALES & QC_DTYPE_BIT(scale->dtype)) != 0;
    if (is_scale && scale->data && qc_tensor_elems(scale) > 0 &&
        !(qc_value(scale, 0) > 0)) {
        scale->dtype = QC_F64;
        scale->strides[0] = 0;
        scale->offset = 0;
        scale->data = (void *)(uintptr_t)&one;
    }
    return copy;
}

static qc_status prepare(const qc_call *call, qc_message *message)
{
    const qc_call copy = mended(call);
    return qc_call_check(&copy, message);
}

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_call copy = mended(call);
    return qc_honest(&copy, message);
}

const qc_twist qc_mutant_twist = {.prepare = prepare, .run = run};
