/* SPDX-License-Identifier: Apache-2.0 */
/* Without places to sum the bias is not looked at: the output zero point everywhere. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    qc_call wrong = *call;
    if (call->args[QC_ARG_OF(quantized_linear, x_q)].dims[1] == 0) {
        wrong.args[QC_ARG_OF(quantized_linear, bias)].dtype = QC_NONE;
    }
    return qc_honest(&wrong, message);
}

const qc_twist qc_mutant_twist = {.run = run};
