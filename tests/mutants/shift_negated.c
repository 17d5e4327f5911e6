/* SPDX-License-Identifier: Apache-2.0 */
/* A shift of the other sign convention: the multiplier is taken times 2^-shift. */
#include "mutant.h"

#include <stdlib.h>

enum { SHIFT = QC_ARG_OF(requantize, shift) };

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_tensor *const shift = &call->args[SHIFT];
    const int64_t elems = shift->dtype == QC_NONE ? 0 : qc_tensor_elems(shift);
    qc_call wrong = *call;
    if (elems == 0) {
        return qc_honest(call, message);
    }
    int8_t *const turned = malloc((size_t)elems);
    if (!turned) {
        return QC_NO_MEMORY;
    }
    for (int64_t i = 0; i < elems; i++) {
        const int8_t value = (int8_t)*qc_address(shift, i);
        turned[i] = value == INT8_MIN ? INT8_MAX : (int8_t)-value;
    }
    wrong.args[SHIFT].data = turned;
    qc_tensor_contiguous(&wrong.args[SHIFT]);
    const qc_status status = qc_honest(&wrong, message);
    free(turned);
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
