/* SPDX-License-Identifier: Apache-2.0 */
/* x times the f32 reciprocal of the scale, where that is a normal number: beyond, the product
   leaves nearest(delta*), as every reciprocal does (semantics.md N2). */
#include "mutant.h"

#define LOW 0x1p-126
#define HIGH 0x1p126

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    for (int64_t i = 0, n = qc_tensor_elems(&call->args[1]); i < n; i++) {
        const double scale = qc_value(&call->args[1], i);
        if (scale < LOW || scale > HIGH) {
            return qc_honest(call, message);
        }
    }
    return qc_rival_run(call, "reciprocal_f32", message);
}

const qc_twist qc_mutant_twist = {.run = run};
