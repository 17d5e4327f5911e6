/* SPDX-License-Identifier: Apache-2.0 */
/* Every channel gets the first channel's scale. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    qc_call wrong = *call;
    wrong.args[1].strides[0] = 0;
    return qc_honest(&wrong, message);
}

const qc_twist qc_mutant_twist = {.run = run};
