/* SPDX-License-Identifier: Apache-2.0 */
/* What the filtered path's proofs take for granted of the machine and the compiler. */
#include <fenv.h>
#include <float.h>

#include "engine.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#define FLUSH_TO_ZERO 0x8000u
#define DENORMALS_ARE_ZERO 0x0040u

static int flushes(void)
{
#if defined(__SSE2__)
    return (_mm_getcsr() & (FLUSH_TO_ZERO | DENORMALS_ARE_ZERO)) != 0;
#else
    return 0; /* the arithmetic check below is the whole test */
#endif
}

/* 1 when half the smallest normal is lost on its way through arithmetic. */
static int loses_subnormals(void)
{
    volatile float smallest_f32 = FLT_MIN;
    volatile double smallest_f64 = DBL_MIN;
    volatile float half_f32 = smallest_f32 / 2;
    volatile double half_f64 = smallest_f64 / 2;
    volatile float twice_f32 = half_f32 * 2;
    volatile double twice_f64 = half_f64 * 2;
    return twice_f32 != FLT_MIN || twice_f64 != DBL_MIN;
}

/* (1 + 2^-27)^2 - (1 + 2^-26) is 2^-54 when fused, 0 when the product is rounded. */
static int contracts(void)
{
    volatile double factor = 1 + 0x1p-27;
    volatile double rounded_square = -(1 + 0x1p-26);
    const double a = factor;
    const double b = rounded_square;
    volatile double rest = a * a + b;
    return rest != 0;
}

/* 1 + 2^-53 is a tie that goes to 1 in binary64, and above it with excess precision; the
   same upwards from -1 tells directed roundings. */
static int rounds_otherwise(void)
{
    volatile double one = 1;
    volatile double half_ulp = 0x1p-53;
    volatile double above = one + half_ulp;
    volatile double below = -one - half_ulp;
    volatile double odd = (1 + 0x1p-52) + half_ulp;
    return above != 1 || below != -1 || odd != 1 + 0x1p-51;
}

qc_status qc_oracle_preconditions(qc_message *message)
{
    if (FLT_EVAL_METHOD != 0) {
        return qc_fail(QC_FAULT, message,
                       "FLT_EVAL_METHOD is %d, 0 expected: operations "
                       "have excess precision",
                       (int)FLT_EVAL_METHOD);
    }
    if (fegetround() != FE_TONEAREST || rounds_otherwise()) {
        return qc_fail(QC_FAULT, message,
                       "arithmetic does not round to nearest (mode %d)", fegetround());
    }
    if (flushes() || loses_subnormals()) {
        return qc_fail(QC_FAULT, message, "subnormal numbers are flushed to zero");
    }
    if (contracts()) {
        return qc_fail(QC_FAULT, message,
                       "a * b + c is contracted: build with "
                       "-ffp-contract=off");
    }
    return QC_OK;
}
