/* SPDX-License-Identifier: Apache-2.0 */
/* The scale of an element is read off the axis before the one that was asked for. */
#include "mutant.h"

/* One element, with a scale of its own. */
static qc_status run_one(const qc_call *call, int64_t i, int64_t scale,
                         qc_message *message)
{
    const int64_t channel = qc_call_channel(call, i);
    const int64_t at[4] = {i, scale, channel, i};
    qc_call one = *call;
    one.attrs.axis = QC_AXIS_NONE;
    for (int arg = 0; arg < 4; arg++) {
        one.args[arg].data = qc_address(&call->args[arg], at[arg]);
        one.args[arg].rank = 0;
        one.args[arg].offset = 0;
    }
    return qc_honest(&one, message);
}

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    if (call->attrs.axis == QC_AXIS_NONE || call->args[0].rank < 2) {
        return qc_honest(call, message);
    }
    qc_call wrong = *call;
    const int32_t rank = (int32_t)call->args[0].rank;
    wrong.attrs.axis = (call->attrs.axis + 2 * rank - 1) % rank;
    qc_status status = QC_OK;
    for (int64_t i = 0, n = qc_tensor_elems(&call->args[0]); i < n && status == QC_OK;
         i++) {
        const int64_t scale = qc_call_channel(&wrong, i) % call->args[1].dims[0];
        status = run_one(call, i, scale, message);
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
