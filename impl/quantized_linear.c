/* SPDX-License-Identifier: Apache-2.0 */
/* quantized_linear, portable (W2, W3). */
#include "linear.h"

static void store(const qc_call *call, const qc_linear_row *row, char *at, int64_t sum)
{
    (void)call;
    *at = (char)(uint8_t)qc_sum_code(row, sum); /* the same bits for s8 and u8 */
}

void qc_quantized_linear_portable(const qc_call *call, const qc_run *run)
{
    (void)run;
    qc_linear_run(call, store);
}
