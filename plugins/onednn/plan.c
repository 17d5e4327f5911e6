/* SPDX-License-Identifier: Apache-2.0 */
/* From a call to a primitive: which tensor stands where, and the attributes. */
#include "onednn.h"

static dnnl_data_type_t type_of(uint32_t dtype)
{
    return dtype == QC_F32    ? dnnl_f32
           : dtype == QC_BF16 ? dnnl_bf16
           : dtype == QC_S8   ? dnnl_s8
           : dtype == QC_U8   ? dnnl_u8
                              : dnnl_s32;
}

static dnnl_status_t slot_add(qc_plan *plan, const qc_call *call, int arg, uint32_t of,
                              int rank, const int64_t *dims, const int64_t *strides)
{
    slot *const added = &plan->slots[plan->slot_count];
    *added = (slot){.arg = arg, .of = of};
    const dnnl_status_t status =
        layout_make(&added->as, rank, dims, strides, type_of(call->args[of].dtype));
    plan->slot_count += status == dnnl_success;
    return status;
}

/* A tensor as it is. */
static dnnl_status_t body_add(qc_plan *plan, const qc_call *call, int arg, uint32_t of)
{
    const qc_tensor *const t = &call->args[of];
    return slot_add(plan, call, arg, of, (int)t->rank, t->dims, t->strides);
}

/* Scales or zero points: one for all, or one each. */
static dnnl_status_t parameter_add(qc_plan *plan, const qc_call *call, int arg,
                                   uint32_t of)
{
    const qc_tensor *const t = &call->args[of];
    const int64_t count = t->rank ? t->dims[0] : 1;
    const int64_t one = 1;
    const dnnl_status_t status = slot_add(plan, call, arg, of, 1, &count, &one);
    plan->slots[plan->slot_count - 1].is_parameter = status == dnnl_success;
    return status;
}

static dnnl_status_t scale(qc_plan *plan, const qc_call *call, int arg, uint32_t of,
                           int mask)
{
    const dnnl_status_t status = scale_add(plan->attr, arg, mask);
    return status == dnnl_success ? parameter_add(plan, call, SCALE_ARGUMENT(arg), of)
                                  : status;
}

static dnnl_status_t zero_point(qc_plan *plan, const qc_call *call, int arg, uint32_t of)
{
    const dnnl_status_t status = zero_point_add(plan->attr, arg);
    return status == dnnl_success
               ? parameter_add(plan, call, DNNL_ARG_ATTR_ZERO_POINTS | arg, of)
               : status;
}

#define TRY(call_)                           \
    do {                                     \
        const dnnl_status_t tried = (call_); \
        if (tried != dnnl_success) {         \
            return tried;                    \
        }                                    \
    } while (0)

/* quantize, dequantize and requantize: body, scale and zero point in these places. */
static dnnl_status_t reorder(dnnl_engine_t engine, const qc_call *call, qc_plan *plan,
                             dnnl_primitive_desc_t *desc_ret)
{
    const uint32_t last = qc_op_get(call->op)->arg_count - 1;
    const qc_tensor *const body = &call->args[0];
    const int is_divided = call->op == QC_OP_quantize && DNNL_VERSION_MAJOR >= 3 &&
                           call->attrs.scale_form == QC_SCALE_FORM_divide;
    const int side = call->op == QC_OP_dequantize ? DNNL_ARG_FROM : DNNL_ARG_TO;
    int32_t axis = call->attrs.axis;
    int mask = 0;
    TRY(body_add(plan, call, DNNL_ARG_FROM, 0));
    TRY(body_add(plan, call, DNNL_ARG_TO, last));
    if (axis != QC_AXIS_NONE) {
        axis += axis < 0 ? (int32_t)body->rank : 0;
        mask = 1 << axis;
    } else {
        TRY(zero_point(plan, call, side, last - 1));
    }
    TRY(scale(plan, call, is_divided ? DNNL_ARG_TO : DNNL_ARG_FROM, 1, mask));
    return dnnl_reorder_primitive_desc_create(desc_ret, LAYOUT_OF(&plan->slots[0].as),
                                              engine, LAYOUT_OF(&plan->slots[1].as),
                                              engine, plan->attr);
}

static uint32_t position(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name) && call->args[a].dtype != QC_NONE) {
            return a;
        }
    }
    return QC_MAX_ARGS;
}

/* The scale of that name, where the call has it: one, or one per row of the weights. */
static dnnl_status_t scale_named(const qc_call *call, qc_plan *plan, int arg,
                                 const char *name)
{
    const uint32_t of = position(call, name);
    return of == QC_MAX_ARGS
               ? dnnl_success
               : scale(plan, call, arg, of, call->args[of].rank ? 1 << 1 : 0);
}

static dnnl_status_t matmul(dnnl_engine_t engine, const qc_call *call, qc_plan *plan,
                            dnnl_primitive_desc_t *desc_ret)
{
    const uint32_t last = qc_op_get(call->op)->arg_count - 1;
    const uint32_t bias = position(call, "bias");
    const qc_tensor *const w = &call->args[1];
    const int64_t w_dims[] = {w->dims[1], w->dims[0]};
    const int64_t w_strides[] = {w->strides[1], w->strides[0]};
    TRY(body_add(plan, call, DNNL_ARG_SRC, 0));
    TRY(slot_add(plan, call, DNNL_ARG_WEIGHTS, 1, 2, w_dims, w_strides));
    TRY(body_add(plan, call, DNNL_ARG_DST, last));
    if (bias != QC_MAX_ARGS) {
        const qc_tensor *const b = &call->args[bias];
        const int64_t dims[] = {1, b->dims[0]};
        const int64_t strides[] = {b->dims[0] * b->strides[0], b->strides[0]};
        TRY(slot_add(plan, call, DNNL_ARG_BIAS, bias, 2, dims, strides));
    }
    const layout *const bias_layout = bias != QC_MAX_ARGS ? &plan->slots[3].as : NULL;
    TRY(scale_named(call, plan, DNNL_ARG_SRC, "x_scale"));
    TRY(scale_named(call, plan, DNNL_ARG_WEIGHTS, "w_scale"));
    TRY(scale_named(call, plan, DNNL_ARG_DST, "out_scale"));
    TRY(scale_named(call, plan, DNNL_ARG_DST, "multiplier"));
    TRY(zero_point(plan, call, DNNL_ARG_SRC, 2));
    TRY(zero_point(plan, call, DNNL_ARG_WEIGHTS, 3));
    if (call->op == QC_OP_quantized_linear) {
        TRY(zero_point(plan, call, DNNL_ARG_DST, last - 1));
    }
    return matmul_make(desc_ret, engine, &plan->slots[0].as, &plan->slots[1].as,
                       bias_layout, &plan->slots[2].as, plan->attr);
}

dnnl_status_t onednn_plan(dnnl_engine_t engine, const qc_call *call, qc_plan *plan)
{
    dnnl_primitive_desc_t desc = NULL;
    TRY(dnnl_primitive_attr_create(&plan->attr));
    TRY(qc_op_is_linear(call->op) ? matmul(engine, call, plan, &desc)
                                  : reorder(engine, call, plan, &desc));
    const dnnl_status_t status = dnnl_primitive_create(&plan->primitive, desc);
    dnnl_primitive_desc_destroy(desc);
    return status;
}
