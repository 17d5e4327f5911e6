/* SPDX-License-Identifier: Apache-2.0 */
/* The skeleton of every mutant. QC_MUTANT_NAME and QC_MUTANT_OP come from its row. */
#include "mutant.h"

#include <stdlib.h>
#include <string.h>

#include "quantcert/half.h"
#include "reference/reference.h"

#define OP_OF_(op) QC_OP_##op
#define OP_OF(op) OP_OF_(op)

const qc_backend *quantcert_backend(void) __attribute__((visibility("default")));

struct qc_plan {
    int runs;
};

static qc_status steps_of(const qc_call *call, qc_steps *steps_ret, qc_message *message)
{
    const qc_profile_row *const row = qc_profile_find(call);
    return row ? qc_steps_parse(row->steps_text, steps_ret, message) : QC_UNSUPPORTED;
}

qc_status qc_honest(const qc_call *call, qc_message *message)
{
    qc_steps steps;
    const qc_status status = steps_of(call, &steps, message);
    return status == QC_OK ? qc_reference_run(call, &steps, message) : status;
}

qc_status qc_rival_run(const qc_call *call, const char *rival, qc_message *message)
{
    qc_steps steps;
    qc_rival rivals[QC_MAX_RIVALS];
    const qc_status status = steps_of(call, &steps, message);
    const size_t count = status == QC_OK ? qc_rivals_of(call, &steps, rivals) : 0;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(rivals[i].name, rival)) {
            return qc_reference_run(call, &rivals[i].steps, message);
        }
    }
    return qc_honest(call, message);
}

unsigned char *qc_address(const qc_tensor *tensor, int64_t i)
{
    return (unsigned char *)tensor->data +
           qc_tensor_at(tensor, i) * (int64_t)qc_dtype_bytes(tensor->dtype);
}

double qc_value(const qc_tensor *tensor, int64_t i)
{
    union {
        float f32;
        double f64;
        uint16_t half;
        int32_t s32;
    } v = {.f64 = 0};
    memcpy(&v, qc_address(tensor, i), qc_dtype_bytes(tensor->dtype));
    switch (tensor->dtype) {
    case QC_F32: return v.f32;
    case QC_F64: return v.f64;
    case QC_F16: return qc_f16_to_f32(v.half);
    case QC_BF16: return qc_bf16_to_f32(v.half);
    default: return v.s32;
    }
}

int qc_is_common(const qc_call *call)
{
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    return call->args[0].dtype == QC_F32 && call->args[1].dtype == QC_F32 &&
           call->args[2].dtype == QC_S32 && call->args[3].dtype == QC_S8 &&
           call->attrs.axis == QC_AXIS_NONE && qmin == INT8_MIN && qmax == INT8_MAX &&
           call->attrs.scale_form == QC_SCALE_FORM_divide;
}

static int is_twisted(const qc_call *call)
{
    return call->op == OP_OF(QC_MUTANT_OP);
}

/* Real numbers in f32 and zero points in s32 only: few groups, so that a mutant is quick. */
static void narrow(qc_capability *capability)
{
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        uint32_t *const dtypes = &capability->arg_dtypes[arg];
        *dtypes &= *dtypes & QC_DTYPE_BIT(QC_S32) ? QC_DTYPE_BIT(QC_S32)
                                                  : QC_DTYPE_BIT(QC_F32) | QC_SET_CODES;
    }
}

enum { MOST_CAPABILITIES = 96 };

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    static qc_capability narrowed[MOST_CAPABILITIES];
    const qc_status status =
        qc_reference_backend()->describe(self, description_ret, message);
    for (uint32_t i = 0; i < description_ret->capability_count && i < MOST_CAPABILITIES;
         i++) {
        narrowed[i] = description_ret->capabilities[i];
        if (!qc_op_is_linear(narrowed[i].op)) { /* its rows are single dtypes already */
            narrow(&narrowed[i]);
        }
    }
    description_ret->capabilities = narrowed;
    description_ret->name = QC_MUTANT_NAME;
    return status;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    const qc_backend *const reference = qc_reference_backend();
    qc_plan *none = NULL;
    const qc_status status = is_twisted(call) && qc_mutant_twist.prepare
                                 ? qc_mutant_twist.prepare(call, message)
                                 : reference->prepare(self, call, &none, message);
    if (status != QC_OK) {
        return status;
    }
    *plan_ret = calloc(1, sizeof **plan_ret);
    return *plan_ret ? QC_OK : qc_fail(QC_NO_MEMORY, message, "no memory for a plan");
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    (void)self;
    plan->runs++;
    return is_twisted(call) && qc_mutant_twist.run
               ? qc_mutant_twist.run(call, plan->runs, message)
               : qc_honest(call, message);
}

static void release(void *self, qc_plan *plan)
{
    (void)self;
    free(plan);
}

const qc_backend *quantcert_backend(void)
{
    static const qc_backend table = {.abi_version = QC_ABI_VERSION,
                                     .size_bytes = sizeof table,
                                     .describe = describe,
                                     .prepare = prepare,
                                     .run = run,
                                     .release = release};
    return &table;
}
