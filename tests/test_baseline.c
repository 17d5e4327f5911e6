/* SPDX-License-Identifier: Apache-2.0 */
/* A run held against an earlier one. */
#include "reports_sample.h"

#define KNOWN_ID "ties & <away>/quantize/f32->s8/fail-tie/ideal"

typedef struct pair {
    qc_results baseline;
    sample_set now;
} pair;

static void pair_make(pair *both)
{
    memset(both, 0, sizeof *both);
    both->baseline.results = calloc(SAMPLE_COUNT, sizeof *both->baseline.results);
    both->baseline.count = SAMPLE_COUNT;
    sample(&both->baseline.info, both->baseline.results);
    sample(&both->now.info, both->now.results);
}

/* The kind of the only finding; compares and frees. */
static uint32_t kind_of_only(pair *both, const char *id)
{
    qc_comparison comparison;
    assert_int_equal(qc_baseline_compare(&both->baseline, &both->now.info,
                                         both->now.results, SAMPLE_COUNT, &comparison),
                     QC_OK);
    assert_int_equal(comparison.count, 1);
    assert_string_equal(comparison.changes[0].id, id);
    const uint32_t kind = comparison.changes[0].kind;
    assert_int_equal(comparison.counts[kind], 1);
    qc_comparison_free(&comparison);
    sample_free(both->now.results);
    qc_results_free(&both->baseline);
    return kind;
}

static void an_id_is_of_failing_groups_alone(void **state)
{
    const sample_set *set = *state;
    char id[QC_FINDING_ID];
    qc_finding_id(set->info.backend, &set->results[1], id);
    assert_string_equal(id, KNOWN_ID);
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        qc_finding_id(set->info.backend, &set->results[i], id);
        assert_int_equal(id[0] == '\0', i != 1);
    }
}

static void equal_runs_have_known_findings(void **state)
{
    (void)state;
    pair both;
    pair_make(&both);
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_KNOWN);
}

static void what_the_baseline_has_not_is_new(void **state)
{
    (void)state;
    pair both;
    pair_make(&both);
    both.baseline.results[1].claim = QC_CLAIM_CONFORMS;
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_NEW);
}

/* Per tensor alone was judged again, per channel had the finding too. */
static void fixed_needs_every_group_judged_again(void **state)
{
    (void)state;
    pair both;
    pair_make(&both);
    both.now.results[1].claim = QC_CLAIM_CONFORMS;
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_FIXED);
    pair_make(&both);
    both.now.results[1].claim = QC_CLAIM_CONFORMS;
    both.baseline.results[2].claim = QC_CLAIM_DOES_NOT;
    both.baseline.results[2].verdict = QC_VERDICT_FAIL_TIE;
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_UNJUDGED);
    pair_make(&both);
    both.now.results[1].claim = QC_CLAIM_NOT_OFFERED;
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_UNJUDGED);
    pair_make(&both);
    both.now.results[1].group.qmax = 126; /* another group */
    both.now.results[1].claim = QC_CLAIM_CONFORMS;
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_UNJUDGED);
    pair_make(&both);
    both.now.results[1].claim = QC_CLAIM_CONFORMS;
    both.now.info.level = QC_LEVEL_SMOKE;
    assert_int_equal(kind_of_only(&both, KNOWN_ID), QC_CHANGE_UNJUDGED);
}

/* One finding gone, two others new; listed by kind, the known one counted alone. */
static void changes_are_written(void **state)
{
    (void)state;
    pair both;
    qc_comparison comparison;
    char *text = NULL;
    size_t length = 0;
    pair_make(&both);
    strcpy(both.now.info.baseline, "last/");
    both.now.results[1].verdict = QC_VERDICT_CRASH;
    both.now.results[2].claim = QC_CLAIM_DOES_NOT;
    both.now.results[2].verdict = QC_VERDICT_FAIL;
    assert_int_equal(qc_baseline_compare(&both.baseline, &both.now.info, both.now.results,
                                         SAMPLE_COUNT, &comparison),
                     QC_OK);
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(
        qc_comparison_write(out, &both.baseline, &both.now.info, &comparison), QC_OK);
    fclose(out);
    assert_string_equal(text, "baseline last/: ties & <away> 2.0, level quick; 2 new, 0 "
                              "known, 1 fixed, 0 not judged again\n"
                              "  new: ties & <away>/quantize/f32->s8/crash/ideal\n"
                              "  new: ties & <away>/quantize/f32->s8/fail/ideal\n"
                              "  fixed: " KNOWN_ID "\n");
    free(text);
    qc_comparison_free(&comparison);
    sample_free(both.now.results);
    qc_results_free(&both.baseline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_id_is_of_failing_groups_alone),
        TEST(equal_runs_have_known_findings),
        TEST(what_the_baseline_has_not_is_new),
        TEST(fixed_needs_every_group_judged_again),
        TEST(changes_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
