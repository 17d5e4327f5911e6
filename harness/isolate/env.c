/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment: its control part, never the sticky exception flags. */
#include <fenv.h>
#include <float.h>

#include "harness/isolate/shared.h"

#if defined(__x86_64__)

#define MXCSR_ROUNDING 0x6000u
#define MXCSR_FLUSH 0x8040u /* flush to zero, denormals are zero */
#define MXCSR_MASKS 0x1F80u
#define MXCSR_DEFAULT 0x1F80u
#define X87_ROUNDING 0x0C00u
#define X87_OTHER 0x033Fu /* precision and exception masks */
#define X87_DEFAULT 0x037Fu

static uint32_t mxcsr_read(void)
{
    uint32_t value = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

static uint16_t x87_read(void)
{
    uint16_t value = 0;
    __asm__ volatile("fnstcw %0" : "=m"(value));
    return value;
}

void qc_env_canonical(void)
{
    const uint32_t mxcsr = MXCSR_DEFAULT;
    const uint16_t x87 = X87_DEFAULT;
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87));
}

uint32_t qc_env_changed(void)
{
    const uint32_t mxcsr = mxcsr_read() ^ MXCSR_DEFAULT;
    const uint32_t x87 = (uint32_t)x87_read() ^ X87_DEFAULT;
    return ((mxcsr & MXCSR_ROUNDING) | (x87 & X87_ROUNDING) ? QC_ENV_ROUNDING : 0u) |
           (mxcsr & MXCSR_FLUSH ? QC_ENV_FLUSH : 0u) |
           ((mxcsr & MXCSR_MASKS) | (x87 & X87_OTHER) ? QC_ENV_OTHER : 0u);
}

#else

void qc_env_canonical(void)
{
    fesetenv(FE_DFL_ENV);
}

uint32_t qc_env_changed(void)
{
    volatile float subnormal = FLT_MIN;
    subnormal = subnormal * 0.5f;
    return (fegetround() != FE_TONEAREST ? QC_ENV_ROUNDING : 0u) |
           (subnormal == 0 ? QC_ENV_FLUSH : 0u) | (fegetexcept() ? QC_ENV_OTHER : 0u);
}

#endif
