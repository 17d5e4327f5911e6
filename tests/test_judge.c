/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: differing elements, delta*, ulps, NaN consistency, groups and exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "judge/judge.h"

static void differing_elements_are_found_in_chunks(void **state)
{
    (void)state;
    const int8_t got[5] = {1, -2, 3, 4, -5};
    const qc_expected want[5] = {{1, QC_EXPECT_VALUE},
                                 {0xfe, QC_EXPECT_VALUE},
                                 {4, QC_EXPECT_VALUE},
                                 {4, QC_EXPECT_CONSISTENT},
                                 {0xfb, QC_EXPECT_UNDEFINED}};
    int64_t index[2];
    int64_t from = 0;
    assert_int_equal(qc_judge_differing(QC_S8, got, want, 5, &from, index, 2), 2);
    assert_int_equal(index[0], 2);
    assert_int_equal(index[1], 3);
    assert_int_equal(qc_judge_differing(QC_S8, got, want, 5, &from, index, 2), 1);
    assert_int_equal(index[0], 4);
    assert_int_equal(from, 5);
}

static qc_group group_of(uint32_t op, uint32_t x, uint32_t form)
{
    qc_group group;
    memset(&group, 0, sizeof group);
    group.op = op;
    group.dtypes[0] = x;
    group.scale_form = form;
    return group;
}

/* Rule N5: the row's own delta decides, one ulp to either side of it. */
static void delta_decides_between_tie_and_fail(void **state)
{
    (void)state;
    const double magnitude = 100.5;
    const double sum = 103.5;
    const struct {
        uint32_t x;
        uint32_t form;
        double per_v;
    } rows[] = {{QC_F32, QC_SCALE_FORM_divide, 3},
                {QC_F64, QC_SCALE_FORM_divide, 4},
                {QC_F32, QC_SCALE_FORM_multiply, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const qc_group group = group_of(QC_OP_quantize, rows[i].x, rows[i].form);
        const double delta = (rows[i].per_v * magnitude + sum) * 0x1p-24;
        const qc_deviation inside = {delta * (1 - 0x1p-40), magnitude, sum};
        const qc_deviation outside = {delta * (1 + 0x1p-40), magnitude, sum};
        assert_int_equal(qc_judge_code(&group, &inside), QC_VERDICT_FAIL_TIE);
        assert_int_equal(qc_judge_code(&group, &outside), QC_VERDICT_FAIL);
    }
}

static void ops_without_a_row_have_no_delta(void **state)
{
    (void)state;
    const qc_group group = group_of(QC_OP_dequantize, QC_S8, 0);
    const qc_deviation on_the_tie = {0, 0.5, 0.5};
    const qc_deviation beside = {1e-12, 0.5, 0.5};
    const qc_deviation not_finite = {INFINITY, 0, 0};
    assert_int_equal(qc_judge_code(&group, &on_the_tie), QC_VERDICT_FAIL_TIE);
    assert_int_equal(qc_judge_code(&group, &beside), QC_VERDICT_FAIL);
    assert_int_equal(qc_judge_code(&group, &not_finite), QC_VERDICT_FAIL);
}

static void ulps_run_through_zero(void **state)
{
    (void)state;
    assert_int_equal(qc_judge_ulps(QC_F32, 0x3f800000, 0x3f800001), 1);
    assert_int_equal(qc_judge_ulps(QC_F32, 0x80000001, 0x00000001), 2);
    assert_int_equal(qc_judge_ulps(QC_F32, 0x80000000, 0), 0);
    assert_int_equal(qc_judge_ulps(QC_F16, 0x7bff, 0x7c00), 1);
    assert_true(qc_judge_ulps(QC_F16, 0x7c01, 0) == INT64_MAX);
    assert_true(qc_judge_ulps(QC_F64, 0x7ff0000000000001u, 0) == INT64_MAX);
    assert_int_equal(qc_judge_ulps(QC_BF16, 0xbf80, 0xbf7f), 1);
}

static qc_verdict ask(qc_consistency *table, uint64_t zero_point, uint64_t input,
                      int32_t low, int32_t high)
{
    qc_codes before;
    return qc_consistency_judge(table, 3, zero_point, input, (qc_codes){low, high},
                                &before);
}

static void nan_gives_one_code_per_zero_point(void **state)
{
    (void)state;
    qc_consistency *const table = qc_consistency_open();
    assert_non_null(table);
    assert_int_equal(ask(table, 0, 0x7fc00000, 0, 0), QC_VERDICT_PASS);
    assert_int_equal(ask(table, 5, 0x7fc00000, 5, 5), QC_VERDICT_PASS);
    assert_int_equal(ask(table, 0, 0xffc00000, 0, 0), QC_VERDICT_PASS);
    assert_int_equal(ask(table, 0, 0x7fc00001, -128, -128), QC_VERDICT_FAIL);
    assert_int_equal(ask(table, 0, 0x7fc00000, -128, -128),
                     QC_VERDICT_POSITION_DEPENDENT);
    assert_int_equal(ask(table, 5, 0x7fc00000, 0, 0), QC_VERDICT_POSITION_DEPENDENT);
    qc_consistency_close(table);
}

/* An underflow that stands for many codes agrees with each of them, but not with two. */
static void ambiguous_values_narrow_the_answer(void **state)
{
    (void)state;
    qc_consistency *const table = qc_consistency_open();
    assert_non_null(table);
    assert_int_equal(ask(table, 0, 1, -128, 127), QC_VERDICT_PASS);
    assert_int_equal(ask(table, 0, 2, 3, 3), QC_VERDICT_PASS);
    assert_int_equal(ask(table, 0, 1, 0, 127), QC_VERDICT_PASS);
    assert_int_equal(ask(table, 0, 4, 4, 4), QC_VERDICT_FAIL);
    qc_consistency_close(table);
}

static void the_highest_verdict_stands(void **state)
{
    (void)state;
    qc_group_result result;
    memset(&result, 0, sizeof result);
    qc_judge_count(&result, QC_VERDICT_PASS, 10);
    qc_judge_count(&result, QC_VERDICT_CRASH, 1);
    qc_judge_count(&result, QC_VERDICT_FAIL, 2);
    qc_judge_count(&result, QC_VERDICT_TIMEOUT, 0);
    assert_int_equal(result.verdict, QC_VERDICT_CRASH);
    assert_int_equal(result.counts[QC_VERDICT_FAIL], 2);
}

static qc_group_result counted(qc_verdict verdict, int64_t hits)
{
    qc_group_result result;
    memset(&result, 0, sizeof result);
    result.elems = 100;
    result.rival_count = 1;
    result.rivals[0].body = QC_NEEDED_HITS;
    result.rivals[0].tail = hits;
    qc_judge_count(&result, QC_VERDICT_PASS, 99);
    qc_judge_count(&result, verdict, 1);
    qc_judge_group(&result, &result);
    return result;
}

static void claims_and_accuracy(void **state)
{
    (void)state;
    const struct {
        qc_verdict verdict;
        int64_t hits;
        qc_claim claim;
        qc_accuracy accuracy;
    } rows[] = {
        {QC_VERDICT_PASS, 8, QC_CLAIM_CONFORMS, QC_ACCURACY_CORRECTLY_ROUNDED},
        {QC_VERDICT_UNDEFINED, 8, QC_CLAIM_CONFORMS, QC_ACCURACY_CORRECTLY_ROUNDED},
        {QC_VERDICT_PASS, 7, QC_CLAIM_INCOMPLETE, QC_ACCURACY_CORRECTLY_ROUNDED},
        {QC_VERDICT_FAIL_TIE, 8, QC_CLAIM_DOES_NOT, QC_ACCURACY_NEAREST},
        {QC_VERDICT_FAIL, 8, QC_CLAIM_DOES_NOT, QC_ACCURACY_WRONG},
        {QC_VERDICT_ENV_CLOBBER, 8, QC_CLAIM_DOES_NOT, QC_ACCURACY_WRONG},
        {QC_VERDICT_CRASH, 0, QC_CLAIM_DOES_NOT, QC_ACCURACY_WRONG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const qc_group_result result = counted(rows[i].verdict, rows[i].hits);
        assert_int_equal(result.claim, rows[i].claim);
        assert_int_equal(result.accuracy, rows[i].accuracy);
    }
}

static void nothing_judged_is_incomplete(void **state)
{
    (void)state;
    qc_group_result result;
    memset(&result, 0, sizeof result);
    qc_judge_group(&result, &result);
    assert_int_equal(result.claim, QC_CLAIM_INCOMPLETE);
    assert_string_equal(result.note, "no element was judged");
}

static void explanations(void **state)
{
    (void)state;
    char text[96];
    qc_explain_value(QC_S8, 0x80, text);
    assert_string_equal(text, "-128");
    qc_explain_value(QC_F32, 0x3fc00000, text);
    assert_string_equal(text, "1.5 = 0x1.8p+0");
    qc_explain_value(QC_F16, 0x7e01, text);
    assert_string_equal(text, "nan #7e01");
    qc_explain_position(&(qc_position){.defined = 0}, text);
    assert_string_equal(text, "");
    qc_explain_position(&(qc_position){.tie = -2, .side = 0, .defined = 1}, text);
    assert_string_equal(text, "exactly on the tie -1.5");
    qc_explain_position(
        &(qc_position){.tie = 3, .side = -1, .distance = 0.25, .defined = 1}, text);
    assert_string_equal(text, "0.25 codes below the tie 3.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differing_elements_are_found_in_chunks),
        cmocka_unit_test(delta_decides_between_tie_and_fail),
        cmocka_unit_test(ops_without_a_row_have_no_delta),
        cmocka_unit_test(ulps_run_through_zero),
        cmocka_unit_test(nan_gives_one_code_per_zero_point),
        cmocka_unit_test(ambiguous_values_narrow_the_answer),
        cmocka_unit_test(the_highest_verdict_stands),
        cmocka_unit_test(claims_and_accuracy),
        cmocka_unit_test(nothing_judged_is_incomplete),
        cmocka_unit_test(explanations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
