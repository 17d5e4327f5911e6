/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/profile.h"

#include <string.h>

/* What the conditions of rivals.def read from a call. */
typedef struct facts {
    uint32_t x;     /* dtype of the float body, or QC_NONE */
    uint32_t y;     /* dtype of the float output, or QC_NONE */
    uint32_t scale; /* f32 or f64 */
    uint32_t range; /* dtype of a range's ends, or QC_NONE */
    int has_state;  /* of an observer */
    int joins;      /* the observer is min_max */
    int multiply;
    int float_zp;
    int masked;
    uint32_t op;
    uint32_t acc; /* dtypes of linear's arguments */
    uint32_t x_scale;
    uint32_t out_scale;
    uint32_t bias;
    int w_zp_per_row;
    int mask_alone;      /* the op gives no code: a mask, or a gradient behind one */
    uint32_t multiplier; /* dtype of requantize's */
    int32_t qmin;
    int32_t qmax;
    int32_t type_min; /* of the code dtype: fake_quantize has s8 when qmin < 0, else u8 */
    int32_t type_max;
} facts;

static uint32_t dtype_of(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; info && a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name)) {
            return call->args[a].dtype;
        }
    }
    return QC_NONE;
}

static facts facts_of(const qc_call *call)
{
    facts f = {.x = dtype_of(call, "x"),
               .y = dtype_of(call, "y"),
               .scale = dtype_of(call, "scale"),
               .range = dtype_of(call, "min"),
               .has_state = dtype_of(call, "old_min") != QC_NONE,
               .joins = call->attrs.observer == QC_OBSERVER_min_max,
               .float_zp = dtype_of(call, "zero_point") == QC_F32,
               .op = call->op,
               .acc = dtype_of(call, "acc"),
               .x_scale = dtype_of(call, "x_scale"),
               .out_scale = dtype_of(call, "out_scale"),
               .bias = dtype_of(call, "bias"),
               .w_zp_per_row = qc_op_is_linear(call->op) &&
                               call->args[QC_ARG_OF(linear_s32, w_zero_point)].rank == 1,
               .multiplier = dtype_of(call, "multiplier"),
               .masked = dtype_of(call, "mask") != QC_NONE ||
                         qc_op_has_key(call->op, QC_ATTR_mask_form),
               .mask_alone = qc_op_has_key(call->op, QC_ATTR_mask_form),
               .multiply = qc_op_has_key(call->op, QC_ATTR_scale_form) &&
                           call->attrs.scale_form == QC_SCALE_FORM_multiply};
    qc_call_grid(call, &f.qmin, &f.qmax);
    const qc_dtype code = qc_call_code_dtype(call);
    const int is_signed = code == QC_NONE ? f.qmin < 0 : code == QC_S8;
    f.type_min = is_signed ? INT8_MIN : 0;
    f.type_max = is_signed ? INT8_MAX : UINT8_MAX;
    return f;
}

static int is_half(uint32_t dtype)
{
    return dtype == QC_F16 || dtype == QC_BF16;
}

/* The conditions, by name: one for each word in the `needs` column. The lemmas say why. */
#define ANY 1
#define SCALE_F64 (f.scale == QC_F64)
#define X_F64 (f.x == QC_F64)
#define HALF_X (is_half(f.x))
#define FORM_MULTIPLY (f.multiply)
#define FORM_MULTIPLY_WIDE (f.multiply && (f.x == QC_F64 || f.scale == QC_F64))
#define FORM_MULTIPLY_SCALE_F64 (f.multiply && f.scale == QC_F64)
#define ZP_CAN_WRAP (f.qmin < 0 || f.qmax > INT8_MAX)
#define LOWEST_ALONE (f.qmin < -f.qmax)
#define GRID_NARROW (f.qmin > f.type_min || f.qmax < f.type_max)
#define SPAN_128 (!f.float_zp && f.qmax - f.qmin > INT8_MAX)
#define INT_ZP (!f.float_zp)
#define Y_NOT_F32 (f.y != QC_F32)
#define SCALE_F64_Y_NARROW (f.scale == QC_F64 && f.y != QC_F64)
#define MASKED (f.masked)
#define SCALE_F32 (f.scale == QC_F32)
#define RANGE_WIDE (!is_half(f.range))
#define QMIN_NEGATIVE (f.qmin < 0)
#define ZP_TIES_PART (f.range != QC_BF16 || f.qmax - f.qmin != 255 || f.qmin == INT8_MIN)
#define STATE_NONE (!f.has_state)
#define STATE_GIVEN (f.has_state)
#define JOINING (f.joins)
/* linear */
#define ACC_WIDE (f.acc != QC_S32)
#define W_ZP_PER_ROW (f.w_zp_per_row)
#define OUT_SCALE (f.out_scale != QC_NONE)
#define F64_CHAIN_TELLS \
    (OUT_SCALE ||       \
     (f.op == QC_OP_quantized_linear_f32 && (f.x_scale == QC_F64 || f.bias != QC_NONE)))
#define BIASED (f.bias != QC_NONE)
#define BIAS_REAL (f.bias == QC_F32)
#define MASK_ALONE (f.mask_alone)
/* L13: beside a float zero point a mask has two ties, and both go outward or inward alike. */
#define TIES_UP_SEEN (!(f.mask_alone && f.float_zp && f.qmin % 2 == 0 && f.qmax % 2 != 0))
#define GIVES_CODE (!f.mask_alone)
#define ZP_CAN_WRAP_CODE (ZP_CAN_WRAP && GIVES_CODE)
#define FORM_DIVIDE (!f.multiply)
#define CLAMP_ROUNDS (f.x != QC_F64 || f.scale == QC_F64 || f.float_zp)
#define REAL_DIVIDE_INT (!f.multiply && !f.float_zp)
#define REAL_DIVIDE_FLOAT (!f.multiply && f.float_zp)
#define REAL_MULTIPLY_INT (f.multiply && !f.float_zp)
#define REAL_MULTIPLY_FLOAT (f.multiply && f.float_zp)
#define BOUNDS_WIDE (f.multiply ? FORM_MULTIPLY_WIDE : SCALE_F64)
#define REQUANTIZE (f.op == QC_OP_requantize)
#define MULTIPLIER_WIDE (REQUANTIZE && f.multiplier != QC_F32)
#define FIXED (REQUANTIZE && f.multiplier == QC_S32)

typedef struct rival_row {
    const char *name;
    const char *fault;
    const char *from;
    const char *to;
    const char *lemma;
} rival_row;

static const rival_row rows[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) {#rival, #fault, from, to, lemma},
#include "rivals.def"
#undef QC_RIVAL
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* Position of the first run of `from` in `steps`, or -1. */
static int run_find(const qc_steps *steps, const qc_steps *from)
{
    for (uint32_t at = 0; at + from->count <= steps->count; at++) {
        if (!memcmp(&steps->step[at], from->step, from->count * sizeof(qc_step))) {
            return (int)at;
        }
    }
    return -1;
}

/* The list with the first run of `from` replaced; 0 when it has none. */
static int substitute(const qc_steps *steps, const rival_row *row, qc_steps *steps_ret)
{
    qc_steps from;
    qc_steps to;
    if (qc_steps_parse(row->from, &from, NULL) || qc_steps_parse(row->to, &to, NULL)) {
        return 0;
    }
    const int at = run_find(steps, &from);
    if (at < 0 || steps->count - from.count + to.count > QC_MAX_STEPS) {
        return 0;
    }
    const uint32_t behind = (uint32_t)at + from.count;
    *steps_ret = (qc_steps){.count = steps->count - from.count + to.count};
    memcpy(steps_ret->step, steps->step, (size_t)at * sizeof(qc_step));
    memcpy(steps_ret->step + at, to.step, to.count * sizeof(qc_step));
    memcpy(steps_ret->step + at + to.count, steps->step + behind,
           (steps->count - behind) * sizeof(qc_step));
    return 1;
}

size_t qc_rivals_of(const qc_call *call, const qc_steps *steps, qc_rival *rivals_ret)
{
    const facts f = facts_of(call);
    const int wanted[ROW_COUNT] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) needs,
#include "rivals.def"
#undef QC_RIVAL
    };
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT && count < QC_MAX_RIVALS; i++) {
        qc_rival *const rival = &rivals_ret[count];
        if (wanted[i] && substitute(steps, &rows[i], &rival->steps)) {
            rival->name = rows[i].name;
            rival->fault = rows[i].fault;
            rival->needs = rows[i].lemma;
            count++;
        }
    }
    return count;
}
