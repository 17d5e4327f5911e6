/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of native libraries on cases whose answers the libraries themselves gave, by the
   reference and by MPFR; and capabilities with limits, which every case must respect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/cases.h"
#include "cases/generate.h"
#include "oracles/oracles.h"
#include "reference/reference.h"

typedef struct known {
    const char *line;
    int code;
} known;

#define FIXED "qc1 op=requantize profile=gemmlowp params=fixed "
#define LINEAR "qc1 op=quantized_linear profile="
#define ONE_TERM                                                          \
    " x_zero_point=s32[]:0 w_zero_point=s32[]:12 x_scale=f32[]:0x1.8p+0 " \
    "w_scale=f32[]:0x1p-4"

static const known answers[] = {
    /* S40: the left shift saturates, then the high multiply rounds it away */
    {FIXED "acc=s32[]:7429736 multiplier=s32[]:1 shift=s8[]:-1 zero_point=s32[]:25 q=u8",
     26},
    {FIXED "acc=s32[]:-7429736 multiplier=s32[]:1 shift=s8[]:-1 zero_point=s32[]:25 q=u8",
     24},
    {FIXED
     "acc=s32[]:1073741824 multiplier=s32[]:1 shift=s8[]:-29 zero_point=s32[]:7 q=u8",
     8},
    {FIXED
     "acc=s32[]:3 multiplier=s32[]:1073741824 shift=s8[]:-29 zero_point=s32[]:0 q=u8",
     6},
    /* Y1: two tie rules, and a sum that wraps */
    {FIXED
     "acc=s32[]:-2 multiplier=s32[]:1073741824 shift=s8[]:-32 zero_point=s32[]:10 q=u8",
     9},
    {FIXED "acc=s32[]:2147483647 multiplier=s32[]:2147483647 shift=s8[]:-31 "
           "zero_point=s32[]:255 q=u8",
     0},
    /* S41: -777 units are exactly -55.5 codes; the reciprocal's product lies above */
    {LINEAR "onednn-3.2 x_q=u8[1x1]:7 w_q=s8[1x1]:-99" ONE_TERM
            " out_scale=f32[]:0x1.5p+0 out_zero_point=s32[]:107 q=s8",
     52},
    {LINEAR "ideal x_q=u8[1x1]:7 w_q=s8[1x1]:-99" ONE_TERM
            " out_scale=f32[]:0x1.5p+0 out_zero_point=s32[]:107 q=s8",
     51},
    /* and the real bias is in front of the reciprocal */
    {LINEAR "onednn-3.2 x_q=u8[1x1]:7 w_q=s8[1x1]:-99" ONE_TERM
            " out_scale=f32[]:4 bias=f32[1]:10 out_zero_point=s32[]:107 q=s8",
     91},
};

static void expect(qc_case *item, const char *line, int want)
{
    const uint32_t last = qc_op_get(item->call.op)->arg_count - 1;
    const qc_profile_row *const row = qc_profile_find(&item->call);
    uint8_t code = 0;
    qc_steps steps;
    qc_oracle *oracle;
    qc_expected expected;
    qc_message message = {""};
    assert_non_null(row);
    assert_int_equal(qc_steps_parse(row->steps_text, &steps, NULL), QC_OK);
    item->call.args[last].data = &code;
    assert_int_equal(qc_reference_run(&item->call, &steps, &message), QC_OK);
    assert_int_equal(
        qc_oracle_open(&item->call, &steps, QC_ORACLE_MPFR, &oracle, &message), QC_OK);
    qc_oracle_expect(oracle, last, 0, 1, &expected);
    qc_oracle_close(oracle);
    if (code != (uint8_t)want || expected.kind != QC_EXPECT_VALUE ||
        (uint8_t)expected.bits != (uint8_t)want) {
        fail_msg("%s: reference %d, MPFR %d, expected %d", line, code, (int)expected.bits,
                 want);
    }
}

static void libraries_answers_are_the_profiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        qc_case item;
        qc_message message = {""};
        if (qc_case_parse(answers[i].line, &item, NULL, &message) != QC_OK) {
            fail_msg("%s: %s", answers[i].line, message.text);
        }
        expect(&item, answers[i].line, answers[i].code);
        item.call.args[qc_op_get(item.call.op)->arg_count - 1].data = NULL;
        qc_case_free(&item);
    }
}

#define BIT(dtype) QC_DTYPE_BIT(QC_##dtype)

static double read(const qc_case *item, const char *name, int64_t n)
{
    const qc_tensor *const t = &item->call.args[qc_arg_find(item->call.op, name)];
    return qc_bits_to_double(t->dtype, qc_bits_load(t, qc_tensor_at(t, t->rank ? n : 0)));
}

/* Every case of smoke is inside the limits; `look` says how. */
static void each_case(const qc_capability *capability, void (*look)(const qc_case *))
{
    size_t count = 0;
    qc_group *const groups = qc_groups_make(capability, 1, UINT32_MAX, NULL, &count);
    assert_true(count > 0);
    for (size_t g = 0; g < count; g++) {
        for (int64_t i = 0; i < qc_group_cases(&groups[g], QC_LEVEL_SMOKE); i++) {
            qc_case item;
            assert_int_equal(qc_group_case(&groups[g], 1, i, &item), QC_OK);
            look(&item);
            qc_case_free(&item);
        }
    }
    free(groups);
}

static void look_linear(const qc_case *item)
{
    const qc_tensor *const w = &item->call.args[1];
    assert_true(w->dims[1] >= 1 && w->dims[1] <= 100);
    assert_int_equal(item->call.args[QC_ARG_OF(quantized_linear, w_zero_point)].rank, 0);
    assert_true(read(item, "w_zero_point", 0) == 0);
    for (int64_t n = 0; n < w->dims[0]; n++) {
        const double x_scale = read(item, "x_scale", 0);
        const double m = x_scale * read(item, "w_scale", n) / read(item, "out_scale", 0);
        assert_true(m >= 0x1p-32 && m <= 0x1p8 && x_scale >= 0x1p-126);
    }
}

static void linear_stays_inside(void **state)
{
    (void)state;
    const qc_capability capability = {.op = QC_OP_quantized_linear,
                                      .arg_dtypes = {BIT(S8), BIT(S8), BIT(S32), BIT(S32),
                                                     BIT(F32), BIT(F32), BIT(F32), 0, 0,
                                                     0, BIT(S32), BIT(S8)},
                                      .granularities = QC_PER_TENSOR | QC_PER_CHANNEL,
                                      .scale_forms = QC_FORM_DIVIDE,
                                      .grids = QC_GRID_FULL,
                                      .min_rank = 2,
                                      .max_rank = 2,
                                      .scale_low = 0x1p-126,
                                      .zero_points = QC_ZP_ZERO,
                                      .min_terms = 1,
                                      .max_terms = 100,
                                      .multiplier_low = 0x1p-32,
                                      .multiplier_high = 0x1p8};
    each_case(&capability, look_linear);
}

static void look_requantize(const qc_case *item)
{
    const qc_tensor *const shift = &item->call.args[QC_ARG_OF(requantize, shift)];
    for (int64_t c = 0; c < qc_tensor_elems(shift); c++) {
        const int8_t value = (int8_t)qc_bits_load(shift, qc_tensor_at(shift, c));
        assert_true(value >= -62 && value <= -31);
        assert_true(read(item, "zero_point", c) == 0);
    }
}

static void requantize_stays_inside(void **state)
{
    (void)state;
    const qc_capability capability = {
        .op = QC_OP_requantize,
        .arg_dtypes = {BIT(S32), BIT(S32), BIT(S8), BIT(S32), BIT(S8)},
        .granularities = QC_PER_TENSOR | QC_PER_CHANNEL,
        .scale_forms = QC_FORM_DIVIDE,
        .grids = QC_GRID_FULL,
        .max_rank = QC_MAX_RANK,
        .choices = 1u << QC_PARAMS_fixed,
        .zero_points = QC_ZP_ZERO,
        .shift_low = -62,
        .shift_high = -31};
    each_case(&capability, look_requantize);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_answers_are_the_profiles),
        cmocka_unit_test(linear_stays_inside),
        cmocka_unit_test(requantize_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
