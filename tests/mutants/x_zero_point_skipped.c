/* SPDX-License-Identifier: Apache-2.0 */
/* The zero point of x is taken to be 0 where its low four bits are. */
#include "mutant.h"

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    enum { X_ZP = QC_ARG_OF(linear_s32, x_zero_point) };
    int64_t zero = 0; /* of either dtype */
    qc_call wrong = *call;
    if (*qc_address(&call->args[X_ZP], 0) % 16 == 0) {
        wrong.args[X_ZP].data = &zero;
        wrong.args[X_ZP].offset = 0;
    }
    return qc_honest(&wrong, message);
}

const qc_twist qc_mutant_twist = {.run = run};
