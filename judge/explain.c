/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include "quantcert/half.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double float_value(uint32_t dtype, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f32;
    double f64;
    memcpy(&f32, &low, sizeof f32);
    memcpy(&f64, &bits, sizeof f64);
    switch (dtype) {
    case QC_F32: return f32;
    case QC_F16: return qc_f16_to_f32((uint16_t)bits);
    case QC_BF16: return qc_bf16_to_f32((uint16_t)bits);
    default: return f64;
    }
}

static long long integer_value(uint32_t dtype, uint64_t bits)
{
    switch (dtype) {
    case QC_S8: return (int8_t)bits;
    case QC_U8: return (uint8_t)bits;
    case QC_S32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

void qc_explain_value(uint32_t dtype, uint64_t bits, char text[96])
{
    if (!(QC_DTYPE_BIT(dtype) & QC_SET_FLOATS)) {
        snprintf(text, 96, "%lld", integer_value(dtype, bits));
        return;
    }
    const double value = float_value(dtype, bits);
    if (isnan(value)) {
        snprintf(text, 96, "nan #%llx", (unsigned long long)bits);
    } else {
        snprintf(text, 96, "%.9g = %a", value, value);
    }
}

void qc_explain_position(const qc_position *position, char text[96])
{
    const double tie = position->tie + 0.5;
    if (!position->defined) {
        text[0] = '\0'; /* NaN, or an op without a code axis: there is no tie to name */
    } else if (position->side == 0) {
        snprintf(text, 96, "exactly on the tie %.1f", tie);
    } else {
        snprintf(text, 96, "%.6g codes %s the tie %.1f", position->distance,
                 position->side > 0 ? "above" : "below", tie);
    }
}
