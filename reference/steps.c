/* SPDX-License-Identifier: Apache-2.0 */
/* The table of steps and the walk along a list (rules S1 to S9). */
#include <math.h>

#include "steps.h"

static const qc_step_function functions[QC_STEP_COUNT] = {
    [QC_STEP_narrow] = qc_step_narrow,
    [QC_STEP_recip] = qc_step_recip,
    [QC_STEP_div] = qc_step_div,
    [QC_STEP_mul] = qc_step_mul,
    [QC_STEP_fma] = qc_step_fma,
    [QC_STEP_fma_premul] = qc_step_fma_premul,
    [QC_STEP_add_half_floor] = qc_step_add_half_floor,
    [QC_STEP_rint] = qc_step_rint,
    [QC_STEP_limit] = qc_step_limit,
    [QC_STEP_cast] = qc_step_cast,
    [QC_STEP_addzp] = qc_step_addzp,
    [QC_STEP_subzp] = qc_step_subzp,
    [QC_STEP_mask] = qc_step_mask,
    [QC_STEP_clamp] = qc_step_clamp,
    [QC_STEP_code] = qc_step_code,
    [QC_STEP_out] = qc_step_out,
    [QC_STEP_wzp] = qc_step_wzp,
    [QC_STEP_pair] = qc_step_pair,
    [QC_STEP_acc] = qc_step_acc,
    [QC_STEP_multiplier] = qc_step_multiplier,
    [QC_STEP_bias] = qc_step_bias,
    [QC_STEP_pass] = qc_step_pass,
    [QC_STEP_highmul] = qc_step_highmul,
    [QC_STEP_left] = qc_step_left,
    [QC_STEP_rescale] = qc_step_rescale,
    [QC_STEP_shift] = qc_step_shift,
};

static const char *const names[QC_STEP_COUNT] = {
#define QC_STEP(step, first, second, meaning) #step,
#include "steps.def"
#undef QC_STEP
};

qc_token qc_token_of(uint32_t dtype)
{
    switch (dtype) {
    case QC_F16: return QC_TOKEN_f16;
    case QC_BF16: return QC_TOKEN_bf16;
    case QC_F64: return QC_TOKEN_f64;
    default: return QC_TOKEN_f32;
    }
}

qc_value qc_value_of(double value)
{
    qc_value result;
    result.is_exact = isfinite(value);
    result.special = value;
    result.exact = qc_exact_of(result.is_exact ? value : 0.0);
    return result;
}

qc_value qc_value_of_wide(qc_wide value)
{
    qc_value result;
    result.is_exact = 1;
    result.special = (double)value;
    result.exact = qc_exact_of_wide(value);
    return result;
}

qc_value qc_element_value(const qc_registers *r)
{
    return r->is_acc ? qc_value_of_wide(r->acc) : qc_value_of(r->x);
}

qc_value qc_value_rounded(const qc_value *value, qc_token type)
{
    /* D2: the sign of an underflow outlives a second rounding. */
    const int is_zero = value->special == 0.0 && qc_exact_sign(&value->exact) == 0;
    if (!value->is_exact || type == QC_TOKEN_exact || is_zero) {
        return *value;
    }
    if (qc_exact_sign(&value->exact) == 0) { /* a zero has its sign in `special` */
        return qc_value_of(value->special == 0.0 ? value->special : 0.0);
    }
    return qc_value_of(qc_exact_round(&value->exact, type));
}

qc_status qc_steps_check(const qc_steps *steps, qc_message *message)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const uint8_t kind = steps->step[i].kind;
        if (kind == QC_STEP_nan ? i != 0 : !functions[kind]) {
            return qc_fail(QC_UNSUPPORTED, message,
                           "step %u, %s: the reference has no such step there", i,
                           names[kind]);
        }
        if ((kind == QC_STEP_recip || kind == QC_STEP_narrow) &&
            (steps->step[i].first == QC_TOKEN_exact ||
             steps->step[i].second == QC_TOKEN_exact)) {
            return qc_fail(QC_UNSUPPORTED, message,
                           "step %u, %s: needs a type, not exact", i, names[kind]);
        }
    }
    return QC_OK;
}

/* Q5, K2. `consistent` and `undefined`: the zero point, a float one rounded half to
   even. */
static int32_t nan_code(const qc_registers *r, qc_token rule)
{
    if (rule == QC_TOKEN_qmin || rule == QC_TOKEN_qmax) {
        return rule == QC_TOKEN_qmin ? r->qmin : r->qmax;
    }
    const double code = rule == QC_TOKEN_zero ? 0.0 : nearbyint(r->z);
    return (int32_t)fmin(fmax(code, r->qmin), r->qmax);
}

static int is_after_code(uint8_t kind)
{
    return kind == QC_STEP_subzp || kind == QC_STEP_fma_premul;
}

void qc_steps_evaluate(const qc_steps *steps, qc_registers *r)
{
    uint32_t i = 0;
    r->v = qc_element_value(r);
    r->mask = 0;
    r->pass_product = 0;
    if (steps->count > 0 && steps->step[0].kind == QC_STEP_nan) {
        i = 1;
        if (isnan(
                r->x)) { /* a code at once: only the steps back to a real value remain */
            r->v = qc_value_of(nan_code(r, (qc_token)steps->step[0].first));
            while (i < steps->count && !is_after_code(steps->step[i].kind)) {
                i++;
            }
        }
    }
    for (; i < steps->count; i++) {
        functions[steps->step[i].kind](r, steps->step[i]);
    }
}
