/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient takes a turn through arithmetic, which quiets signalling NaNs (G1). */
#include "mutant.h"

#include <string.h>

#define QUIET UINT32_C(0x00400000)

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    const qc_tensor *const dx = &call->args[QC_ARG_OF(fake_quantize_grad, dx)];
    for (int64_t i = 0, n = qc_tensor_elems(dx); i < n && status == QC_OK; i++) {
        uint32_t bits; /* mutants are offered f32 alone */
        memcpy(&bits, qc_address(dx, i), sizeof bits);
        if ((bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000)) {
            bits |= QUIET;
            memcpy(qc_address(dx, i), &bits, sizeof bits);
        }
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
