/* SPDX-License-Identifier: Apache-2.0 */
/* The bias is dropped where the number of columns is odd. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    qc_call wrong = *call;
    if (call->args[QC_ARG_OF(quantized_linear, w_q)].dims[0] % 2 != 0) {
        wrong.args[QC_ARG_OF(quantized_linear, bias)].dtype = QC_NONE;
    }
    return qc_honest(&wrong, message);
}

const qc_twist qc_mutant_twist = {.run = run};
