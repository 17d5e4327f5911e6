/* SPDX-License-Identifier: Apache-2.0 */
/* The generator: known answers, validity of what it makes, and whether its cases tell every
   rival choice from the row's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/cases.h"
#include "harness/discriminate.h"

#define FULL(operation, ...)                                                           \
    {                                                                                  \
        .op = operation, .arg_dtypes = {__VA_ARGS__},                                  \
        .granularities = QC_PER_TENSOR | QC_PER_CHANNEL,                               \
        .scale_forms = QC_FORM_DIVIDE | QC_FORM_MULTIPLY,                              \
        .grids = QC_GRID_FULL | QC_GRID_NARROW, .max_rank = QC_MAX_RANK, .strided = 1, \
        .nonfinite = 1, .max_threads = 4                                               \
    }

static const qc_capability full[] = {
    FULL(QC_OP_quantize, QC_SET_FLOATS, QC_SET_SCALES, QC_SET_ZP, QC_SET_CODES),
    FULL(QC_OP_dequantize, QC_SET_CODES, QC_SET_SCALES, QC_SET_ZP, QC_SET_FLOATS),
    FULL(QC_OP_fake_quantize, QC_SET_FLOATS, QC_SET_SCALES, QC_SET_ZP, QC_SET_FLOATS,
         QC_DTYPE_BIT(QC_U8)),
};

enum { FULL_COUNT = sizeof full / sizeof full[0] };

static qc_group *groups;
static size_t group_count;

/* The stream of SplitMix64 from a hashed start, computed apart in Python's integers. */
static void test_random(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, stream, index, value;
    } known[] = {
#include "expected/random.inc"
    };
    for (size_t n = 0; n < sizeof known / sizeof known[0]; n++) {
        assert_int_equal(qc_random_at(known[n].seed, known[n].stream, known[n].index),
                         known[n].value);
    }
}

/* The call with some data for its outputs, which nobody writes here. */
static qc_call with_outputs(const qc_case *item)
{
    static uint64_t place;
    qc_call call = item->call;
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        if (call.args[arg].dtype != QC_NONE && call.args[arg].data == NULL) {
            call.args[arg].data = &place;
        }
    }
    return call;
}

static qc_status check(const qc_case *item, qc_message *message)
{
    const qc_call call = with_outputs(item);
    return qc_call_check(&call, message);
}

static void test_cases_are_valid(void **state)
{
    (void)state;
    for (size_t g = 0; g < group_count; g++) {
        int64_t elems = 0;
        const int64_t cases = qc_group_cases(&groups[g], QC_LEVEL_SMOKE);
        for (int64_t i = 0; i < cases; i++) {
            qc_case item;
            qc_message message = {""};
            assert_int_equal(qc_group_case(&groups[g], 1, i, &item), QC_OK);
            if (check(&item, &message) != QC_OK) {
                fail_msg("%s: %s", message.text, qc_case_format(&item, 0));
            }
            elems += qc_tensor_elems(&item.call.args[0]);
            qc_case_free(&item);
        }
        assert_true(elems >= qc_level_elems(QC_LEVEL_SMOKE));
        assert_true(cases <= qc_group_cases(&groups[g], QC_LEVEL_QUICK));
    }
}

static void test_negatives_are_invalid(void **state)
{
    (void)state;
    int64_t total = 0;
    for (size_t g = 0; g < group_count; g++) {
        const int64_t count = qc_group_negatives(&groups[g]);
        assert_true(count >= 10);
        for (int64_t i = 0; i < count; i++) {
            qc_case item;
            qc_case again;
            qc_message message = {""};
            assert_int_equal(qc_group_negative(&groups[g], 1, i, &item), QC_OK);
            char *const line = qc_case_format(&item, 0);
            if (check(&item, &message) != QC_INVALID) {
                fail_msg("valid: %s", line);
            }
            assert_int_equal(qc_case_parse(line, &again, NULL, &message), QC_OK);
            qc_case_free(&again);
            qc_case_free(&item);
            free(line);
        }
        total += count;
    }
    print_message("negative cases: %lld\n", (long long)total);
}

/* Of a capability with ranks low ... high: every negative is one, and per channel needs an
   axis. */
static void negatives_of_ranks(uint32_t low, uint32_t high, size_t wanted)
{
    const qc_capability capability = {
        .op = QC_OP_quantize,
        .arg_dtypes = {QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_S32),
                       QC_DTYPE_BIT(QC_S8)},
        .granularities = QC_PER_TENSOR | QC_PER_CHANNEL,
        .scale_forms = QC_FORM_DIVIDE,
        .grids = QC_GRID_FULL,
        .min_rank = low,
        .max_rank = high};
    size_t count;
    qc_group *const offered = qc_groups_make(&capability, 1, UINT32_MAX, NULL, &count);
    assert_int_equal(count, wanted);
    for (size_t g = 0; g < count; g++) {
        for (int64_t i = 0; i < qc_group_negatives(&offered[g]); i++) {
            qc_case item;
            qc_message message = {""};
            assert_int_equal(qc_group_negative(&offered[g], 1, i, &item), QC_OK);
            char *const line = qc_case_format(&item, 0);
            if (check(&item, &message) != QC_INVALID) {
                fail_msg("valid: %s", line);
            }
            free(line);
            qc_case_free(&item);
        }
    }
    free(offered);
}

/* 0.7 is no f32; the nearest one is below it. */
static void test_scales_stay_in_the_range_offered(void **state)
{
    (void)state;
    const qc_capability capability = {
        .op = QC_OP_quantize,
        .arg_dtypes = {QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_S32),
                       QC_DTYPE_BIT(QC_S8)},
        .granularities = QC_PER_TENSOR,
        .scale_forms = QC_FORM_DIVIDE,
        .grids = QC_GRID_FULL,
        .max_rank = 2,
        .scale_low = 0.7,
        .scale_high = 0.8};
    size_t count;
    qc_group *const offered = qc_groups_make(&capability, 1, UINT32_MAX, NULL, &count);
    assert_int_equal(count, 1);
    for (int64_t i = 0; i < qc_group_cases(offered, QC_LEVEL_SMOKE); i++) {
        qc_case item;
        assert_int_equal(qc_group_case(offered, 1, i, &item), QC_OK);
        const float scale = *(const float *)item.call.args[1].data;
        assert_true(scale >= capability.scale_low && scale <= capability.scale_high);
        qc_case_free(&item);
    }
    free(offered);
}

static void test_negatives_of_every_rank(void **state)
{
    (void)state;
    negatives_of_ranks(0, 0, 1);
    for (uint32_t rank = 1; rank <= QC_MAX_RANK; rank++) {
        negatives_of_ranks(rank, rank, 2);
    }
}

/* The line alone gives the same data again: the seed is in the generators' arguments. */
static void test_lines_reproduce(void **state)
{
    (void)state;
    for (size_t g = 0; g < group_count; g += 7) {
        for (int64_t i = (int64_t)g % 13; i < 103; i += 13) {
            qc_case item;
            qc_case again;
            qc_message message = {""};
            assert_int_equal(qc_group_case(&groups[g], 5, i, &item), QC_OK);
            char *const line = qc_case_format(&item, 0);
            char *const values = qc_case_format(&item, 1);
            assert_int_equal(qc_case_parse(line, &again, NULL, &message), QC_OK);
            char *const second = qc_case_format(&again, 1);
            assert_string_equal(values, second);
            free(line);
            free(values);
            free(second);
            qc_case_free(&item);
            qc_case_free(&again);
        }
    }
}

/* Scales outside a capability's range are never sent, nor strides, ranks, sizes, NaN. */
static void test_limits(void **state)
{
    (void)state;
    qc_capability limits = full[0];
    limits.scale_low = 0x1p-10;
    limits.scale_high = 0x1p4;
    limits.min_rank = 1;
    limits.max_rank = 4;
    limits.max_elems = 40;
    limits.strided = limits.nonfinite = limits.max_threads = 0;
    size_t count = 0;
    qc_group *const few =
        qc_groups_make(&limits, 1, 1u << QC_OP_quantize, "some", &count);
    assert_int_equal(count, 480);
    for (size_t g = 0; g < count; g += 11) {
        for (int64_t i = 0; i < 120; i++) {
            qc_case item;
            assert_int_equal(qc_group_case(&few[g], 1, i, &item), QC_OK);
            const qc_tensor *const x = &item.call.args[0];
            assert_string_equal(item.call.profile, "some");
            assert_in_range(x->rank, 1, 4);
            assert_in_range(qc_tensor_elems(x), 0, 40);
            assert_int_equal(item.call.attrs.threads, 1);
            for (uint32_t arg = 0; arg < 4; arg++) {
                assert_true(qc_tensor_is_contiguous(&item.call.args[arg]));
                assert_int_equal(item.call.args[arg].offset, 0);
            }
            char *const line = qc_case_format(&item, 1);
            assert_null(strstr(line, "inf"));
            assert_null(strstr(line, "nan"));
            assert_null(strchr(line, '#'));
            free(line);
            for (int64_t c = 0; c < qc_tensor_elems(&item.call.args[1]); c++) {
                const int is_f32 = item.call.args[1].dtype == QC_F32;
                const double scale = is_f32 ? ((float *)item.call.args[1].data)[c]
                                            : ((double *)item.call.args[1].data)[c];
                assert_true(scale >= 0x1p-10 && scale <= 0x1p4);
            }
            qc_case_free(&item);
        }
    }
    free(few);
}

/* Every length from 1 to 65 stands in each group, as the size of its rows. */
static void test_lengths(void **state)
{
    (void)state;
    for (size_t g = 0; g < group_count; g++) {
        uint8_t seen[66] = {0};
        for (int64_t i = 0; i < 65; i++) {
            qc_case item;
            assert_int_equal(qc_group_case(&groups[g], 1, i, &item), QC_OK);
            const qc_tensor *const body = &item.call.args[0];
            const int64_t length = body->rank > 0 ? body->dims[body->rank - 1] : 1;
            if (length <= 65) {
                seen[length] = 1;
            }
            qc_case_free(&item);
        }
        for (int length = 1; length <= 65; length++) {
            assert_true(seen[length]);
        }
    }
}

/* One line for each rival that a group's smoke cases tell apart too seldom. */
static int count_short(const qc_group *group, uint64_t seed)
{
    qc_group_result result = {.group = *group};
    qc_discrimination rivals = {0};
    qc_message message = {""};
    char id[QC_GROUP_ID];
    int missing = 0;
    for (int64_t i = 0; i < qc_group_cases(group, QC_LEVEL_SMOKE); i++) {
        qc_case item;
        assert_int_equal(qc_group_case(group, seed, i, &item), QC_OK);
        const qc_call call = with_outputs(&item);
        qc_status status =
            i > 0 ? QC_OK : qc_discriminate_open(&rivals, &call, &result, &message);
        if (status == QC_OK && qc_tensor_elems(&item.call.args[0]) > 0) {
            status = qc_discriminate(&rivals, &call, &result, &message);
        }
        if (status != QC_OK) {
            fail_msg("%s", message.text);
        }
        qc_case_free(&item);
    }
    for (uint32_t r = 0; r < result.rival_count; r++) {
        const qc_rival_count *const rival = &result.rivals[r];
        if (rival->body < QC_NEEDED_HITS || rival->tail < QC_NEEDED_HITS) {
            qc_group_id(group, id);
            print_message("short: %s %s: body %lld tail %lld\n", id, rival->name,
                          (long long)rival->body, (long long)rival->tail);
            missing++;
        }
    }
    return missing;
}

static void test_rivals_are_told_apart(void **state)
{
    (void)state;
    int missing = 0;
    for (size_t g = 0; g < group_count; g++) {
        missing += count_short(&groups[g], 1);
        missing += g % 4 == 0 ? count_short(&groups[g], 2 + g) : 0;
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_cases_are_valid),
        cmocka_unit_test(test_negatives_are_invalid),
        cmocka_unit_test(test_negatives_of_every_rank),
        cmocka_unit_test(test_scales_stay_in_the_range_offered),
        cmocka_unit_test(test_lines_reproduce),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_rivals_are_told_apart),
    };
    groups = qc_groups_make(full, FULL_COUNT, ~0u, NULL, &group_count);
    if (group_count != 720) {
        print_error("720 groups expected, found %zu\n", group_count);
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(groups);
    return failed;
}
