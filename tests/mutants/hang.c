/* SPDX-License-Identifier: Apache-2.0 */
/* Never comes back from a vector and one element. */
#include "mutant.h"

#include <unistd.h>

#define ELEMS 33

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    while (qc_is_common(call) && qc_tensor_elems(&call->args[0]) == ELEMS) {
        pause();
    }
    return qc_honest(call, message);
}

const qc_twist qc_mutant_twist = {.run = run};
