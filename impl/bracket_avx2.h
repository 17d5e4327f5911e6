/* SPDX-License-Identifier: Apache-2.0 */
/* Exact codes of eight f32 by the bracket method.

   lo = pred(fl(1/s)) and hi = succ(fl(1/s)) enclose 1/s, as fl errs by half a unit at
   most. fma(x, inv, 1.5 * 2^23) is one rounding of x*inv to an integer, half to even
   (the sum's unit is 1 there, and the constant is even), plus the constant. Rounding
   is monotone, and x/s lies between x*lo and x*hi: where both give the same integer,
   so does x/s. Where |x*inv| exceeds 2^22 the sum leaves its binade, but stays
   monotone and beyond every bound, so clamping first keeps both facts, and huge
   quotients and infinities agree at a bound. Where the two differ (ties, near ties,
   NaN) the caller takes the exact scalar kernel. Needs s and 1/s normal, with a factor
   2 to spare for pred and succ: qc_bracket_fits. Worst witness: s = 0x1.0624dep-10, x
   = 0x1.cac084p-9: x/s is below 3.5 by 1.7e-8 of itself, x * fl(1/s) rounds to 3.5 and
   thus to 4. The bracket gives 3 and 4, the scalar kernel 3. */
#ifndef QC_IMPL_BRACKET_AVX2_H
#define QC_IMPL_BRACKET_AVX2_H

#include "channel.h"

#include <immintrin.h>

#define QC_AVX2 __attribute__((target("avx2,fma")))
#define QC_BRACKET_MAGIC 0x1.8p23f
#define QC_BRACKET_BLOCK 32 /* elements that share one test for the rare case */

typedef struct qc_bracket {
    __m256 inverse_low;
    __m256 inverse_high;
    __m256 floor; /* bounds, with the constant added */
    __m256 ceiling;
} qc_bracket;

static inline int qc_bracket_fits(const qc_channel *c)
{
    return !c->is_float_zp && !c->multiplies && c->is_f32_scale && c->scale >= 0x1p-125 &&
           c->scale <= 0x1p125;
}

/* low, high: integers to clamp to, below 2^10 in magnitude. */
QC_AVX2 static inline qc_bracket qc_bracket_of(const qc_channel *c, int32_t low,
                                               int32_t high)
{
    const float inverse = 1.0f / (float)c->scale;
    return (qc_bracket){_mm256_set1_ps(nextafterf(inverse, 0.0f)),
                        _mm256_set1_ps(nextafterf(inverse, INFINITY)),
                        _mm256_set1_ps(QC_BRACKET_MAGIC + (float)low),
                        _mm256_set1_ps(QC_BRACKET_MAGIC + (float)high)};
}

/* The clamped code plus the constant; *differ_ret gathers lanes where the ends part.
   min and max return their second operand when one is NaN: NaN passes, and is unequal
   to itself. */
QC_AVX2 static inline __m256 qc_bracket_code(const qc_bracket *b, __m256 x,
                                             __m256 *differ_ret)
{
    const __m256 magic = _mm256_set1_ps(QC_BRACKET_MAGIC);
    __m256 low = _mm256_fmadd_ps(x, b->inverse_low, magic);
    __m256 high = _mm256_fmadd_ps(x, b->inverse_high, magic);
    low = _mm256_max_ps(b->floor, _mm256_min_ps(b->ceiling, low));
    high = _mm256_max_ps(b->floor, _mm256_min_ps(b->ceiling, high));
    *differ_ret = _mm256_or_ps(*differ_ret, _mm256_cmp_ps(low, high, _CMP_NEQ_UQ));
    return low;
}

#endif
