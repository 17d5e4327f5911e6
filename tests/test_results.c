/* SPDX-License-Identifier: Apache-2.0 */
/* Results folders: the round trip, and refusal of every damaged one. */
#include "reports_sample.h"

#include <sys/stat.h>
#include <unistd.h>

static char *folder_make(char path[64])
{
    strcpy(path, "/tmp/quantcert-test.XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

static void file_path(const char *folder, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void folder_remove(const char *folder)
{
    size_t count;
    const qc_report_format *formats = qc_report_formats(&count);
    for (size_t i = 0; i < count; i++) {
        char path[128];
        file_path(folder, formats[i].file, path);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0); /* fails when a temporary file was left */
}

static void file_replace(const char *path, const char *bytes, size_t length)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    fclose(out);
}

/* Whatever is written comes back: every writer makes the same of both. */
static void folder_round_trip(void **state)
{
    sample_set *set = *state;
    char folder[64];
    qc_results back;
    qc_message message = {""};
    size_t count;
    set->results[0].delta = 0x1.921fb54442d18p-24;
    set->results[0].group.limits.scale_low = 5e-324;
    assert_int_equal(qc_results_write_folder(folder_make(folder), &set->info,
                                             set->results, SAMPLE_COUNT, &message),
                     QC_OK);
    assert_int_equal(qc_results_read_folder(folder, &back, &message), QC_OK);
    assert_int_equal(back.count, SAMPLE_COUNT);
    assert_string_equal(back.suite_version, QC_VERSION);
    assert_int_equal(back.cases_version, QC_CASES_VERSION);
    assert_true(back.info.seed == UINT64_MAX);
    assert_true(back.results[3].delta == 0x1.921fb54442d18p-24);
    assert_int_equal(back.results[2].witness_count, 1);
    const qc_report_format *formats = qc_report_formats(&count);
    for (size_t i = 0; i < count; i++) {
        char *first = written(formats[i].write, &set->info, set->results, SAMPLE_COUNT);
        char *second = written(formats[i].write, &back.info, back.results, back.count);
        assert_string_equal(first, second);
        free(first);
        free(second);
    }
    qc_results_free(&back);
    folder_remove(folder);
}

static void assert_refused(const char *folder, const char *named)
{
    qc_results back;
    qc_message message = {""};
    assert_int_equal(qc_results_read_folder(folder, &back, &message), QC_FAULT);
    assert_int_equal(back.count, 0);
    if (strstr(message.text, named) == NULL || strchr(message.text, '\n') != NULL) {
        fail_msg("expected one line with \"%s\", got \"%s\"", named, message.text);
    }
}

static void truncated_anywhere_is_refused(void **state)
{
    sample_set *set = *state;
    const char *const names[] = {"run.json", "results.jsonl"};
    char folder[64], path[128];
    qc_message message;
    folder_make(folder);
    qc_results_write_folder(folder, &set->info, set->results, SAMPLE_COUNT, &message);
    for (int i = 0; i < 2; i++) {
        size_t length;
        file_path(folder, names[i], path);
        char *bytes = file_bytes(path, &length);
        for (size_t kept = 0; kept < length; kept++) {
            file_replace(path, bytes, kept);
            assert_refused(folder, names[i]);
        }
        file_replace(path, bytes, length);
        free(bytes);
    }
    file_path(folder, "results.jsonl", path);
    remove(path);
    assert_refused(folder, "results.jsonl: cannot be opened");
    folder_remove(folder);
    assert_refused(folder, "run.json: cannot be opened");
}

typedef struct edit {
    const char *file, *from, *to, *message;
} edit;

/* Each edit is refused with the line and what was expected there. */
static void edited_files_are_refused(void **state)
{
    static const edit edits[] = {
        {"run.json", "\"format\": 2", "\"format\": 1",
         ":1: expected \"format\" 2, found 1"},
        {"run.json", "\"seed\": \"1", "\"seed\": \"01", "\"seed\", a decimal below 2^64"},
        {"run.json", "\"level\": \"quick", "\"level\": \"fast",
         "a known \"level\", found"},
        {"run.json", "\"started\"", "\"began\"", "expected \"started\", of type string"},
        {"run.json", "1.25,", "1.5,", "expected \"seconds\" as {\"decimal\", \"hex\"}"},
        {"run.json", "0x1.4p+0", "0x2.8p-1", "expected \"seconds\" as"},
        {"run.json", "\"groups\": 4", "\"groups\": 5",
         "results.jsonl:4: expected 5 groups"},
        {"run.json", "{\n", "{\"more\":1,\n", "keys in the run, found"},
        {"results.jsonl", "36864,\"find", "36865,\"find", "checksum"},
        {"results.jsonl", "\"op\":\"quantize", "\"op\":\"quantise",
         ":1: expected a known \"op\""},
        {"results.jsonl", "\"x\":\"f16\"", "\"x\":\"f8\"",
         "expected a dtype, found \"f8\""},
        {"results.jsonl", "\"x\":\"f16\"", "\"x\":\"f32\"",
         ":1: expected \"group\" \"quantize"},
        {"results.jsonl", "/fail-tie/ideal", "/fail/ideal",
         ":3: expected \"finding\" \"ties & <away>/quantize/f32->s8/fail-tie/ideal\""},
        {"results.jsonl", "\"finding\":\"\"", "\"finding\":\"x\"",
         ":1: expected \"finding\" \"\""},
        {"results.jsonl", "\"x\":\"f16\"", "\"k\":\"f16\"", "keys in dtypes, found"},
        {"results.jsonl", "\"cases\":40", "\"cases\":-1",
         ":2: expected \"cases\" in 0 ..."},
        {"results.jsonl", "\"cases\":40", "\"cases\":4.5", "\"cases\", of type integer"},
        {"results.jsonl", "\"fail-tie\":1204", "\"fall\":1204",
         "keys in counts, found 2"},
        {"results.jsonl", "\"cases\":40", "\"cases\":40,\"cases\":40",
         ":2: expected a JSON"},
        {"results.jsonl", "{\"acc", "[{\"acc", ":1: expected a JSON object"},
    };
    sample_set *set = *state;
    char folder[64], path[128];
    qc_message message;
    folder_make(folder);
    qc_results_write_folder(folder, &set->info, set->results, SAMPLE_COUNT, &message);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        size_t length;
        file_path(folder, edits[i].file, path);
        char *bytes = file_bytes(path, &length);
        const char *place = strstr(bytes, edits[i].from);
        assert_non_null(place);
        FILE *out = fopen(path, "wb");
        fprintf(out, "%.*s%s%s", (int)(place - bytes), bytes, edits[i].to,
                place + strlen(edits[i].from));
        fclose(out);
        assert_refused(folder, edits[i].message);
        file_replace(path, bytes, length);
        free(bytes);
    }
    folder_remove(folder);
}

/* What the checksum would catch as well has a message of its own. */
static void shape_of_the_lines_is_named(void **state)
{
    sample_set *set = *state;
    char folder[64], path[128];
    size_t length;
    qc_message message;
    folder_make(folder);
    qc_results_write_folder(folder, &set->info, set->results, SAMPLE_COUNT, &message);
    file_path(folder, "results.jsonl", path);
    char *bytes = file_bytes(path, &length);
    file_replace(path, bytes, length - 1);
    assert_refused(folder, ":4: cut short: expected a JSON object and a newline");
    FILE *out = fopen(path, "wb");
    bytes[length - 1] = '\0'; /* the last line once more */
    fprintf(out, "%s\n%s\n", bytes, strrchr(bytes, '\n') + 1);
    fclose(out);
    assert_refused(folder, ":5: expected groups sorted by (op, group), each once");
    free(bytes);
    folder_remove(folder);
}

/* A second write that fails leaves the first one's files. */
static void failure_keeps_earlier_results(void **state)
{
    sample_set *set = *state;
    char folder[64], path[128];
    qc_results back;
    qc_message message = {""};
    folder_make(folder);
    assert_int_equal(
        qc_results_write_folder(folder, &set->info, set->results, SAMPLE_COUNT, &message),
        QC_OK);
    file_path(folder, "junit.xml", path);
    remove(path);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(
        qc_results_write_folder(folder, &set->info, set->results, 1, &message), QC_FAULT);
    assert_non_null(strstr(message.text, "junit.xml: expected a regular file"));
    assert_int_equal(qc_results_read_folder(folder, &back, &message), QC_OK);
    assert_int_equal(back.count, SAMPLE_COUNT);
    qc_results_free(&back);
    rmdir(path);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(folder_round_trip),
        TEST(truncated_anywhere_is_refused),
        TEST(edited_files_are_refused),
        TEST(shape_of_the_lines_is_named),
        TEST(failure_keeps_earlier_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
