/* SPDX-License-Identifier: Apache-2.0 */
/* corpus/vectors against the oracle: every `ideal` value, and that no report is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/cases.h"
#include "oracles/oracles.h"

static qc_vector *vectors;
static size_t vector_count;

/* The reports and matrix rows that concern quantize, dequantize and fake_quantize, each with
   the number of vectors it has at least. B07 is a note: it needs 2^31 elements. */
static const struct {
    const char *source;
    int vectors;
} wanted[] = {
    {"B01", 1},  {"B02", 1},  {"B04", 1},  {"B05", 1},  {"B08", 1},  {"B10", 1},
    {"B11", 1},  {"B13", 1},  {"B14", 1},  {"B16", 1},  {"B17", 1},  {"B19", 1},
    {"B20", 1},  {"B22", 1},  {"B23", 1},  {"B25", 1},  {"B26", 1},  {"B28", 1},
    {"B29", 2},  {"B31", 1},  {"B32", 1},  {"B34", 1},  {"B35", 1},  {"B37", 1},
    {"B38", 1},  {"B40", 1},  {"B41", 1},  {"B43", 1},  {"B46", 1},  {"B47", 2},
    {"B49", 1},  {"B50", 2},  {"B52", 1},  {"B53", 2},  {"B55", 1},  {"B56", 2},
    {"B58", 2},  {"B59", 1},  {"B67", 1},  {"B77", 2},  {"B100", 2}, {"B124", 1},
    {"B125", 2}, {"B128", 1}, {"A01", 1},  {"A02", 4},  {"A03", 2},  {"A04", 3},
    {"A05", 3},  {"A06", 1},  {"A07", 2},  {"A09", 1},  {"A11", 2},  {"A18", 1},
    {"A19", 2},  {"A20", 4},  {"A21", 1},  {"A14", 3},  {"A15", 1},  {"A16", 1},
    {"B44", 1},  {"B68", 1},  {"B70", 3},  {"B71", 1},  {"B73", 1},  {"B74", 1},
    {"B76", 1},  {"B79", 1},  {"B80", 1},  {"B82", 1},  {"B83", 2},  {"A12", 4},
    {"A13", 7},  {"A17", 3},  {"A23", 2},  {"B95", 1},  {"B98", 1},  {"B101", 1},
    {"B103", 1}, {"B104", 1}, {"B106", 1}, {"B107", 2}, {"B109", 1}, {"B110", 1},
    {"B112", 1}, {"B115", 1}, {"B116", 1}, {"B119", 1}, {"B121", 1}, {"B122", 2},
    {"B127", 2},
};

static void parse(const qc_vector *vector, qc_case *item, qc_answer *answer)
{
    char *line = NULL;
    qc_message message = {""};
    assert_true(asprintf(&line, "%s %s", vector->line, vector->answer) > 0);
    if (qc_case_parse(line, item, answer, &message) != QC_OK) {
        fail_msg("%s: %s: %s", vector->id, message.text, line);
    }
    free(line);
}

static void test_lines_are_canonical(void **state)
{
    (void)state;
    for (size_t n = 0; n < vector_count; n++) {
        qc_case item;
        qc_answer answer;
        parse(&vectors[n], &item, &answer);
        char *const line = qc_case_format(&item, 0);
        char *const tail = qc_answer_format(&item, &answer);
        assert_string_equal(line, vectors[n].line);
        assert_string_equal(tail + 1, vectors[n].answer);
        free(line);
        free(tail);
        qc_answer_free(&answer);
        qc_case_free(&item);
    }
}

static int count_of(const char *source, int all)
{
    int count = 0;
    const size_t length = strlen(source);
    for (size_t n = 0; n < vector_count; n++) {
        const int ideal = strstr(vectors[n].line, " profile=") == NULL;
        count += strncmp(vectors[n].id, source, length) == 0 &&
                 vectors[n].id[length] == '-' && (all || ideal);
    }
    return count;
}

static void test_no_report_is_left_out(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof wanted / sizeof wanted[0]; n++) {
        if (count_of(wanted[n].source, 0) < wanted[n].vectors) {
            fail_msg("%s: %d vectors, at least %d expected", wanted[n].source,
                     count_of(wanted[n].source, 0), wanted[n].vectors);
        }
    }
}

/* Element i as bits; NaN elements of the body leave the code free. */
static uint64_t bits_at(const qc_tensor *tensor, int64_t i)
{
    uint64_t bits = 0;
    const size_t bytes = qc_dtype_bytes(tensor->dtype);
    const char *const at = (const char *)tensor->data + (size_t)i * bytes;
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    switch (bytes) {
    case 1:
        memcpy(&b1, at, 1);
        bits = b1;
        break;
    case 2:
        memcpy(&b2, at, 2);
        bits = b2;
        break;
    case 4:
        memcpy(&b4, at, 4);
        bits = b4;
        break;
    default: memcpy(&bits, at, 8); break;
    }
    return bits;
}

static int compare_output(const qc_vector *vector, qc_oracle *oracle,
                          const qc_tensor *output, uint32_t arg)
{
    int compared = 0;
    for (int64_t i = 0, n = qc_tensor_elems(output); i < n; i++) {
        qc_expected want;
        qc_oracle_expect(oracle, arg, i, 1, &want);
        const uint64_t got = bits_at(output, i);
        if (want.kind == QC_EXPECT_CONSISTENT) {
            continue;
        }
        if (want.kind != QC_EXPECT_VALUE || want.bits != got) {
            fail_msg("%s: element %lld is %llx, the oracle has %llx (kind %d)",
                     vector->id, (long long)i, (unsigned long long)got,
                     (unsigned long long)want.bits, want.kind);
        }
        compared++;
    }
    return compared;
}

static int compare_with_oracle(const qc_vector *vector)
{
    static uint64_t place;
    qc_case item;
    qc_answer answer;
    qc_oracle *oracle = NULL;
    qc_message message = {""};
    int compared = 0;
    parse(vector, &item, &answer);
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        if (item.call.args[arg].dtype != QC_NONE && item.call.args[arg].data == NULL) {
            item.call.args[arg].data = &place;
        }
    }
    const qc_status status =
        qc_oracle_open(&item.call, NULL, QC_ORACLE_MPFR, &oracle, &message);
    if (status != (answer.kind == QC_ANSWER_INVALID ? QC_INVALID : QC_OK)) {
        fail_msg("%s: the oracle says %d: %s", vector->id, status, message.text);
    }
    for (uint32_t arg = 0; arg < QC_MAX_ARGS && status == QC_OK; arg++) {
        if (answer.outputs[arg].dtype != QC_NONE) {
            compared += compare_output(vector, oracle, &answer.outputs[arg], arg);
        }
    }
    if (oracle != NULL) {
        qc_oracle_close(oracle);
    }
    qc_answer_free(&answer);
    qc_case_free(&item);
    return compared;
}

static void test_ideal_values(void **state)
{
    (void)state;
    int compared = 0;
    for (size_t n = 0; n < vector_count; n++) {
        if (strstr(vectors[n].line, " profile=") == NULL) {
            compared += compare_with_oracle(&vectors[n]);
        }
    }
    assert_true(compared > 200);
    assert_int_equal(qc_oracle_faults(NULL), 0);
    print_message("%d elements of %zu vectors\n", compared, vector_count);
}

/* What is said of files that hold no vectors. */
static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *said;
    } bad[] = {
        {"{", "bad.json:1:"},
        {"{\"schema\": 2, \"vectors\": []}", "\"schema\": 1 and a list"},
        {"{\"schema\": 1}", "\"schema\": 1 and a list"},
        {"{\"schema\": 1, \"vectors\": [{}]}",
         "an entry: id, case, flags and rationale expected"},
        {"{\"schema\": 1, \"vectors\": [{\"id\": \"B1\", \"case\": \"\", \"flags\": [],"
         " \"rationale\": \"\", \"values\": {\"onnx\": \"\"}}]}",
         "B1: values with one for ideal"},
        {"{\"schema\": 1, \"vectors\": [{\"id\": \"B1\", \"case\": \"\", \"flags\": [],"
         " \"rationale\": \"\", \"values\": {\"ideal\": 3}}]}",
         "B1: an answer as text"},
    };
    char folder[] = "/tmp/qc-vectors-XXXXXX";
    char path[64];
    qc_vector *none = NULL;
    size_t count = 0;
    qc_message message = {""};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bad.json", folder);
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        FILE *const file = fopen(path, "w");
        fputs(bad[n].text, file);
        fclose(file);
        assert_int_equal(qc_vectors_read(folder, &none, &count, &message), QC_INVALID);
        if (strstr(message.text, bad[n].said) == NULL) {
            fail_msg("said: %s\nexpected: %s", message.text, bad[n].said);
        }
    }
    remove(path);
    remove(folder);
    assert_int_equal(qc_vectors_read(folder, &none, &count, &message), QC_INVALID);
    assert_non_null(strstr(message.text, "a folder of vectors expected"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_canonical),
        cmocka_unit_test(test_no_report_is_left_out),
        cmocka_unit_test(test_ideal_values),
        cmocka_unit_test(test_bad_files),
    };
    char folder[4096];
    qc_message message = {""};
    const char *const root = getenv("QC_SOURCE_ROOT");
    snprintf(folder, sizeof folder, "%s/corpus/vectors", root != NULL ? root : ".");
    if (qc_vectors_read(folder, &vectors, &vector_count, &message) != QC_OK) {
        print_error("%s\n", message.text);
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    qc_vectors_free(vectors, vector_count);
    return failed;
}
