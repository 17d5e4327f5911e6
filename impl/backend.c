/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind the backend ABI. Plans own nothing and nothing is allocated: a
   run cuts its call into lines again, on the stack. */
#include "impl.h"
#include "kernel.h"
#include "quantcert/result.h"

#include <string.h>

#define CLAIMS "ideal", "tensorplay-doc"

/* Both words of mask_form, scheme and observer; requantize has a row for each word. */
#define CHOICES(op)                                                \
    ((op) == QC_OP_ste_mask || (op) == QC_OP_fake_quantize_grad || \
             (op) == QC_OP_choose_qparams || (op) == QC_OP_observe \
         ? 3u                                                      \
         : 0u)

static const qc_capability capabilities[] = {
#define QC_OFFER(name, forms, ...)                    \
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
     .claims = {CLAIMS}},
#define QC_OFFER_CHOICE(name, word, ...)              \
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
     .claims = {CLAIMS}},
#include "kernels.def"
#undef QC_OFFER
#undef QC_OFFER_CHOICE
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
     .claims = {CLAIMS}},
#define QC_LINEAR_GRID_FULL QC_GRID_FULL
#define QC_LINEAR_GRID_ANY (QC_GRID_FULL | QC_GRID_NARROW)
#include "linear.def"
#undef QC_LINEAR_OFFER
};

qc_status qc_profile_check(const qc_call *call, qc_message *message)
{
    static const char *const claims[] = {CLAIMS};
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        if (!strcmp(call->profile, claims[i])) {
            return QC_OK;
        }
    }
    return qc_fail(QC_UNSUPPORTED, message,
                   "profile: '%.60s', ideal or tensorplay-doc expected", call->profile);
}

/* self is the rung's name, or NULL for the top one. */
static qc_status rung_of(void *self, uint32_t *rung_ret, qc_message *message)
{
    if (!self) {
        return qc_rung_top(rung_ret, message);
    }
    *rung_ret = qc_rung_find(self);
    return QC_OK;
}

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    uint32_t rung;
    const qc_status status = rung_of(self, &rung, message);
    *description_ret =
        (qc_description){.size_bytes = sizeof(qc_description),
                         .capability_count = sizeof capabilities / sizeof capabilities[0],
                         .capabilities = capabilities,
                         .name = "impl",
                         .version = QC_VERSION};
    return status;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    uint32_t rung;
    *plan_ret = NULL;
    qc_status status = rung_of(self, &rung, message);
    if (status == QC_OK) {
        status = qc_call_check(call, message);
    }
    if (status == QC_OK) {
        status = qc_profile_check(call, message);
    }
    if (status == QC_OK && !qc_kernel_find(call->op, rung)) {
        status = qc_fail(QC_UNSUPPORTED, message, "op %s: no kernel",
                         qc_op_get(call->op)->name);
    }
    return status;
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    uint32_t rung;
    (void)plan;
    const qc_status status = rung_of(self, &rung, message);
    if (status == QC_OK) {
        qc_walk(call, qc_kernel_find(call->op, rung));
    }
    return status;
}

#define BACKEND(rung_name)                                                        \
    {                                                                             \
        .abi_version = QC_ABI_VERSION, .size_bytes = sizeof(qc_backend),          \
        .self = (rung_name), .describe = describe, .prepare = prepare, .run = run \
    }

const qc_backend *qc_impl_backend(const char *rung)
{
    static const qc_backend top = BACKEND(NULL);
    static const qc_backend rungs[QC_RUNG_COUNT] = {
#define QC_RUNG(rung, feature, summary) BACKEND(#rung),
#include "kernels.def"
#undef QC_RUNG
    };
    if (!rung) {
        return &top;
    }
    const uint32_t found = qc_rung_find(rung);
    return qc_rung_runs_here(found) ? &rungs[found] : NULL;
}
