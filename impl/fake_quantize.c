/* SPDX-License-Identifier: Apache-2.0 */
/* fake_quantize, portable (rules K1, K2, M1): the code of code.h, the real value of
   real.h, both exact, so that y is dequantize of quantize bit for bit. */
#include "code.h"
#include "kernel.h"
#include "real.h"

enum {
    X = QC_ARG_OF(fake_quantize, x),
    Y = QC_ARG_OF(fake_quantize, y),
    MASK = QC_ARG_OF(fake_quantize, mask)
};

/* Specialised by constants: the dtype of x and y, and strides that are all 1. */
QC_INLINE void line(const qc_call *call, const qc_run *run, uint32_t dtype, int is_dense)
{
    const int64_t x_stride = is_dense ? 1 : run->stride[X];
    const int64_t y_stride = is_dense ? 1 : run->stride[Y];
    qc_channel c = qc_channel_load(call, run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        if (i > 0 && run->channel_step) {
            c = qc_channel_load(call, run->channel + i);
        }
        const int32_t code = qc_code(&c, qc_real_load(dtype, run->data[X], i * x_stride));
        qc_real_store(&c, qc_code_in_grid(&c, code), dtype, run->data[Y], i * y_stride);
        if (run->data[MASK]) { /* NaN and what is outside differ from low ... high */
            run->data[MASK][i * run->stride[MASK]] = code >= c.low && code <= c.high;
        }
    }
}

void qc_fake_quantize_portable(const qc_call *call, const qc_run *run)
{
    const int is_dense = run->stride[X] == 1 && run->stride[Y] == 1;
    switch (call->args[X].dtype) {
#define CASE(DTYPE) \
    case DTYPE: is_dense ? line(call, run, DTYPE, 1) : line(call, run, DTYPE, 0); break;
        CASE(QC_F32)
        CASE(QC_F64)
        CASE(QC_F16)
        CASE(QC_BF16)
#undef CASE
    }
}
