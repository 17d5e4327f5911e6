/* SPDX-License-Identifier: Apache-2.0 */
/* f16 (IEEE binary16) and bf16 held in uint16_t, and their conversions. Widening is exact;
   narrowing rounds to nearest, ties to even, with IEEE overflow and gradual underflow, and
   keeps a NaN a NaN. */
#ifndef QUANTCERT_HALF_H
#define QUANTCERT_HALF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

float qc_f16_to_f32(uint16_t bits);
float qc_bf16_to_f32(uint16_t bits);

/* One rounding from binary64, never two: f32 in between would round twice. */
uint16_t qc_f64_to_f16(double value);
uint16_t qc_f64_to_bf16(double value);

#ifdef __cplusplus
}
#endif
#endif
