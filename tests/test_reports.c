/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports of the sample look like. With an argument, writes the sample into that
   folder instead (the Python tests read it). */
#include "reports_sample.h"

/* The sample's text is that of the file in tests/expected, byte for byte. */
static void assert_writes(const sample_set *set, const char *file)
{
    size_t count, length;
    char path[512];
    const qc_report_format *format = qc_report_formats(&count);
    while (count > 0 && strcmp(format->file, file) != 0) {
        format++;
        count--;
    }
    assert_true(count > 0);
    snprintf(path, sizeof path, "%s/tests/expected/%s", getenv("QC_SOURCE_ROOT"), file);
    char *expected = file_bytes(path, &length);
    char *text = written(format->write, &set->info, set->results, SAMPLE_COUNT);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
}

static void text_is_exact(void **state)
{
    assert_writes(*state, "report.txt");
}

static void markdown_is_exact(void **state)
{
    assert_writes(*state, "report.md");
}

static void junit_is_exact(void **state)
{
    assert_writes(*state, "junit.xml");
}

/* Any byte that a name can hold must leave the XML well-formed; the Python test parses it. */
static void junit_escapes_what_xml_refuses(void **state)
{
    sample_set *set = *state;
    strcpy(set->info.backend, "a\x01\xff\xed\xa0\x80z");
    char *text = written(qc_report_junit, &set->info, set->results, SAMPLE_COUNT);
    assert_non_null(strstr(text, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                                 "\xef\xbf\xbdz 2.0\""));
    free(text);
}

static void order_does_not_matter(void **state)
{
    sample_set *set = *state;
    char *before = written(qc_report_jsonl, &set->info, set->results, SAMPLE_COUNT);
    const qc_group_result first = set->results[0];
    set->results[0] = set->results[2];
    set->results[2] = first;
    set->info.seconds = 99;
    char *after = written(qc_report_jsonl, &set->info, set->results, SAMPLE_COUNT);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void claims_drive_the_exit_code(void **state)
{
    qc_group_result *results = ((sample_set *)*state)->results;
    qc_run_info info = {.fail_on = QC_FAIL_ON_ANY};
    char reason[QC_REPORT_REASON];
    assert_int_equal(qc_report_exit(&info, results, 4, reason), QC_EXIT_NOT_CONFORMANT);
    assert_string_equal(reason, "1 group does not conform");
    assert_int_equal(qc_report_exit(&info, results + 2, 2, reason), QC_EXIT_INCOMPLETE);
    assert_string_equal(reason, "1 group is incomplete, none fails");
    assert_int_equal(qc_report_exit(&info, results + 3, 1, reason), QC_EXIT_INCOMPLETE);
    assert_string_equal(reason, "nothing was judged");
    assert_int_equal(qc_report_exit(&info, results, 1, reason), QC_EXIT_CONFORMANT);
    info.fail_on = QC_FAIL_ON_NEW;
    assert_int_equal(qc_report_exit(&info, results, 4, reason), QC_EXIT_INCOMPLETE);
    assert_string_equal(reason, "1 group is incomplete, no finding is new");
    assert_int_equal(qc_report_exit(&info, results, 2, reason), QC_EXIT_CONFORMANT);
    assert_string_equal(reason, "no finding is new");
    assert_int_equal(qc_report_exit(&info, results + 3, 1, reason), QC_EXIT_INCOMPLETE);
    info.new_findings = 2;
    assert_int_equal(qc_report_exit(&info, results, 4, reason), QC_EXIT_NOT_CONFORMANT);
    assert_string_equal(reason, "2 new findings");
    info = (qc_run_info){.fail_on = QC_FAIL_ON_ANY};
    results[3].claim = QC_CLAIM_CONFORMS;
    results[2].claim = QC_CLAIM_NOT_OFFERED;
    assert_int_equal(qc_report_exit(&info, results + 2, 2, reason), QC_EXIT_CONFORMANT);
}

static int occurrences(const char *text, const char *part)
{
    int found = 0;
    while ((text = strstr(text, part)) != NULL) {
        found++;
        text++;
    }
    return found;
}

/* 48 rows of (op, dtypes, granularity) are too many: granularities merge into 24. */
static void many_groups_stay_readable(void **state)
{
    const sample_set *set = *state;
    const uint32_t floats[] = {QC_F32, QC_F64, QC_F16, QC_BF16};
    const qc_op ops[] = {QC_OP_quantize, QC_OP_fake_quantize, QC_OP_ste_mask};
    qc_group_result *many = calloc(960, sizeof *many);
    for (int i = 0; i < 960; i++) {
        many[i] = group_of(ops[i % 3], floats[i / 3 % 4], i / 12 % 2 ? QC_S8 : QC_U8,
                           i / 24 % 2 ? QC_PER_CHANNEL : QC_PER_TENSOR);
        many[i].group.qmin = -i;
    }
    char *text = written(qc_report_text, &set->info, many, 960);
    assert_int_equal(occurrences(text, " both "), 24);
    assert_int_equal(occurrences(text, " per_"), 0);
    free(text);
    free(many);
}

static void three_witnesses_unless_verbose(void **state)
{
    sample_set *set = *state;
    const qc_report_writer writers[] = {qc_report_text, qc_report_verbose};
    const int expected[] = {3, 4};
    set->results[2].claim = QC_CLAIM_DOES_NOT;
    add_witness(&set->results[2], QC_VERDICT_CRASH, "qc1 a", "", "", "");
    add_witness(&set->results[2], QC_VERDICT_CRASH, "qc1 b", "", "", "");
    add_witness(&set->results[2], QC_VERDICT_CRASH, "qc1 c", "", "", "");
    for (int i = 0; i < 2; i++) {
        char *text = written(writers[i], &set->info, set->results, SAMPLE_COUNT);
        assert_int_equal(occurrences(text, "repro: "), expected[i]);
        assert_non_null(strstr(text, "crash in "));
        assert_non_null(strstr(text, "fail-tie in "));
        assert_true(strstr(text, "crash in ") < strstr(text, "fail-tie in "));
        free(text);
    }
}

static void full_disk_is_a_fault(void **state)
{
    const sample_set *set = *state;
    size_t count;
    const qc_report_format *formats = qc_report_formats(&count);
    for (size_t i = 0; i < count; i++) {
        FILE *full = fopen("/dev/full", "w");
        if (full == NULL) {
            skip();
        }
        assert_int_equal(formats[i].write(full, &set->info, set->results, SAMPLE_COUNT),
                         QC_FAULT);
        fclose(full);
    }
}

static int write_sample(const char *folder)
{
    qc_run_info info;
    qc_group_result results[SAMPLE_COUNT];
    qc_message message = {""};
    sample(&info, results);
    const qc_status status =
        qc_results_write_folder(folder, &info, results, SAMPLE_COUNT, &message);
    fprintf(stderr, "%s", message.text);
    sample_free(results);
    return status != QC_OK;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(text_is_exact),
        TEST(markdown_is_exact),
        TEST(junit_is_exact),
        TEST(junit_escapes_what_xml_refuses),
        TEST(order_does_not_matter),
        TEST(claims_drive_the_exit_code),
        TEST(many_groups_stay_readable),
        TEST(three_witnesses_unless_verbose),
        TEST(full_disk_is_a_fault),
    };
    if (argc > 1) {
        return write_sample(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
