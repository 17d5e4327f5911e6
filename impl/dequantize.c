/* SPDX-License-Identifier: Apache-2.0 */
/* dequantize, portable (rules D1, D2). Exact: see real.h and real.c. */
#include "kernel.h"
#include "real.h"

enum { Q = QC_ARG_OF(dequantize, q), Y = QC_ARG_OF(dequantize, y) };

/* Specialised by constants: the dtype of y, and strides that are all 1. */
QC_INLINE void line(const qc_call *call, const qc_run *run, uint32_t dtype, int is_dense)
{
    const int64_t q_stride = is_dense ? 1 : run->stride[Q];
    const int64_t y_stride = is_dense ? 1 : run->stride[Y];
    const int is_signed = call->args[Q].dtype == QC_S8;
    qc_channel c = qc_channel_load(call, run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        if (i > 0 && run->channel_step) {
            c = qc_channel_load(call, run->channel + i);
        }
        const uint8_t bits = (uint8_t)run->data[Q][i * q_stride];
        const int32_t code = is_signed ? (int8_t)bits : bits;
        qc_real_store(&c, code - c.int_zp, dtype, run->data[Y], i * y_stride);
    }
}

void qc_dequantize_portable(const qc_call *call, const qc_run *run)
{
    const int is_dense = run->stride[Q] == 1 && run->stride[Y] == 1;
    switch (call->args[Y].dtype) {
#define CASE(DTYPE) \
    case DTYPE: is_dense ? line(call, run, DTYPE, 1) : line(call, run, DTYPE, 0); break;
        CASE(QC_F32)
        CASE(QC_F64)
        CASE(QC_F16)
        CASE(QC_BF16)
#undef CASE
    }
}
