/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include <string.h>

double qc_number_load(const qc_tensor *tensor, int64_t i)
{
    const char *const at =
        (const char *)tensor->data +
        qc_tensor_at(tensor, i) * (int64_t)qc_dtype_bytes(tensor->dtype);
    float f32;
    double f64;
    int32_t s32;
    int64_t s64;
    switch (tensor->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    case QC_S32: memcpy(&s32, at, sizeof s32); return s32;
    default: memcpy(&s64, at, sizeof s64); return (double)s64;
    }
}

qc_status qc_prefixed(qc_status status, qc_message *message, const char *prefix)
{
    if (status == QC_OK || !message) {
        return status;
    }
    const qc_message inner = *message;
    return qc_fail(status, message, "%s: %s", prefix, inner.text);
}
