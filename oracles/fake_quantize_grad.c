/* SPDX-License-Identifier: Apache-2.0 */
/* The engines derive the mask of x; the gradient passes on its bits (rule G1). */
#include <string.h>

#include "engine.h"

/* Of a float dtype: the sign, the bits of an infinity, the bit that quiets a NaN. */
typedef struct fields {
    uint64_t sign;
    uint64_t infinity;
    uint64_t quiet;
} fields;

static fields fields_of(uint32_t dtype)
{
    switch (dtype) {
    case QC_F64:
        return (fields){UINT64_C(1) << 63, UINT64_C(0x7ff) << 52, UINT64_C(1) << 51};
    case QC_F32: return (fields){UINT64_C(1) << 31, UINT64_C(0xff) << 23, 1 << 22};
    case QC_F16: return (fields){1 << 15, 0x1f << 10, 1 << 9};
    default: return (fields){1 << 15, 0xff << 7, 1 << 6};
    }
}

/* grad * 0 and grad * 1 in IEEE's arithmetic, as x86 forms NaNs. */
static uint64_t product(uint32_t dtype, uint64_t grad, int mask)
{
    const fields f = fields_of(dtype);
    const uint64_t magnitude = grad & ~f.sign;
    if (magnitude > f.infinity) {
        return grad | f.quiet;
    }
    if (mask) {
        return grad;
    }
    return magnitude == f.infinity ? f.sign | f.infinity | f.quiet : grad & f.sign;
}

static int is_product(const qc_oracle *oracle)
{
    const qc_step *const last = &oracle->steps.step[oracle->steps.count - 1];
    return last->kind == QC_STEP_pass && last->first == QC_TOKEN_product;
}

static void finish(const qc_oracle *oracle, int64_t first, int64_t count,
                   qc_expected *expected)
{
    const qc_tensor *const grad =
        &oracle->call->args[QC_ARG_OF(fake_quantize_grad, grad)];
    for (int64_t i = 0; i < count; i++) {
        const int mask = expected[i].bits != 0;
        if (expected[i].kind == QC_EXPECT_VALUE && (mask || is_product(oracle))) {
            const uint64_t bits = qc_arg_bits(grad, first + i);
            expected[i].bits =
                is_product(oracle) ? product(grad->dtype, bits, mask) : bits;
        }
    }
}

const qc_oracle_op qc_oracle_fake_quantize_grad = {
    .engines = QC_ELEMENTWISE_ENGINES,
    .element = QC_ARG_OF(fake_quantize_grad, x),
    .scale = QC_ARG_OF(fake_quantize_grad, scale),
    .zero_point = QC_ARG_OF(fake_quantize_grad, zero_point),
    .real = QC_ARG_OF(fake_quantize_grad, x),
    .roles = {[QC_ARG_OF(fake_quantize_grad, dx)] = QC_ROLE_MASK},
    .steps = QC_STEPS_TO_CODE | QC_STEP_BIT(mask) | QC_STEP_BIT(pass),
    .finish = finish,
};
