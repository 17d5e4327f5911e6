/* SPDX-License-Identifier: Apache-2.0 */
/* linear_s32, portable (W1). A sum that does not fit s32 is `undefined`: its low bits are
   written, as nothing else would be better. */
#include "linear.h"

#include <string.h>

static void store(const qc_call *call, const qc_linear_row *row, char *at, int64_t sum)
{
    const uint32_t low = (uint32_t)((uint64_t)sum & UINT32_MAX);
    (void)row;
    if (call->args[QC_ARG_OF(linear_s32, acc)].dtype == QC_S64) {
        memcpy(at, &sum, sizeof sum);
    } else {
        memcpy(at, &low, sizeof low);
    }
}

void qc_linear_s32_portable(const qc_call *call, const qc_run *run)
{
    (void)run;
    qc_linear_run(call, store);
}
