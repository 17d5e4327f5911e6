/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest backend: quantize f32 -> s8, per tensor. Its Makefile builds it. */
#include <math.h>
#include <string.h>
#include <quantcert/backend.h>

static qc_status describe(void *self, qc_description *about_ret, qc_message *m)
{
    static const qc_capability quantize = {
        .op = QC_OP_quantize,
        .arg_dtypes = {1u << QC_F32, 1u << QC_F32, 1u << QC_S32, 1u << QC_S8},
        .granularities = QC_PER_TENSOR,
        .scale_forms = QC_FORM_DIVIDE,
        .grids = QC_GRID_FULL,
        .max_rank = QC_MAX_RANK,
        .nonfinite = 1,
        .claims = {"ideal"},
    };
    *about_ret = (qc_description){sizeof *about_ret, 1, &quantize, "example", "1"};
    return QC_OK;
}

/* Elements of a row-major tensor without gaps; -1 for any other. */
static int64_t plain_elems(const qc_tensor *tensor)
{
    int64_t step = 1, empty = 0;
    for (uint32_t d = tensor->rank <= QC_MAX_RANK ? tensor->rank : 0; d-- > 0;) {
        const int64_t dim = tensor->dims[d];
        if (dim < 0 || (dim > 1 && tensor->strides[d] != step))
            return -1;
        step *= dim ? dim : 1;
        empty |= !dim;
    }
    return tensor->rank > QC_MAX_RANK || tensor->offset ? -1 : empty ? 0 : step;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **p,
                         qc_message *message)
{
    const qc_tensor *x = call->args, *s = x + 1, *z = x + 2, *q = x + 3;
    const qc_attrs *a = &call->attrs;
#define EXPECT(truth, what) \
    if (!(truth))           \
    return strcpy(message->text, "expected: " what), QC_INVALID
    EXPECT(x->dtype == QC_F32 && s->dtype == QC_F32 && z->dtype == QC_S32,
           "f32, f32, s32");
    EXPECT(q->dtype == QC_S8, "s8 codes");
    EXPECT(plain_elems(x) >= 0 && plain_elems(q) >= 0, "contiguous tensors");
    EXPECT(x->rank == q->rank && !memcmp(x->dims, q->dims, x->rank * 8), "q shaped as x");
    EXPECT(a->axis == QC_AXIS_NONE && !s->rank && !z->rank, "one scale and zero point");
    EXPECT(a->qmin == QC_GRID_DEFAULT || a->qmin == -128, "qmin -128");
    EXPECT(a->qmax == QC_GRID_DEFAULT || a->qmax == 127, "qmax 127");
    EXPECT(*(float *)s->data > 0 && isfinite(*(float *)s->data), "a finite scale > 0");
    EXPECT(*(int32_t *)z->data == (int8_t) * (int32_t *)z->data,
           "zero point in the grid");
    return QC_OK;
}

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    const float *x = call->args[0].data, scale = *(float *)call->args[1].data;
    const int32_t zero_point = *(int32_t *)call->args[2].data;
    for (int64_t i = 0, elems = plain_elems(&call->args[0]); i < elems; i++) {
        const double code = (isnan(x[i]) ? 0 : rint((double)x[i] / scale)) + zero_point;
        ((int8_t *)call->args[3].data)[i] = (int8_t)fmin(fmax(code, -128), 127);
    }
    return QC_OK;
}

QC_EXPORT const qc_backend *quantcert_backend(void)
{
    static const qc_backend table = {.abi_version = QC_ABI_VERSION,
                                     .size_bytes = sizeof table,
                                     .describe = describe,
                                     .prepare = prepare,
                                     .run = run};
    return &table;
}
