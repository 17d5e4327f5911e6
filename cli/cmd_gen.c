/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "cases/cases.h"
#include "harness/answers.h"
#include "harness/full.h"

#include <stdio.h>
#include <stdlib.h>

static qc_status case_print(const qc_cli *cli, const qc_case *item, qc_message *message)
{
    char *const line = qc_case_format(item, !cli->generators);
    char *tail = NULL;
    qc_status status = line ? QC_OK : QC_NO_MEMORY;
    if (status == QC_OK && cli->answers) {
        qc_answer answer;
        status = qc_answer_expected(item, &answer, message);
        tail = status == QC_OK ? qc_answer_format(item, &answer) : NULL;
        qc_answer_free(&answer);
    }
    if (status == QC_OK) {
        printf("%s%s\n", line, tail ? tail : "");
    }
    free(line);
    free(tail);
    return status;
}

/* The n-th case of all: the groups take turns, so that a few lines show many dtypes. */
static qc_status nth_case(const qc_cli *cli, const qc_group *groups, size_t count,
                          int64_t n, qc_case *case_ret)
{
    const qc_group *const group = &groups[(size_t)n % count];
    const int64_t turn = n / (int64_t)count;
    return cli->invalid
               ? qc_group_negative(group, cli->seed, turn % qc_group_negatives(group),
                                   case_ret)
               : qc_group_case(group, cli->seed, turn % qc_group_cases(group, cli->level),
                               case_ret);
}

int qc_cmd_gen(const qc_cli *cli)
{
    const qc_op op = qc_cli_op(cli);
    if (op == QC_OP_COUNT) {
        return QC_EXIT_USAGE;
    }
    size_t count;
    qc_group *const groups = qc_full_groups(1u << op, cli->profile, &count);
    qc_message message = {""};
    qc_status status = QC_OK;
    if (!count) {
        return qc_cli_error(cli, QC_EXIT_USAGE, "%s has no row in profile %s yet",
                            cli->argv[0], cli->profile ? cli->profile : "ideal");
    }
    for (int64_t n = 0; n < cli->count && status == QC_OK; n++) {
        qc_case item;
        status = nth_case(cli, groups, count, n, &item);
        if (status == QC_OK) {
            status = case_print(cli, &item, &message);
        }
        qc_case_free(&item);
    }
    free(groups);
    return status == QC_OK ? QC_EXIT_CONFORMANT : qc_cli_status(cli, status, &message);
}
