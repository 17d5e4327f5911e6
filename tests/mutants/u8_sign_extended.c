/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of a u8 x are widened as if they were s8: those from 128 on are 256 too low. */
#include "mutant.h"

#include <string.h>

enum {
    X = QC_ARG_OF(linear_s32, x_q),
    W = QC_ARG_OF(linear_s32, w_q),
    W_ZP = QC_ARG_OF(linear_s32, w_zero_point),
    ACC = QC_ARG_OF(linear_s32, acc)
};

static int64_t integer_at(const qc_tensor *t, int64_t i)
{
    int32_t s32;
    int64_t s64;
    if (t->dtype == QC_S64) {
        memcpy(&s64, qc_address(t, i), sizeof s64);
        return s64;
    }
    memcpy(&s32, qc_address(t, i), sizeof s32);
    return s32;
}

/* The sum of w_q - w_zero_point over the places where x is 128 or more. */
static int64_t high_sum(const qc_call *call, int64_t m, int64_t n)
{
    const qc_tensor *const w = &call->args[W];
    const qc_tensor *const zp = &call->args[W_ZP];
    const int64_t w_zp = integer_at(zp, zp->rank ? n : 0);
    const int64_t depth = w->dims[1];
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; k++) {
        const unsigned char code = *qc_address(w, n * depth + k);
        const int64_t value = w->dtype == QC_S8 ? (int8_t)code : code;
        sum += *qc_address(&call->args[X], m * depth + k) >= 128 ? value - w_zp : 0;
    }
    return sum;
}

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    const qc_status status = qc_honest(call, message);
    const qc_tensor *const acc = &call->args[ACC];
    const int64_t elems = call->args[X].dtype == QC_U8 ? qc_tensor_elems(acc) : 0;
    for (int64_t i = 0; i < elems; i++) {
        const int64_t sum =
            integer_at(acc, i) - 256 * high_sum(call, i / acc->dims[1], i % acc->dims[1]);
        const uint32_t low = (uint32_t)((uint64_t)sum & UINT32_MAX);
        memcpy(qc_address(acc, i), acc->dtype == QC_S64 ? (const void *)&sum : &low,
               qc_dtype_bytes(acc->dtype));
    }
    return status;
}

const qc_twist qc_mutant_twist = {.run = run};
