/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/ops.h"

#include <string.h>

enum { IN = 0, OUT = 1, MAYBE = 0, NEEDED = 1 };

static const qc_arg_info args[QC_ROW_COUNT] = {
#define QC_ARG(op, arg, direction, dtypes, shape, presence) \
    {#arg, direction, dtypes, QC_SHAPE_##shape, presence},
#include "ops.def"
#undef QC_ARG
};

static const qc_op_info ops[QC_OP_COUNT] = {
#define QC_OP(op, first, last, summary)                              \
    {#op, summary, QC_ROW_##op##_##last - QC_ROW_##op##_##first + 1, \
     &args[QC_FIRST_##op]},
#include "ops.def"
#undef QC_OP
};

static const struct {
    uint8_t present;
    double fallback;
} keys[QC_OP_COUNT][QC_ATTR_COUNT] = {
#define QC_KEY(op, key, fallback) [QC_OP_##op][QC_ATTR_##key] = {1, fallback},
#include "ops.def"
#undef QC_KEY
};

#define WORD(FAMILY, word) #word,
static const char *const words_scale_form[] = {QC_WORDS_scale_form(WORD) NULL};
static const char *const words_mask_form[] = {QC_WORDS_mask_form(WORD) NULL};
static const char *const words_params[] = {QC_WORDS_params(WORD) NULL};
static const char *const words_scheme[] = {QC_WORDS_scheme(WORD) NULL};
static const char *const words_observer[] = {QC_WORDS_observer(WORD) NULL};
#undef WORD
#define words_INT NULL
#define words_REAL NULL

static const struct {
    const char *name;
    const char *const *words;
} attrs_info[QC_ATTR_COUNT] = {
#define QC_ATTR(key, kind) {#key, words_##kind},
#include "ops.def"
#undef QC_ATTR
};

const qc_op_info *qc_op_get(uint32_t op)
{
    return op < QC_OP_COUNT ? &ops[op] : NULL;
}

qc_op qc_op_find(const char *name, size_t length)
{
    unsigned op = 0;
    while (op < QC_OP_COUNT &&
           (strlen(ops[op].name) != length || memcmp(ops[op].name, name, length))) {
        op++;
    }
    return (qc_op)op;
}

int qc_op_has_key(uint32_t op, uint32_t attr)
{
    return op < QC_OP_COUNT && attr < QC_ATTR_COUNT && keys[op][attr].present;
}

uint32_t qc_op_choice(uint32_t op)
{
    for (uint32_t attr = 0; attr < QC_ATTR_COUNT; attr++) {
        if (attr != QC_ATTR_scale_form && attrs_info[attr].words &&
            qc_op_has_key(op, attr)) {
            return attr;
        }
    }
    return QC_ATTR_COUNT;
}

uint32_t qc_call_choice(const qc_call *call)
{
    const uint32_t attr = qc_op_choice(call->op);
    return attr == QC_ATTR_COUNT ? 0 : (uint32_t)qc_attr_read(&call->attrs, attr);
}

double qc_attr_fallback(uint32_t op, uint32_t attr)
{
    return qc_op_has_key(op, attr) ? keys[op][attr].fallback : 0;
}

const char *qc_attr_name(uint32_t attr)
{
    return attr < QC_ATTR_COUNT ? attrs_info[attr].name : "?";
}

const char *qc_attr_word(uint32_t attr, uint32_t n)
{
    const char *const *const words = attr < QC_ATTR_COUNT ? attrs_info[attr].words : NULL;
    for (uint32_t i = 0; words && words[i]; i++) {
        if (i == n) {
            return words[i];
        }
    }
    return NULL;
}

double qc_attr_read(const qc_attrs *attrs, uint32_t attr)
{
    switch (attr) {
#define QC_ATTR(key, kind) \
    case QC_ATTR_##key:    \
        return (double)attrs->key;
#include "ops.def"
#undef QC_ATTR
    default: return 0;
    }
}

/* INT and words are exact in the double, so the conversion back is too. */
#define TYPE_INT int32_t
#define TYPE_REAL double
#define TYPE_scale_form int32_t
#define TYPE_mask_form int32_t
#define TYPE_params int32_t
#define TYPE_scheme int32_t
#define TYPE_observer int32_t
void qc_attr_write(qc_attrs *attrs, uint32_t attr, double value)
{
    switch (attr) {
#define QC_ATTR(key, kind)               \
    case QC_ATTR_##key:                  \
        attrs->key = (TYPE_##kind)value; \
        break;
#include "ops.def"
#undef QC_ATTR
    default: break;
    }
}

void qc_call_init(qc_call *call, qc_op op)
{
    memset(call, 0, sizeof *call);
    call->size_bytes = sizeof *call;
    call->op = op;
    call->profile = "ideal";
    call->attrs.axis = QC_AXIS_NONE;
    call->attrs.qmin = call->attrs.qmax = QC_GRID_DEFAULT;
    call->attrs.threads = 1;
    for (uint32_t attr = 0; attr < QC_ATTR_COUNT; attr++) {
        if (qc_op_has_key(op, attr)) {
            qc_attr_write(&call->attrs, attr, keys[op][attr].fallback);
        }
    }
}

uint32_t qc_op_body(uint32_t op)
{
    const qc_op_info *const info = qc_op_get(op);
    for (uint32_t a = 0; info && a < info->arg_count; a++) {
        if (info->args[a].shape == QC_SHAPE_BODY) {
            return a;
        }
    }
    return 0;
}

int qc_op_is_linear(uint32_t op)
{
    const qc_op_info *const info = qc_op_get(op);
    return info && info->args[0].shape == QC_SHAPE_MK;
}

int64_t qc_call_elems(const qc_call *call)
{
    const qc_op_info *const info = qc_op_get(call->op);
    const uint32_t last = info->arg_count - 1;
    return qc_tensor_elems(
        &call->args[qc_op_is_linear(call->op) ? last : qc_op_body(call->op)]);
}

qc_dtype qc_call_code_dtype(const qc_call *call)
{
    const qc_op_info *const info = qc_op_get(call->op);
    qc_dtype found = QC_NONE;
    for (uint32_t a = 0; info && a < info->arg_count; a++) {
        if (info->args[a].dtypes == QC_SET_CODES) {
            found = (qc_dtype)call->args[a].dtype; /* outputs stand last and decide */
        }
    }
    return found;
}

void qc_call_grid(const qc_call *call, int32_t *qmin_ret, int32_t *qmax_ret)
{
    const int is_unsigned = qc_call_code_dtype(call) == QC_U8;
    const int has_grid = qc_op_has_key(call->op, QC_ATTR_qmin);
    const int32_t qmin = has_grid ? call->attrs.qmin : QC_GRID_DEFAULT;
    const int32_t qmax = has_grid ? call->attrs.qmax : QC_GRID_DEFAULT;
    *qmin_ret = qmin != QC_GRID_DEFAULT ? qmin : is_unsigned ? 0 : INT8_MIN;
    *qmax_ret = qmax != QC_GRID_DEFAULT ? qmax : is_unsigned ? UINT8_MAX : INT8_MAX;
}

int64_t qc_call_channel(const qc_call *call, int64_t i)
{
    if (call->attrs.axis == QC_AXIS_NONE) {
        return 0;
    }
    const qc_tensor *const body = &call->args[qc_op_body(call->op)];
    const uint32_t axis =
        (uint32_t)(call->attrs.axis + (call->attrs.axis < 0 ? (int32_t)body->rank : 0));
    for (uint32_t d = body->rank; --d > axis;) {
        i /= body->dims[d];
    }
    return i % body->dims[axis];
}
