/* SPDX-License-Identifier: Apache-2.0 */
/* A NaN in the last elements, fewer than a vector, gives the far end of the grid. */
#include "mutant.h"

#include <math.h>

#define VECTOR_ELEMS 32

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    const int64_t elems = qc_tensor_elems(&call->args[0]);
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    for (int64_t i = elems - elems % VECTOR_ELEMS; i < elems && status == QC_OK; i++) {
        if (isnan(qc_value(&call->args[0], i))) {
            unsigned char *const code = qc_address(&call->args[3], i);
            *code =
                *code == (unsigned char)qmax ? (unsigned char)qmin : (unsigned char)qmax;
        }
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
