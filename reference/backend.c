/* SPDX-License-Identifier: Apache-2.0 */
/* The reference behind the backend ABI. Plans own nothing: a run parses its row again. */
#include "linear.h"
#include "op.h"
#include "ranges.h"
#include "reference.h"
#include "quantcert/result.h"

/* Both words of mask_form, scheme and observer; requantize has a row for each word. */
#define CHOICES(op)                                                \
    ((op) == QC_OP_ste_mask || (op) == QC_OP_fake_quantize_grad || \
             (op) == QC_OP_choose_qparams || (op) == QC_OP_observe \
         ? 3u                                                      \
         : 0u)

static const qc_capability capabilities[] = {
#define QC_REFERENCE(name, forms, ...)                \
    {.op = QC_OP_##name,                              \
     .arg_dtypes = {__VA_ARGS__},                     \
     .granularities = QC_PER_TENSOR | QC_PER_CHANNEL, \
     .scale_forms = forms,                            \
     .grids = QC_GRID_FULL | QC_GRID_NARROW,          \
     .max_rank = QC_MAX_RANK,                         \
     .strided = 1,                                    \
     .nonfinite = 1,                                  \
     .max_threads = 1,                                \
     .choices = CHOICES(QC_OP_##name),                \
     .claims = {"ideal", "tensorplay-doc"}},
#define QC_REFERENCE_CHOICE(name, word, ...)          \
    {.op = QC_OP_##name,                              \
     .arg_dtypes = {__VA_ARGS__},                     \
     .granularities = QC_PER_TENSOR | QC_PER_CHANNEL, \
     .scale_forms = QC_FORM_DIVIDE,                   \
     .grids = QC_GRID_FULL | QC_GRID_NARROW,          \
     .max_rank = QC_MAX_RANK,                         \
     .strided = 1,                                    \
     .nonfinite = 1,                                  \
     .max_threads = 1,                                \
     .choices = 1u << QC_##word,                      \
     .claims = {"ideal", "tensorplay-doc"}},
#define QC_REFERENCE_ALSO QC_REFERENCE
#include "reference.def"
#undef QC_REFERENCE_ALSO
#undef QC_REFERENCE
#undef QC_REFERENCE_CHOICE
#define QC_LINEAR_OFFER(name, params, grid, ...)      \
    {.op = QC_OP_##name,                              \
     .arg_dtypes = {__VA_ARGS__},                     \
     .granularities = QC_PER_TENSOR | QC_PER_CHANNEL, \
     .scale_forms = QC_FORM_DIVIDE,                   \
     .grids = QC_LINEAR_GRID_##grid,                  \
     .min_rank = 2,                                   \
     .max_rank = 2,                                   \
     .strided = 1,                                    \
     .nonfinite = 1,                                  \
     .max_threads = 1,                                \
     .choices = 1u << QC_PARAMS_##params,             \
     .claims = {"ideal", "tensorplay-doc"}},
#define QC_LINEAR_GRID_FULL QC_GRID_FULL
#define QC_LINEAR_GRID_ANY (QC_GRID_FULL | QC_GRID_NARROW)
#include "linear.def"
#undef QC_LINEAR_OFFER
};

static qc_reference_op *op_find(uint32_t op)
{
    if (qc_op_is_linear(op)) {
        return qc_reference_linear;
    }
    switch (op) {
#define QC_REFERENCE(name, forms, ...) \
    case QC_OP_##name:                 \
        return qc_reference_##name;
#define QC_REFERENCE_FUNCTION(name) QC_REFERENCE(name, 0, 0)
#include "reference.def"
#undef QC_REFERENCE_FUNCTION
#undef QC_REFERENCE
    default: return NULL;
    }
}

static qc_status call_check(const qc_call *call, const qc_steps *steps,
                            qc_message *message)
{
    const qc_status status = qc_call_check(call, message);
    if (status != QC_OK) {
        return status;
    }
    if (!op_find(call->op)) {
        return qc_fail(QC_UNSUPPORTED, message, "op %s: the reference does not have it",
                       qc_op_get(call->op)->name);
    }
    return qc_is_range_op(call->op) ? qc_range_steps_check(call->op, steps, message)
                                    : qc_steps_check(steps, message);
}

qc_status qc_reference_run(const qc_call *call, const qc_steps *steps,
                           qc_message *message)
{
    const qc_status status = call_check(call, steps, message);
    if (status == QC_OK) {
        op_find(call->op)(call, steps);
    }
    return status;
}

static qc_status row_parse(const qc_call *call, qc_steps *steps_ret, qc_message *message)
{
    const qc_profile_row *const row = qc_profile_find(call);
    if (!row) {
        return qc_fail(QC_UNSUPPORTED, message, "profile %s: no row for this %s call",
                       call->profile, qc_op_get(call->op)->name);
    }
    return qc_steps_parse(row->steps_text, steps_ret, message);
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    qc_steps steps;
    (void)self;
    *plan_ret = NULL;
    qc_status status = qc_call_check(call, message);
    if (status == QC_OK) {
        status = row_parse(call, &steps, message);
    }
    return status == QC_OK ? call_check(call, &steps, message) : status;
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    qc_steps steps;
    (void)self;
    (void)plan;
    const qc_status status = row_parse(call, &steps, message);
    if (status == QC_OK) {
        op_find(call->op)(call, &steps);
    }
    return status;
}

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    (void)self;
    (void)message;
    *description_ret =
        (qc_description){.size_bytes = sizeof(qc_description),
                         .capability_count = sizeof capabilities / sizeof capabilities[0],
                         .capabilities = capabilities,
                         .name = "reference",
                         .version = QC_VERSION};
    return QC_OK;
}

const qc_backend *qc_reference_backend(void)
{
    static const qc_backend backend = {.abi_version = QC_ABI_VERSION,
                                       .size_bytes = sizeof(qc_backend),
                                       .describe = describe,
                                       .prepare = prepare,
                                       .run = run};
    return &backend;
}
