/* SPDX-License-Identifier: Apache-2.0 */
/* quantized_linear_f32, portable (W4). */
#include "linear.h"

#include <string.h>

static void store(const qc_call *call, const qc_linear_row *row, char *at, int64_t sum)
{
    const float y = qc_sum_real(row, sum);
    (void)call;
    memcpy(at, &y, sizeof y);
}

void qc_quantized_linear_f32_portable(const qc_call *call, const qc_run *run)
{
    (void)run;
    qc_linear_run(call, store);
}
