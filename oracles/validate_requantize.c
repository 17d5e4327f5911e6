/* SPDX-License-Identifier: Apache-2.0 */
/* Rule U4 once more, on the multipliers' bits; contract/check_requantize.c is the other
   reading. */
#include "engine.h"

static qc_status forms(const qc_call *call, qc_message *message)
{
    const int is_s32 = call->args[QC_ARG_OF(requantize, multiplier)].dtype == QC_S32;
    const int is_shifted = call->args[QC_ARG_OF(requantize, shift)].dtype != QC_NONE;
    switch (call->attrs.params) {
    case QC_PARAMS_real:
        return is_s32 || is_shifted
                   ? qc_fail(QC_INVALID, message,
                             "real parameters are a float multiplier and no shift")
                   : QC_OK;
    case QC_PARAMS_fixed:
        return !is_s32 || !is_shifted
                   ? qc_fail(QC_INVALID, message,
                             "fixed parameters are an s32 multiplier and a shift")
                   : QC_OK;
    default: return qc_fail(QC_INVALID, message, "params must be real or fixed");
    }
}

/* 1 for s32 >= 0, and for floats that are finite and > 0. */
static int is_multiplier(uint32_t dtype, uint64_t bits)
{
    switch (dtype) {
    case QC_S32: return (bits >> 31 & 1) == 0;
    case QC_F32: return bits != 0 && bits < UINT64_C(0x7f800000);
    default: return bits != 0 && bits < UINT64_C(0x7ff0000000000000);
    }
}

qc_status qc_validate_requantize(const qc_call *call, qc_message *message)
{
    const qc_tensor *const multiplier = &call->args[QC_ARG_OF(requantize, multiplier)];
    const qc_status status = forms(call, message);
    if (status != QC_OK) {
        return status;
    }
    for (int64_t i = 0; i < qc_tensor_elems(multiplier); i++) {
        const uint64_t bits = qc_arg_bits(multiplier, i);
        if (!is_multiplier(multiplier->dtype, bits)) {
            return qc_fail(QC_INVALID, message,
                           "multiplier %lld is out of range (bits 0x%llx)", (long long)i,
                           (unsigned long long)bits);
        }
    }
    return QC_OK;
}
