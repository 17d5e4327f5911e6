/* SPDX-License-Identifier: Apache-2.0 */
/* A run of four groups, made by hand: one conforms, one does not, one is incomplete and one
   is not offered. Each test of reports/ gets its own. */
#ifndef QC_TESTS_REPORTS_SAMPLE_H
#define QC_TESTS_REPORTS_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/reports.h"

#define SAMPLE_COUNT 4

static qc_group_result group_of(qc_op op, uint32_t x, uint32_t q, uint32_t granularity)
{
    qc_group_result result = {.group = {.op = (uint32_t)op, .granularity = granularity}};
    qc_group *group = &result.group;
    const uint32_t dtypes[] = {x, QC_F32, QC_S32, q};
    memcpy(group->dtypes, dtypes, sizeof dtypes);
    group->qmin = -128;
    group->qmax = 127;
    strcpy(group->profile, "ideal");
    group->limits.op = (uint32_t)op;
    group->limits.grids = QC_GRID_FULL;
    group->limits.max_rank = 6;
    group->limits.scale_high = 0x1.fffffep+127;
    result.cases = 40;
    result.negative_cases = 9;
    result.elems = 36864;
    result.counts[QC_VERDICT_PASS] = 36864;
    result.confirmed = 37;
    result.rival_count = 2;
    result.rivals[0] = (qc_rival_count){"divide_f32", "F2", 900, 8};
    result.rivals[1] = (qc_rival_count){"ties_away", "F1", 900, 90};
    return result;
}

static void add_witness(qc_group_result *result, uint32_t verdict, const char *line,
                        const char *got, const char *want, const char *position)
{
    result->witnesses[result->witness_count++] =
        (qc_witness){verdict, strdup(line), strdup(got), strdup(want), strdup(position)};
}

/* Unsorted. */
static void sample(qc_run_info *info, qc_group_result results[SAMPLE_COUNT])
{
    *info = (qc_run_info){.level = QC_LEVEL_QUICK, .seed = UINT64_MAX, .seconds = 1.25};
    strcpy(info->backend, "ties & <away>");
    strcpy(info->backend_version, "2.0");
    strcpy(info->backend_given, "./lib it's.so");
    strcpy(info->started, "2024-01-02T03:04:05Z");
    info->fact_count = 2;
    info->facts[0] = (qc_fact){"compiler", "gcc 12.2.0"};
    info->facts[1] = (qc_fact){"rounding", "to nearest"};
    results[0] = group_of(QC_OP_dequantize, QC_S8, QC_F32, QC_PER_TENSOR);
    results[1] = group_of(QC_OP_quantize, QC_F32, QC_S8, QC_PER_TENSOR);
    results[2] = group_of(QC_OP_quantize, QC_F32, QC_S8, QC_PER_CHANNEL);
    results[3] = group_of(QC_OP_quantize, QC_F16, QC_U8, QC_PER_TENSOR);
    qc_group_result *wrong = &results[1];
    wrong->claim = QC_CLAIM_DOES_NOT;
    wrong->accuracy = QC_ACCURACY_NEAREST;
    wrong->verdict = QC_VERDICT_FAIL_TIE;
    wrong->delta = 0x1p-24;
    wrong->counts[QC_VERDICT_PASS] = 35660;
    wrong->counts[QC_VERDICT_FAIL_TIE] = 1204;
    wrong->code_distance = 1;
    add_witness(
        wrong, QC_VERDICT_FAIL_TIE,
        "qc1 op=quantize x=f32[1]:0x1.8p+0 scale=f32[]:0x1p+0 zero_point=s32[]:-3 q=s8",
        "0", "-1", "on the tie 1.5 & \"exact\"");
    results[2].claim = QC_CLAIM_INCOMPLETE;
    results[2].rivals[0].tail = 7;
    strcpy(results[2].note, "1 pair told apart less than 8 times");
    results[3].claim = QC_CLAIM_NOT_OFFERED;
    results[3].elems = results[3].cases = results[3].negative_cases =
        results[3].confirmed = 0;
    results[3].counts[QC_VERDICT_PASS] = 0;
    results[3].rival_count = 0;
}

static void sample_free(qc_group_result results[SAMPLE_COUNT])
{
    for (int i = 0; i < SAMPLE_COUNT; i++)
        qc_group_result_free(&results[i]);
}

typedef struct sample_set {
    qc_run_info info;
    qc_group_result results[SAMPLE_COUNT];
} sample_set;

static int setup(void **state)
{
    sample_set *set = calloc(1, sizeof *set);
    sample(&set->info, set->results);
    *state = set;
    return 0;
}

static int teardown(void **state)
{
    sample_set *set = *state;
    sample_free(set->results);
    free(set);
    return 0;
}

/* What a writer writes; freed by the caller. */
static inline char *written(qc_report_writer writer, const qc_run_info *info,
                            const qc_group_result *results, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(writer(out, info, results, count), QC_OK);
    fclose(out);
    return text;
}

static inline char *file_bytes(const char *path, size_t *length_ret)
{
    char *bytes = malloc(1 << 16);
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        fail_msg("%s cannot be opened", path);
    }
    *length_ret = fread(bytes, 1, (1 << 16) - 1, in);
    bytes[*length_ret] = '\0';
    fclose(in);
    return bytes;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
