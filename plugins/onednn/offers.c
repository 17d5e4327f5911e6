/* SPDX-License-Identifier: Apache-2.0 */
/* What oneDNN has of the ops. Reorders take one zero point, or one scale per channel and no
   zero point; matmul takes weights s8 with one zero point, and scales one per row. */
#include "onednn.h"

#define F32 QC_DTYPE_BIT(QC_F32)
#define S32 QC_DTYPE_BIT(QC_S32)
#define BF16 QC_DTYPE_BIT(QC_BF16)
#define S8 QC_DTYPE_BIT(QC_S8)
#define U8 QC_DTYPE_BIT(QC_U8)
#define CODES (S8 | U8)

#if DNNL_VERSION_MAJOR >= 3
#define VERSION "onednn-3.2"
#if DNNL_VERSION_MINOR >= 13
#define OF_BF16 "onednn-3.13-bf16"
#endif
#define FORMS (QC_FORM_DIVIDE | QC_FORM_MULTIPLY)
#else
#define VERSION "onednn-2.6"
#define FORMS QC_FORM_MULTIPLY
#endif

#ifndef OF_BF16
#define OF_BF16 VERSION
#endif

#define REORDER_OF(claim, name, each, zeros, form, choice, ...)                  \
    {                                                                            \
        .op = QC_OP_##name, .arg_dtypes = {__VA_ARGS__}, .granularities = each,  \
        .scale_forms = form, .grids = QC_GRID_FULL, .min_rank = 1,               \
        .max_rank = QC_MAX_RANK, .strided = 1, .nonfinite = 1, .max_threads = 1, \
        .choices = choice, .zero_points = zeros, .claims = {                     \
            claim,                                                               \
            "ideal"                                                              \
        }                                                                        \
    }
#define EACH_WAY(claim, name, form, choice, ...)                          \
    REORDER_OF(claim, name, QC_PER_TENSOR, 0, form, choice, __VA_ARGS__), \
        REORDER_OF(claim, name, QC_PER_CHANNEL, QC_ZP_ZERO, form, choice, __VA_ARGS__)
/* Of one layout: others reach a reference implementation with an arithmetic of its own, which
   no profile beside this one can hold. */
#define MATMUL_OF(x, claim, name, each, choice, ...)                                  \
    {                                                                                 \
        .op = QC_OP_##name, .arg_dtypes = {x, S8, S32, S32, __VA_ARGS__},             \
        .granularities = each, .scale_forms = QC_FORM_DIVIDE, .grids = QC_GRID_FULL,  \
        .min_rank = 2, .max_rank = 2, .strided = 0, .max_terms = MOST_TERMS,          \
        .max_threads = 1, .choices = choice, .zero_points = QC_ZP_COMMON, .claims = { \
            claim,                                                                    \
            "ideal"                                                                   \
        }                                                                             \
    }
/* Without VNNI, u8 by s8 saturates in pairs, which the guide says and the profile holds. */
#define MATMUL(...) \
    MATMUL_OF(U8, VERSION, __VA_ARGS__), MATMUL_OF(S8, VERSION "-s8s8", __VA_ARGS__)
/* Sums of more may leave s32, in which the library accumulates (rule W5). */
#define MOST_TERMS 33025
#define ANY (QC_PER_TENSOR | QC_PER_CHANNEL)

const qc_capability onednn_capabilities[] = {
    EACH_WAY(VERSION, quantize, FORMS, 0, F32, F32, S32, CODES),
    EACH_WAY(OF_BF16, quantize, FORMS, 0, BF16, F32, S32, CODES),
    EACH_WAY(VERSION, dequantize, QC_FORM_DIVIDE, 0, CODES, F32, S32, F32 | BF16),
    EACH_WAY(VERSION, requantize, QC_FORM_DIVIDE, 1u << QC_PARAMS_real, S32, F32, 0, S32,
             CODES),
    MATMUL(linear_s32, QC_PER_TENSOR, 0, S32),
#if DNNL_VERSION_MAJOR >= 3
    MATMUL(quantized_linear, ANY, 1u << QC_PARAMS_scales, F32, F32, F32, 0, 0, 0, S32,
           CODES),
    MATMUL(quantized_linear, ANY, 1u << QC_PARAMS_scales, F32, F32, F32, 0, 0, F32, S32,
           CODES),
    MATMUL(quantized_linear_f32, ANY, 0, F32, F32, 0, F32),
    MATMUL(quantized_linear_f32, ANY, 0, F32, F32, F32, F32),
#else
    MATMUL(quantized_linear, ANY, 1u << QC_PARAMS_multiplier, 0, 0, 0, F32, 0, 0, S32,
           CODES),
    MATMUL(quantized_linear, ANY, 1u << QC_PARAMS_multiplier, 0, 0, 0, F32, 0, F32 | S32,
           S32, CODES),
#endif
};

const uint32_t onednn_capability_count =
    sizeof onednn_capabilities / sizeof onednn_capabilities[0];
