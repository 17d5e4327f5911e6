/* SPDX-License-Identifier: Apache-2.0 */
/* The ops and the call record that every backend takes: made from the rows of ops.def. */
#ifndef QUANTCERT_OPS_H
#define QUANTCERT_OPS_H

#include "quantcert/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qc_op {
#define QC_OP(op, first, last, summary) QC_OP_##op,
#include "ops.def"
#undef QC_OP
    QC_OP_COUNT
} qc_op;

/* Words of the attributes, X(family, word); the first of a family is 0. */
#define QC_WORDS_scale_form(X) X(SCALE_FORM, divide) X(SCALE_FORM, multiply)
#define QC_WORDS_mask_form(X) X(MASK_FORM, grid) X(MASK_FORM, real)
#define QC_WORDS_params(X) \
    X(PARAMS, scales) X(PARAMS, multiplier) X(PARAMS, fixed) X(PARAMS, real)
#define QC_WORDS_scheme(X) X(SCHEME, affine) X(SCHEME, symmetric)
#define QC_WORDS_observer(X) X(OBSERVER, min_max) X(OBSERVER, moving_average)

#define QC_WORD_ENUM(FAMILY, word) QC_##FAMILY##_##word,
typedef enum qc_scale_form { QC_WORDS_scale_form(QC_WORD_ENUM) } qc_scale_form;
typedef enum qc_mask_form { QC_WORDS_mask_form(QC_WORD_ENUM) } qc_mask_form;
typedef enum qc_params { QC_WORDS_params(QC_WORD_ENUM) } qc_params;
typedef enum qc_scheme { QC_WORDS_scheme(QC_WORD_ENUM) } qc_scheme;
typedef enum qc_observer { QC_WORDS_observer(QC_WORD_ENUM) } qc_observer;
#undef QC_WORD_ENUM

#define QC_AXIS_NONE INT32_MIN    /* per tensor */
#define QC_GRID_DEFAULT INT32_MIN /* the whole range of the code dtype */
#define QC_MAX_ARGS 12

#define QC_ARG(op, arg, direction, dtypes, shape, presence) QC_ROW_##op##_##arg,
enum qc_arg_row {
#include "ops.def"
    QC_ROW_COUNT
};
#undef QC_ARG

#define QC_OP(op, first, last, summary) QC_FIRST_##op = QC_ROW_##op##_##first,
enum qc_first_row {
#include "ops.def"
};
#undef QC_OP

/* Position of an argument in qc_call.args: QC_ARG_OF(quantize, scale) is 1. */
#define QC_ARG_OF(op, arg) ((unsigned)QC_ROW_##op##_##arg - (unsigned)QC_FIRST_##op)

/* What a caller chooses beside the tensors. A zeroed struct is not a default: start from
   qc_call_init. Keys that the op does not have (QC_KEY rows) are ignored. */
typedef struct qc_attrs {
    int32_t axis;       /* -rank ... rank-1, or QC_AXIS_NONE */
    int32_t qmin;       /* lowest code of the grid, or QC_GRID_DEFAULT */
    int32_t qmax;       /* highest code of the grid, or QC_GRID_DEFAULT */
    int32_t scale_form; /* qc_scale_form: the scale divides x, or multiplies it */
    int32_t mask_form;  /* qc_mask_form */
    int32_t params;     /* qc_params */
    int32_t scheme;     /* qc_scheme */
    int32_t observer;   /* qc_observer */
    int32_t threads;    /* how many threads the backend may use; 0 and 1: one */
    int32_t reserved;
    double averaging; /* c of the moving average */
    double grad_factor;
} qc_attrs;

typedef struct qc_call {
    uint32_t size_bytes; /* sizeof(qc_call) of the caller: later versions only append */
    uint32_t op;         /* qc_op */
    const char *profile; /* the contract that this call is judged under; never NULL */
    qc_attrs attrs;
    qc_tensor args[QC_MAX_ARGS]; /* in the order of the op's QC_ARG rows */
} qc_call;

typedef enum qc_shape_rule {
    QC_SHAPE_BODY,
    QC_SHAPE_LIKE,
    QC_SHAPE_CHANNEL,
    QC_SHAPE_SCALAR,
    QC_SHAPE_MK,
    QC_SHAPE_NK,
    QC_SHAPE_MN,
    QC_SHAPE_N,
    QC_SHAPE_N1
} qc_shape_rule;

typedef struct qc_arg_info {
    const char *name;
    uint32_t is_output;
    uint32_t dtypes; /* set of QC_DTYPE_BIT */
    uint32_t shape;  /* qc_shape_rule */
    uint32_t is_needed;
} qc_arg_info;

typedef struct qc_op_info {
    const char *name;
    const char *summary;
    uint32_t arg_count;
    const qc_arg_info *args;
} qc_op_info;

typedef enum qc_attr {
#define QC_ATTR(key, kind) QC_ATTR_##key,
#include "ops.def"
#undef QC_ATTR
    QC_ATTR_COUNT
} qc_attr;

/* NULL when there is no such op. */
const qc_op_info *qc_op_get(uint32_t op);

/* The op of that name of `length` characters, or QC_OP_COUNT. */
qc_op qc_op_find(const char *name, size_t length);

/* 1 when the op has that attribute (a QC_KEY row). */
int qc_op_has_key(uint32_t op, uint32_t attr);

/* The attribute other than scale_form by whose words an op's rows differ: mask_form, params,
   scheme or observer; QC_ATTR_COUNT where the op has none. */
uint32_t qc_op_choice(uint32_t op);

/* The word of that attribute that a call has; 0 where the op has none. */
uint32_t qc_call_choice(const qc_call *call);

/* Sets op, profile "ideal" and every attribute to its fallback; all arguments absent. */
void qc_call_init(qc_call *call, qc_op op);

/* The fallback of an op's attribute, as a double (INT and words are exact in it). */
double qc_attr_fallback(uint32_t op, uint32_t attr);

/* Reads or writes an attribute by number; words and INT are exact in the double. */
double qc_attr_read(const qc_attrs *attrs, uint32_t attr);
void qc_attr_write(qc_attrs *attrs, uint32_t attr, double value);

/* "axis", ...; never NULL for attr < QC_ATTR_COUNT. */
const char *qc_attr_name(uint32_t attr);

/* The n-th word of an attribute that takes words, else NULL. */
const char *qc_attr_word(uint32_t attr, uint32_t n);

/* Index of the op's body argument (the one that gives the op its shape). */
uint32_t qc_op_body(uint32_t op);

/* 1 for linear_s32, quantized_linear and quantized_linear_f32: x_q, w_q, x_zero_point and
   w_zero_point are their arguments 0 to 3, the output is the last. */
int qc_op_is_linear(uint32_t op);

/* How many elements a call has: of its body; of linear, outputs. */
int64_t qc_call_elems(const qc_call *call);

/* The dtype of the last argument that takes only s8 and u8 (outputs decide); else QC_NONE. */
qc_dtype qc_call_code_dtype(const qc_call *call);

/* The grid after QC_GRID_DEFAULT is resolved: from the code argument's dtype where the op
   has one, else -128 ... 127. */
void qc_call_grid(const qc_call *call, int32_t *qmin_ret, int32_t *qmax_ret);

/* Channel of the i-th body element (row-major): 0 per tensor. The axis must be valid. */
int64_t qc_call_channel(const qc_call *call, int64_t i);

/* QC_OK, or QC_INVALID with a message when the call is not valid for its op: dtypes, shapes,
   axis, grid, scales (finite and > 0), zero points (inside the grid; float ones finite),
   strides. `ideal` and every profile share these rules (semantics.md, rules V1 to V9). */
qc_status qc_call_check(const qc_call *call, qc_message *message);

#ifdef __cplusplus
}
#endif
#endif
