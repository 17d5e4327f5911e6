/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "op.h"
#include "quantcert/half.h"

typedef union element {
    float f32;
    double f64;
    uint16_t half;
    int8_t s8;
    uint8_t u8;
    int32_t s32;
    int64_t s64;
} element;

static char *address(const qc_tensor *tensor, int64_t i)
{
    const int64_t bytes = (int64_t)qc_dtype_bytes(tensor->dtype);
    return (char *)tensor->data + qc_tensor_at(tensor, i) * bytes;
}

double qc_load(const qc_tensor *tensor, int64_t i)
{
    element e;
    memcpy(&e, address(tensor, i), qc_dtype_bytes(tensor->dtype));
    switch (tensor->dtype) {
    case QC_F32: return e.f32;
    case QC_F64: return e.f64;
    case QC_F16: return qc_f16_to_f32(e.half);
    case QC_BF16: return qc_bf16_to_f32(e.half);
    case QC_S8: return e.s8;
    case QC_U8: return e.u8;
    case QC_S32: return e.s32;
    default: return (double)e.s64; /* a zero point: inside a grid of eight bits */
    }
}

int64_t qc_load_integer(const qc_tensor *tensor, int64_t i)
{
    element e;
    memcpy(&e, address(tensor, i), qc_dtype_bytes(tensor->dtype));
    return tensor->dtype == QC_S32 ? e.s32 : e.s64;
}

/* Where a list leaves no code of the dtype, its profile gives no value: any will do. */
void qc_store_code(const qc_tensor *tensor, int64_t i, const qc_value *code)
{
    element e = {.u8 = 0};
    const qc_wide whole =
        code->is_exact ? qc_exact_rint(&code->exact, QC_TOKEN_toward_zero) : 0;
    e.u8 = (uint8_t)(whole & UINT8_MAX); /* the same bits for s8 */
    memcpy(address(tensor, i), &e, 1);
}

/* Rounds once if the list has not; a value of the dtype converts exactly. */
void qc_store_real(const qc_tensor *tensor, int64_t i, const qc_value *value)
{
    const double y = qc_value_rounded(value, qc_token_of(tensor->dtype)).special;
    element e;
    switch (tensor->dtype) {
    case QC_F32: e.f32 = (float)y; break;
    case QC_F16: e.half = qc_f64_to_f16(y); break;
    case QC_BF16: e.half = qc_f64_to_bf16(y); break;
    default: e.f64 = y;
    }
    memcpy(address(tensor, i), &e, qc_dtype_bytes(tensor->dtype));
}

void qc_registers_load(const qc_call *call, int64_t i, qc_registers *r)
{
    const qc_tensor *const body = &call->args[0];
    const int64_t channel = qc_call_channel(call, i);
    r->is_acc = 0;
    r->x = qc_load(body, i);
    r->s = r->scale = qc_load(&call->args[1], channel);
    r->z = qc_load(&call->args[2], channel);
    r->own = qc_token_of(body->dtype);
    r->code = qc_call_code_dtype(call);
    r->multiplies = qc_op_has_key(call->op, QC_ATTR_scale_form) &&
                    call->attrs.scale_form == QC_SCALE_FORM_multiply;
    qc_call_grid(call, &r->qmin, &r->qmax);
}
