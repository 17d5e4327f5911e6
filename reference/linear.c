/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of linear, output by output (rules W1 to W4). */
#include <math.h>
#include <string.h>

#include "linear.h"
#include "op.h"

static const qc_tensor *named(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name)) {
            return &call->args[a];
        }
    }
    return NULL;
}

/* The parameter of row n of the weights: one for all, or one each; `absent` without
   it. */
static double parameter(const qc_call *call, const char *name, int64_t n, double absent)
{
    const qc_tensor *const t = named(call, name);
    if (!t || t->dtype == QC_NONE) {
        return absent;
    }
    return t->dtype == QC_S8 ? (int8_t)qc_load(t, t->rank ? n : 0)
                             : qc_load(t, t->rank ? n : 0);
}

/* M[n]: x_scale w_scale / out_scale, or multiplier, or multiplier 2^shift: each factor is
   a double, the last one of 31 bits. */
static void factors_load(struct qc_linear_at *at)
{
    const qc_call *const call = at->call;
    at->factor[0] = parameter(call, "x_scale", at->n, 1.0);
    at->factor[1] = parameter(call, "w_scale", at->n, 1.0);
    at->divisor = parameter(call, "out_scale", at->n, 1.0);
    at->factor[0] *= parameter(call, "multiplier", at->n, 1.0); /* one of the two is 1 */
    at->factor[0] = ldexp(at->factor[0], (int)parameter(call, "shift", at->n, 0.0));
}

/* W1. A sum that does not fit is `undefined`: its low bits will do. */
static void store_accumulator(const qc_tensor *acc, int64_t i, const qc_value *v)
{
    const qc_wide sum = v->is_exact ? qc_exact_rint(&v->exact, QC_TOKEN_half_even) : 0;
    const int64_t s64 = (int64_t)sum;
    const int32_t s32 = (int32_t)(uint32_t)(s64 & UINT32_MAX);
    char *const at =
        (char *)acc->data + qc_tensor_at(acc, i) * (int64_t)qc_dtype_bytes(acc->dtype);
    memcpy(at, acc->dtype == QC_S64 ? (const void *)&s64 : (const void *)&s32,
           qc_dtype_bytes(acc->dtype));
}

void qc_reference_linear(const qc_call *call, const qc_steps *steps)
{
    const qc_tensor *const out = &call->args[qc_op_get(call->op)->arg_count - 1];
    for (int64_t i = 0, elems = qc_tensor_elems(out); i < elems; i++) {
        struct qc_linear_at at = {
            .call = call, .m = i / out->dims[1], .n = i % out->dims[1]};
        qc_registers r = {.own = QC_TOKEN_f32, .linear = &at};
        factors_load(&at);
        r.s = at.factor[0]; /* what highmul multiplies by */
        r.shift = (int32_t)parameter(call, "shift", at.n, 0.0);
        r.z = parameter(call, "out_zero_point", 0, 0.0);
        r.code = qc_call_code_dtype(call);
        qc_call_grid(call, &r.qmin, &r.qmax);
        qc_steps_evaluate(steps, &r);
        if (call->op == QC_OP_linear_s32) {
            store_accumulator(out, i, &r.v);
        } else if (call->op == QC_OP_quantized_linear) {
            qc_store_code(out, i, &r.v);
        } else {
            qc_store_real(out, i, &r.v);
        }
    }
}
