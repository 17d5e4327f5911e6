/* SPDX-License-Identifier: Apache-2.0 */
/* The step lists that the integer and the filtered paths know: those of `ideal`, and, the
   filtered one alone, masks by bounds in a type. */
#include "engine.h"

typedef struct cursor {
    const qc_steps *steps;
    uint32_t at;
} cursor;

static int take_two(cursor *list, uint32_t kind, uint32_t first, uint32_t second)
{
    if (list->at >= list->steps->count) {
        return 0;
    }
    const qc_step *step = &list->steps->step[list->at];
    if (step->kind != kind || step->first != first || step->second != second) {
        return 0;
    }
    list->at++;
    return 1;
}

static int take(cursor *list, uint32_t kind, uint32_t first)
{
    return take_two(list, kind, first, QC_TOKEN_nothing);
}

/* From x to a code that is not yet clamped. */
static int take_rounded(cursor *list, qc_ideal *ideal_ret)
{
    ideal_ret->multiply = take(list, QC_STEP_mul, QC_TOKEN_exact);
    if (!ideal_ret->multiply && !take(list, QC_STEP_div, QC_TOKEN_exact)) {
        return 0;
    }
    ideal_ret->zp_first = take(list, QC_STEP_addzp, QC_TOKEN_exact);
    if (!take(list, QC_STEP_rint, QC_TOKEN_half_even)) {
        return 0;
    }
    return ideal_ret->zp_first || take(list, QC_STEP_addzp, QC_TOKEN_exact);
}

/* A list of integers has no word on NaN. */
static int take_to_code(cursor *list, int has_nan, int is_masked, qc_ideal *ideal_ret)
{
    if ((has_nan && !take(list, QC_STEP_nan, QC_TOKEN_consistent)) ||
        !take_rounded(list, ideal_ret)) {
        return 0;
    }
    if (is_masked && !take(list, QC_STEP_mask, QC_TOKEN_grid)) {
        return 0;
    }
    return take(list, QC_STEP_clamp, QC_TOKEN_grid);
}

static int take_to_real(cursor *list)
{
    return take(list, QC_STEP_subzp, QC_TOKEN_exact) &&
           take(list, QC_STEP_mul, QC_TOKEN_exact) &&
           take(list, QC_STEP_out, QC_TOKEN_own);
}

static int take_bounds(cursor *list, const qc_oracle *oracle, qc_ideal *ideal_ret)
{
    const qc_step *const step = &list->steps->step[list->at];
    const int is_known = step->first == QC_TOKEN_real || step->first == QC_TOKEN_clamp ||
                         step->first == QC_TOKEN_product;
    if (list->at >= list->steps->count || step->kind != QC_STEP_mask || !is_known ||
        qc_oracle_multiplies(oracle)) {
        return 0;
    }
    ideal_ret->bounds = step->first;
    switch (step->second) {
    case QC_TOKEN_f16: ideal_ret->type = QC_F16; break;
    case QC_TOKEN_bf16: ideal_ret->type = QC_BF16; break;
    case QC_TOKEN_f32: ideal_ret->type = QC_F32; break;
    case QC_TOKEN_f64: ideal_ret->type = QC_F64; break;
    case QC_TOKEN_own: ideal_ret->type = oracle->own; break;
    default: return 0;
    }
    list->at++;
    return 1;
}

/* A mask alone, and a gradient behind it: by the rounded code (M1) or by real bounds (M2). */
static int take_mask(cursor *list, const qc_oracle *oracle, qc_ideal *ideal_ret)
{
    if (take_two(list, QC_STEP_mask, QC_TOKEN_real, QC_TOKEN_exact)) {
        ideal_ret->multiply = qc_oracle_multiplies(oracle);
        ideal_ret->zp_first = 1;
        ideal_ret->real_bounds = 1;
    } else if (!take_bounds(list, oracle, ideal_ret) &&
               (!take_rounded(list, ideal_ret) ||
                !take(list, QC_STEP_mask, QC_TOKEN_grid))) {
        return 0;
    }
    return !(oracle->op->steps & QC_STEP_BIT(pass)) ||
           take(list, QC_STEP_pass, QC_TOKEN_grad);
}

int qc_oracle_multiplies(const qc_oracle *oracle)
{
    return qc_op_has_key(oracle->call->op, QC_ATTR_scale_form) &&
           oracle->call->attrs.scale_form == QC_SCALE_FORM_multiply;
}

int qc_ideal_match(const qc_oracle *oracle, qc_ideal *ideal_ret)
{
    const uint64_t known = oracle->op->steps;
    cursor list = {&oracle->steps, 0};
    *ideal_ret = (qc_ideal){
        .to_code = (known & QC_STEP_BIT(rint)) != 0,
        .to_real = (known & QC_STEP_BIT(out)) != 0,
    };
    const int is_masked = (known & QC_STEP_BIT(mask)) != 0;
    const int has_nan = (known & QC_STEP_BIT(nan)) != 0;
    if (is_masked && !ideal_ret->to_real) {
        if (!take_mask(&list, oracle, ideal_ret)) {
            return 0;
        }
    } else if (ideal_ret->to_code &&
               !take_to_code(&list, has_nan, is_masked, ideal_ret)) {
        return 0;
    }
    if (ideal_ret->to_real && !take_to_real(&list)) {
        return 0;
    }
    /* A float zero point added after rounding makes codes that are no integers. */
    const int is_odd = ideal_ret->to_code && oracle->float_zp && !ideal_ret->zp_first;
    return list.at == oracle->steps.count && !is_odd;
}
