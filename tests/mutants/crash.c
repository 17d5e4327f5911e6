/* SPDX-License-Identifier: Apache-2.0 */
/* A write through NULL. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    if (qc_is_common(call)) {
        *(volatile unsigned char *)NULL = 0;
    }
    return qc_honest(call, message);
}

const qc_twist qc_mutant_twist = {.run = run};
