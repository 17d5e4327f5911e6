/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <math.h>
#include <string.h>

uint64_t qc_judge_bits(uint32_t dtype, const void *packed, int64_t i)
{
    const char *const at = (const char *)packed + i * (int64_t)qc_dtype_bytes(dtype);
    uint8_t b8;
    uint16_t b16;
    uint32_t b32;
    uint64_t b64;
    switch (qc_dtype_bytes(dtype)) {
    case 1: memcpy(&b8, at, sizeof b8); return b8;
    case 2: memcpy(&b16, at, sizeof b16); return b16;
    case 4: memcpy(&b32, at, sizeof b32); return b32;
    default: memcpy(&b64, at, sizeof b64); return b64;
    }
}

size_t qc_judge_differing(uint32_t dtype, const void *got, const qc_expected *want,
                          int64_t count, int64_t *from, int64_t *index_ret,
                          size_t capacity)
{
    size_t found = 0;
    int64_t i = *from;
    for (; i < count && found < capacity; i++) {
        if (want[i].kind != QC_EXPECT_VALUE ||
            want[i].bits != qc_judge_bits(dtype, got, i)) {
            index_ret[found++] = i;
        }
    }
    *from = i;
    return found;
}

/* delta* in units of 2^-24, from spec/nearest.def. */
typedef struct nearest_row {
    uint32_t op;
    uint32_t x;
    uint32_t scale_form;
    double per_v;
    double per_sum;
} nearest_row;

static const nearest_row rows[] = {
#define QC_NEAREST(op, x, form, per_v, per_sum, rule) \
    {QC_OP_##op, QC_##x, QC_SCALE_FORM_##form, per_v, per_sum},
#include "nearest.def"
#undef QC_NEAREST
};

qc_verdict qc_judge_code(const qc_group *group, const qc_deviation *deviation)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const nearest_row *const row = &rows[i];
        if (row->op == group->op && row->x == group->dtypes[qc_op_body(group->op)] &&
            row->scale_form == group->scale_form) {
            /* The last factor outweighs the three roundings: never a delta too wide. */
            const double delta =
                (row->per_v * deviation->magnitude + row->per_sum * deviation->sum) *
                0x1p-24 * (1 - 0x1p-50);
            return deviation->excess <= delta ? QC_VERDICT_FAIL_TIE : QC_VERDICT_FAIL;
        }
    }
    return deviation->excess <= 0 ? QC_VERDICT_FAIL_TIE : QC_VERDICT_FAIL;
}

/* Place of a float on a line without gaps: negative numbers below zero, -0 on +0. */
static int64_t ordered(uint32_t dtype, uint64_t bits)
{
    const unsigned width = 8u * (unsigned)qc_dtype_bytes(dtype);
    const uint64_t sign = 1ull << (width - 1);
    const int64_t magnitude = (int64_t)(bits & (sign - 1));
    return bits & sign ? -magnitude : magnitude;
}

static int is_nan(uint32_t dtype, uint64_t bits)
{
    static const uint64_t infinity[QC_DTYPE_COUNT] = {
        [QC_F32] = 0x7f800000u,
        [QC_F64] = 0x7ff0000000000000u,
        [QC_F16] = 0x7c00u,
        [QC_BF16] = 0x7f80u,
    };
    const unsigned width = 8u * (unsigned)qc_dtype_bytes(dtype);
    return infinity[dtype] && (bits & ((1ull << (width - 1)) - 1)) > infinity[dtype];
}

int64_t qc_judge_ulps(uint32_t dtype, uint64_t a, uint64_t b)
{
    if (is_nan(dtype, a) || is_nan(dtype, b)) {
        return INT64_MAX;
    }
    const int64_t low = ordered(dtype, a);
    const int64_t high = ordered(dtype, b);
    int64_t distance;
    if (__builtin_sub_overflow(high, low, &distance) || distance == INT64_MIN) {
        return INT64_MAX;
    }
    return distance < 0 ? -distance : distance;
}
