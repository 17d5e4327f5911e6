/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "harness/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    long long lines;
    long long wrong;
    long long elems;
} tally;

static void failure_print(const qc_group_result *result, long long number,
                          const char *line)
{
    printf("line %lld: %s\n", number, qc_verdict_name(result->verdict));
    for (uint32_t w = 0; w < result->witness_count; w++) {
        const qc_witness *const witness = &result->witnesses[w];
        printf("  got %s, want %s%s%s\n", witness->got, witness->want,
               *witness->position ? "; " : "", witness->position);
    }
    const char *const answer = strstr(line, " => ");
    printf("  repro: quantcert repro '%.*s' --backend YOURS\n",
           (int)(answer ? answer - line : (long)strlen(line)), line);
}

static qc_status line_judge(const qc_cli *cli, qc_op op, const char *line, tally *total,
                            qc_message *message)
{
    qc_case item;
    qc_answer answer;
    qc_group_result result;
    memset(&result, 0, sizeof result);
    qc_status status = qc_case_parse(line, &item, &answer, message);
    if (status != QC_OK) {
        return status;
    }
    if (item.call.op != (uint32_t)op) {
        status = qc_fail(QC_INVALID, message, "op %s expected, found %s",
                         qc_op_get(op)->name, qc_op_get(item.call.op)->name);
    }
    if (status == QC_OK && !qc_profile_exists(item.call.profile)) {
        status = qc_fail(QC_INVALID, message,
                         "unknown profile '%s'; `quantcert list profiles` names them",
                         item.call.profile);
    }
    if (status == QC_OK) {
        status = qc_answer_judge(&item, &answer, &result, message);
    }
    if (status == QC_OK) {
        total->elems += result.elems;
        if (!qc_verdict_conforms(result.verdict)) {
            total->wrong++;
            failure_print(&result, total->lines, line);
        } else if (cli->verbose) {
            printf("line %lld: %s\n", total->lines, qc_verdict_name(result.verdict));
        }
    }
    qc_group_result_free(&result);
    qc_case_free(&item);
    qc_answer_free(&answer);
    return status;
}

/* Cuts one line end off, LF or CR LF; the length of what is left. */
static size_t line_end(char *line, size_t length)
{
    length -= length && line[length - 1] == '\n';
    length -= length && line[length - 1] == '\r';
    line[length] = '\0';
    return length;
}

int qc_cmd_judge(const qc_cli *cli)
{
    const qc_op op = qc_cli_op(cli);
    if (op == QC_OP_COUNT) {
        return QC_EXIT_USAGE;
    }
    tally total = {0};
    long long judged = 0; /* of the lines: those that are not blank */
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    qc_message message = {""};
    qc_status status = QC_OK;
    while (status == QC_OK && (length = getline(&line, &capacity, stdin)) >= 0) {
        total.lines++;
        if (memchr(line, '\0', (size_t)length)) {
            status = qc_fail(QC_INVALID, &message, "a zero byte");
        } else if (line_end(line, (size_t)length)) {
            judged++;
            status = line_judge(cli, op, line, &total, &message);
        }
    }
    free(line);
    if (status != QC_OK) {
        return qc_cli_error(cli,
                            status == QC_INVALID ? QC_EXIT_USAGE : QC_EXIT_SUITE_FAULT,
                            "line %lld: %s", total.lines, message.text);
    }
    printf("%lld lines, %lld elements, %lld wrong\n", total.lines, total.elems,
           total.wrong);
    return !judged       ? QC_EXIT_INCOMPLETE
           : total.wrong ? QC_EXIT_NOT_CONFORMANT
                         : QC_EXIT_CONFORMANT;
}
