/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>
#include <quantcert/backend.h>
/* clang-format off */
/* The library under test: yours comes from its own header. */
static void my_quantize(const float *x, float s, int32_t zp, int8_t *q, int64_t elems)
{
    for (int64_t i = 0; i < elems; i++)
        q[i] = (int8_t)fmin(fmax((isnan(x[i]) ? 0 : rint((double)x[i] / s)) + zp, -128), 127);
}
static void my_dequantize(const int8_t *q, float s, int32_t zp, float *y, int64_t elems)
{
    for (int64_t i = 0; i < elems; i++) y[i] = (float)(q[i] - zp) * s;
}
#define OFFER(name, from, to) {.op = QC_OP_##name, .granularities = QC_PER_TENSOR, \
    .arg_dtypes = {1u << from, 1u << QC_F32, 1u << QC_S32, 1u << to}, .nonfinite = 1, \
    .scale_forms = QC_FORM_DIVIDE, .grids = QC_GRID_FULL, .max_rank = 6, .claims = {"ideal"}}
static const qc_capability offers[] = {OFFER(quantize, QC_F32, QC_S8),
                                       OFFER(dequantize, QC_S8, QC_F32)};
static qc_status describe(void *self, qc_description *about_ret, qc_message *message)
{
    *about_ret = (qc_description){sizeof *about_ret, 2, offers, "example", "1"};
    return QC_OK;
}
static int64_t plain_elems(const qc_tensor *t) /* row-major without gaps; -1: another */
{
    int64_t step = 1, elems = 1;
    if (t->rank > 6 || t->offset) return -1;
    for (uint32_t d = t->rank; d-- > 0; step *= t->dims[d] ? t->dims[d] : 1) {
        if (t->dims[d] < 0 || (t->dims[d] > 1 && t->strides[d] != step)) return -1;
        elems *= t->dims[d];
    }
    return elems;
}
#define EXPECT(truth) if (!(truth)) return strcpy(message->text, #truth), QC_INVALID
static qc_status prepare(void *self, const qc_call *call, qc_plan **p, qc_message *message)
{
    const qc_tensor *a = call->args; /* body, scale, zero point, output: of both ops */
    const int q = call->op == QC_OP_quantize, min = call->attrs.qmin, max = call->attrs.qmax;
    EXPECT(a[0].dtype == (q ? QC_F32 : QC_S8) && a[3].dtype == (q ? QC_S8 : QC_F32));
    EXPECT(a[1].dtype == QC_F32 && a[2].dtype == QC_S32 && !a[1].rank && !a[2].rank);
    EXPECT(plain_elems(a) >= 0 && plain_elems(a + 3) >= 0 && a[0].rank == a[3].rank);
    EXPECT(!memcmp(a[0].dims, a[3].dims, a[0].rank * 8) && call->attrs.axis == QC_AXIS_NONE);
    EXPECT(!q || ((min == QC_GRID_DEFAULT || min == -128) && (max == QC_GRID_DEFAULT || max == 127)));
    EXPECT(*(float *)a[1].data > 0 && isfinite(*(float *)a[1].data));
    EXPECT(*(int32_t *)a[2].data >= -128 && *(int32_t *)a[2].data <= 127);
    return QC_OK;
}
static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    const qc_tensor *a = call->args;
    const float s = *(float *)a[1].data;
    const int32_t zp = *(int32_t *)a[2].data;
    if (call->op == QC_OP_quantize) my_quantize(a->data, s, zp, a[3].data, plain_elems(a));
    else my_dequantize(a->data, s, zp, a[3].data, plain_elems(a));
    return QC_OK;
}
static const qc_backend table = {QC_ABI_VERSION, sizeof table, 0, describe, prepare, run, 0, 0};
QC_EXPORT const qc_backend *quantcert_backend(void) { return &table; }
