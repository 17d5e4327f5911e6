/* SPDX-License-Identifier: Apache-2.0 */
/* A step list at work on one element. */
#ifndef QC_REFERENCE_STEPS_H
#define QC_REFERENCE_STEPS_H

#include "exact.h"

/* An extended real: exact, or an infinity or NaN in `special`. A step typed T leaves
   in `special` what it rounded to, and so the sign of a zero; an exact sum of zero is
   +0 (D2). */
typedef struct qc_value {
    int is_exact;
    double special;
    qc_exact exact;
} qc_value;

typedef struct qc_registers {
    /* set by the op before the first step */
    double x; /* the element, a code in dequantize; v starts as it */
    double s;
    double scale; /* what s is at the start, and again in dequantization (S7) */
    double z;
    int64_t acc;   /* the element where it is an accumulator, which x cannot hold */
    int is_acc;    /* 1: x starts as acc, until a step narrows it */
    int32_t shift; /* the power of two inside s (R3) */
    int32_t qmin;
    int32_t qmax;
    qc_dtype code;  /* dtype of codes; QC_NONE: that of the grid */
    qc_token own;   /* of x and y */
    int multiplies; /* s multiplies x */
    struct qc_linear_at *linear; /* the output under way; NULL but in linear.c */
    /* results */
    qc_value v; /* the value under way; at the end the code, or y */
    int32_t mask;
    int pass_product; /* the gradient is multiplied by the mask, not selected by it */
} qc_registers;

qc_value qc_value_of(double value);
qc_value qc_value_of_wide(qc_wide value);
qc_value qc_value_rounded(const qc_value *value, qc_token type); /* exact: unchanged */
int qc_value_compare(const qc_value *value, double with);        /* 0 for NaN */
qc_token qc_token_of(uint32_t dtype);             /* QC_F32: QC_TOKEN_f32 */
qc_value qc_element_value(const qc_registers *r); /* x, or the accumulator */

/* QC_UNSUPPORTED names the first step that is not built. */
qc_status qc_steps_check(const qc_steps *steps, qc_message *message);

/* Runs the list. Where it holds `undefined` the result is some value. */
void qc_steps_evaluate(const qc_steps *steps, qc_registers *r);

/* The steps, one function each; steps.c has the table. */
typedef void (*qc_step_function)(qc_registers *r, qc_step step);
void qc_step_narrow(qc_registers *r, qc_step step);
void qc_step_recip(qc_registers *r, qc_step step);
void qc_step_div(qc_registers *r, qc_step step);
void qc_step_mul(qc_registers *r, qc_step step);
void qc_step_fma(qc_registers *r, qc_step step);
void qc_step_fma_premul(qc_registers *r, qc_step step);
void qc_step_add_half_floor(qc_registers *r, qc_step step);
void qc_step_out(qc_registers *r, qc_step step);
void qc_step_rint(qc_registers *r, qc_step step);
void qc_step_limit(qc_registers *r, qc_step step);
void qc_step_cast(qc_registers *r, qc_step step);
void qc_step_addzp(qc_registers *r, qc_step step);
void qc_step_subzp(qc_registers *r, qc_step step);
void qc_step_mask(qc_registers *r, qc_step step);
void qc_step_pass(qc_registers *r, qc_step step);
void qc_step_clamp(qc_registers *r, qc_step step);
void qc_step_code(qc_registers *r, qc_step step);
void qc_step_wzp(qc_registers *r, qc_step step);
void qc_step_pair(qc_registers *r, qc_step step);
void qc_step_acc(qc_registers *r, qc_step step);
void qc_step_multiplier(qc_registers *r, qc_step step);
void qc_step_bias(qc_registers *r, qc_step step);
void qc_step_rescale(qc_registers *r, qc_step step);
void qc_step_left(qc_registers *r, qc_step step);
void qc_step_highmul(qc_registers *r, qc_step step);
void qc_step_shift(qc_registers *r, qc_step step);

#endif
