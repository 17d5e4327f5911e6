/* SPDX-License-Identifier: Apache-2.0 */
/* Places of K behind the last whole vector of 16 are not summed. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    qc_call wrong = *call;
    for (int side = 0; side < 2; side++) { /* x_q, w_q: strides stay as they are */
        wrong.args[side].dims[1] -= wrong.args[side].dims[1] % 16;
    }
    return qc_honest(&wrong, message);
}

const qc_twist qc_mutant_twist = {.run = run};
