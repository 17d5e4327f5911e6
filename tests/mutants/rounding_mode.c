/* SPDX-License-Identifier: Apache-2.0 */
/* The rounding mode is left upward. */
#include "mutant.h"

#include <fenv.h>

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    fesetround(FE_UPWARD);
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
