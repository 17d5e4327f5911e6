/* SPDX-License-Identifier: Apache-2.0 */
/* fake_quantize on AVX2 (rules K1, K2, M1): the code by bracket_avx2.h, kept one
   beyond the grid for the mask; y = code * s in f32 is one rounding of an exact
   product, an exact zero is +0. A block with a rare lane, and what is left behind the
   last block, go through the portable kernel, which is exact too. */
#include "bracket_avx2.h"
#include "kernel.h"

enum {
    X = QC_ARG_OF(fake_quantize, x),
    Y = QC_ARG_OF(fake_quantize, y),
    MASK = QC_ARG_OF(fake_quantize, mask)
};

static void portable(const qc_call *call, const qc_run *run, int64_t first, int64_t count)
{
    qc_run part = *run;
    part.count = count;
    part.data[X] += first * (int64_t)sizeof(float);
    part.data[Y] += first * (int64_t)sizeof(float);
    if (run->data[MASK]) {
        part.data[MASK] += first;
    }
    qc_fake_quantize_portable(call, &part);
}

/* Four vectors of all-ones or zero lanes to 32 bytes of 1 or 0. */
QC_AVX2 static inline __m256i packed_mask(const __m256i inside[4])
{
    const __m256i ab = _mm256_packs_epi32(inside[0], inside[1]);
    const __m256i cd = _mm256_packs_epi32(inside[2], inside[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(ab, cd), order);
    return _mm256_and_si256(bytes, _mm256_set1_epi8(1));
}

QC_AVX2 static void dense(const qc_call *call, const qc_run *run, const qc_channel *c)
{
    const qc_bracket bracket = qc_bracket_of(c, c->low - 1, c->high + 1);
    const __m256 scale = _mm256_set1_ps((float)c->scale);
    const __m256 magic = _mm256_set1_ps(QC_BRACKET_MAGIC);
    const __m256 low = _mm256_set1_ps(QC_BRACKET_MAGIC + (float)c->low);
    const __m256 high = _mm256_set1_ps(QC_BRACKET_MAGIC + (float)c->high);
    int64_t i = 0;
    for (; i + QC_BRACKET_BLOCK <= run->count; i += QC_BRACKET_BLOCK) {
        const float *const x = (const float *)(const void *)run->data[X] + i;
        __m256 differ = _mm256_setzero_ps();
        __m256 y[4];
        __m256i inside[4];
        for (int v = 0; v < 4; v++) {
            const __m256 sum =
                qc_bracket_code(&bracket, _mm256_loadu_ps(x + 8 * v), &differ);
            const __m256 code = _mm256_max_ps(low, _mm256_min_ps(high, sum));
            inside[v] = _mm256_castps_si256(_mm256_cmp_ps(code, sum, _CMP_EQ_OQ));
            y[v] = _mm256_mul_ps(_mm256_sub_ps(code, magic), scale);
        }
        if (_mm256_movemask_ps(differ)) {
            portable(call, run, i, QC_BRACKET_BLOCK);
            continue;
        }
        for (int v = 0; v < 4; v++) {
            _mm256_storeu_ps((float *)(void *)run->data[Y] + i + 8 * v, y[v]);
        }
        if (run->data[MASK]) {
            _mm256_storeu_si256((__m256i *)(void *)(run->data[MASK] + i),
                                packed_mask(inside));
        }
    }
    portable(call, run, i, run->count - i);
}

void qc_fake_quantize_avx2(const qc_call *call, const qc_run *run)
{
    const int is_dense = call->args[X].dtype == QC_F32 && run->stride[X] == 1 &&
                         run->stride[Y] == 1 && !run->channel_step &&
                         (!run->data[MASK] || run->stride[MASK] == 1);
    if (is_dense && run->count >= QC_BRACKET_BLOCK) {
        const qc_channel c = qc_channel_load(call, run->channel);
        if (qc_bracket_fits(&c)) {
            dense(call, run, &c);
            return;
        }
    }
    qc_fake_quantize_portable(call, run);
}
