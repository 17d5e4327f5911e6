/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JUnit XML, for CI. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"

/* Length of the UTF-8 sequence at `text` if XML 1.0 admits its character, else 0. */
static size_t xml_char_bytes(const unsigned char *text)
{
    const unsigned char lead = text[0];
    if (lead < 0x80) {
        return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r';
    }
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const int is_overlong =
        (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90);
    const int is_surrogate = lead == 0xed && text[1] >= 0xa0;
    const int is_beyond = lead == 0xf4 && text[1] >= 0x90;
    const int is_noncharacter = lead == 0xef && text[1] == 0xbf && text[2] >= 0xbe;
    return is_overlong || is_surrogate || is_beyond || is_noncharacter ? 0 : length;
}

/* Markup, tabs and line ends become references, what XML cannot hold becomes U+FFFD. */
static void write_xml(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        const size_t length = xml_char_bytes(at);
        if (length == 0) {
            fputs("\xef\xbf\xbd", out);
        } else if (strchr("<>&\"'\t\n\r", *at) != NULL) {
            fprintf(out, "&#%d;", *at);
        } else {
            fwrite(at, 1, length, out);
        }
        at += length == 0 ? 1 : length;
    }
}

static const char *element_of(const qc_group_result *result)
{
    if (result->claim == QC_CLAIM_CONFORMS) {
        return "none";
    }
    if (result->claim != QC_CLAIM_DOES_NOT) {
        return "skipped";
    }
    return strcmp(qc_verdict_junit(result->verdict), "error") == 0 ? "error" : "failure";
}

static size_t count_element(const qc_group_result *results, size_t count,
                            const char *element)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += strcmp(element_of(&results[i]), element) == 0;
    }
    return found;
}

static void write_attributes(FILE *out, const qc_group_result *results, size_t count,
                             double seconds)
{
    fprintf(
        out,
        " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
        count, count_element(results, count, "failure"),
        count_element(results, count, "error"), count_element(results, count, "skipped"),
        seconds);
}

static void write_message(FILE *out, const qc_group_result *result)
{
    fputs(" message=\"", out);
    if (result->claim != QC_CLAIM_DOES_NOT) {
        write_xml(out, qc_claim_name(result->claim));
        fputs(result->note[0] != '\0' ? ": " : "", out);
        write_xml(out, result->note);
    } else if (result->witness_count > 0) {
        const qc_witness *witness = &result->witnesses[0];
        fputs("got ", out);
        write_xml(out, witness->got ? witness->got : "nothing");
        fputs(", want ", out);
        write_xml(out, witness->want ? witness->want : "nothing");
        fputs("; ", out);
        write_xml(out, witness->position ? witness->position : "");
    }
    fputc('"', out);
}

/* The repro lines are made as text first: their quotes must be escaped as one. */
static qc_status write_repros(FILE *out, const qc_group_result *result,
                              const qc_run_info *info)
{
    fputs("      <system-out>", out);
    for (uint32_t i = 0; i < result->witness_count; i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *memory = open_memstream(&text, &length);
        if (memory == NULL) {
            return QC_NO_MEMORY;
        }
        qc_witness_repro(memory, &result->witnesses[i], info);
        const int failed = fclose(memory) != 0;
        fputs(i == 0 ? "repro: " : "\nrepro: ", out);
        write_xml(out, failed ? "" : text);
        free(text);
        if (failed) {
            return QC_NO_MEMORY;
        }
    }
    fputs("</system-out>\n", out);
    return QC_OK;
}

static qc_status write_case(FILE *out, const qc_group_result *result,
                            const qc_run_info *info)
{
    const char *element = element_of(result);
    qc_status status = QC_OK;
    char id[QC_GROUP_ID];
    qc_group_id(&result->group, id);
    fprintf(out, "    <testcase classname=\"quantcert.%s\" name=\"",
            qc_op_name(result->group.op));
    write_xml(out, id);
    if (strcmp(element, "none") == 0) {
        fputs("\"/>\n", out);
        return QC_OK;
    }
    fprintf(out, "\">\n      <%s", element);
    if (result->claim == QC_CLAIM_DOES_NOT) {
        fprintf(out, " type=\"%s\"", qc_verdict_name(result->verdict));
    }
    write_message(out, result);
    fputs("/>\n", out);
    if (result->witness_count > 0) {
        status = write_repros(out, result, info);
    }
    fputs("    </testcase>\n", out);
    return status;
}

qc_status qc_report_junit(FILE *out, const qc_run_info *info,
                          const qc_group_result *results, size_t count)
{
    const qc_group_result **sorted = qc_results_sort(results, count);
    qc_status status = sorted ? QC_OK : QC_NO_MEMORY;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"quantcert\"",
          out);
    write_attributes(out, results, count, info->seconds);
    fputs(">\n  <testsuite name=\"", out);
    write_xml(out, info->backend);
    fputc(' ', out);
    write_xml(out, info->backend_version);
    fputc('"', out);
    write_attributes(out, results, count, info->seconds);
    fputs(" timestamp=\"", out);
    write_xml(out, info->started);
    fputs("\">\n", out);
    for (size_t i = 0; i < count && status == QC_OK; i++) {
        status = write_case(out, sorted[i], info);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
    free(sorted);
    return status == QC_OK ? qc_out_status(out) : status;
}
