/* SPDX-License-Identifier: Apache-2.0 */
/* quantize on AVX2 (rules Q1, Q4, Q5): bracket_avx2.h, blocks of 32. A block with a
   rare lane, and what is left behind the last block, go through the portable kernel,
   which is exact too: every element has one result wherever it stands. */
#include "bracket_avx2.h"
#include "kernel.h"

enum { X = QC_ARG_OF(quantize, x), Q = QC_ARG_OF(quantize, q) };

static void portable(const qc_call *call, const qc_run *run, int64_t first, int64_t count)
{
    qc_run part = *run;
    part.count = count;
    part.data[X] += first * (int64_t)sizeof(float);
    part.data[Q] += first;
    qc_quantize_portable(call, &part);
}

/* 32 codes from four vectors of integers: packing works within halves, so the last
   permute puts the groups of four in order. Codes fit s8 or u8: the low byte is both. */
QC_AVX2 static inline __m256i packed(const __m256i code[4])
{
    const __m256i byte = _mm256_set1_epi32(0xff);
    const __m256i ab = _mm256_packus_epi32(_mm256_and_si256(code[0], byte),
                                           _mm256_and_si256(code[1], byte));
    const __m256i cd = _mm256_packus_epi32(_mm256_and_si256(code[2], byte),
                                           _mm256_and_si256(code[3], byte));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(ab, cd), order);
}

QC_AVX2 static void dense(const qc_call *call, const qc_run *run, const qc_channel *c)
{
    const qc_bracket bracket = qc_bracket_of(c, c->low, c->high);
    /* The bits of constant + n are those of the constant plus n: one integer add
       undoes it. */
    const __m256i to_code =
        _mm256_sub_epi32(_mm256_set1_epi32(c->int_zp),
                         _mm256_castps_si256(_mm256_set1_ps(QC_BRACKET_MAGIC)));
    int64_t i = 0;
    for (; i + QC_BRACKET_BLOCK <= run->count; i += QC_BRACKET_BLOCK) {
        const float *const x = (const float *)(const void *)run->data[X] + i;
        __m256 differ = _mm256_setzero_ps();
        __m256i code[4];
        for (int v = 0; v < 4; v++) {
            const __m256 sum =
                qc_bracket_code(&bracket, _mm256_loadu_ps(x + 8 * v), &differ);
            code[v] = _mm256_add_epi32(_mm256_castps_si256(sum), to_code);
        }
        if (_mm256_movemask_ps(differ)) {
            portable(call, run, i, QC_BRACKET_BLOCK);
        } else {
            _mm256_storeu_si256((__m256i *)(void *)(run->data[Q] + i), packed(code));
        }
    }
    portable(call, run, i, run->count - i);
}

void qc_quantize_avx2(const qc_call *call, const qc_run *run)
{
    const int is_dense = call->args[X].dtype == QC_F32 && run->stride[X] == 1 &&
                         run->stride[Q] == 1 && !run->channel_step;
    if (is_dense && run->count >= QC_BRACKET_BLOCK) {
        const qc_channel c = qc_channel_load(call, run->channel);
        if (qc_bracket_fits(&c)) {
            dense(call, run, &c);
            return;
        }
    }
    qc_quantize_portable(call, run);
}
