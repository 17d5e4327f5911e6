/* SPDX-License-Identifier: Apache-2.0 */
/* quantize, portable (rules Q1 to Q5). Exact: see code.h for the proof and its
   witness. */
#include "code.h"
#include "kernel.h"

enum { X = QC_ARG_OF(quantize, x), Q = QC_ARG_OF(quantize, q) };

/* Specialised by constants: the dtype of x, and strides that are all 1. */
QC_INLINE void line(const qc_call *call, const qc_run *run, uint32_t dtype, int is_dense)
{
    const int64_t x_stride = is_dense ? 1 : run->stride[X];
    const int64_t q_stride = is_dense ? 1 : run->stride[Q];
    qc_channel c = qc_channel_load(call, run->channel);
    for (int64_t i = 0; i < run->count; i++) {
        if (i > 0 && run->channel_step) {
            c = qc_channel_load(call, run->channel + i);
        }
        const double x = qc_real_load(dtype, run->data[X], i * x_stride);
        const int32_t code = qc_code_in_grid(&c, qc_code(&c, x)) + c.int_zp;
        run->data[Q][i * q_stride] =
            (char)(uint8_t)code; /* the same bits for s8 and u8 */
    }
}

void qc_quantize_portable(const qc_call *call, const qc_run *run)
{
    const int is_dense = run->stride[X] == 1 && run->stride[Q] == 1;
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
