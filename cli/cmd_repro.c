/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "harness/group_run.h"
#include "reports/reports.h"

#include <stdio.h>
#include <string.h>

static void result_print(const qc_cli *cli, const qc_group_result *result)
{
    qc_run_info given = {.fact_count = 0};
    snprintf(given.backend_given, sizeof given.backend_given, "%s", cli->backend);
    for (uint32_t w = 0; w < result->witness_count; w++) {
        const qc_witness *const witness = &result->witnesses[w];
        printf("%s: got %s, want %s\n", qc_verdict_name(witness->verdict), witness->got,
               witness->want);
        if (*witness->position) {
            printf("  %s\n", witness->position);
        }
        fputs("  repro: ", stdout);
        qc_witness_repro(stdout, witness, &given);
        fputc('\n', stdout);
    }
    printf("%s: %lld elements\n", qc_verdict_name(result->verdict),
           (long long)result->elems);
}

static int case_repeat(const qc_cli *cli, const qc_case *item)
{
    const qc_isolate_options options = {.timeout_ms = cli->timeout_ms,
                                        .start_timeout_ms = cli->start_timeout_ms};
    qc_isolate *isolate;
    qc_message message = {""};
    qc_status status = qc_isolate_open(cli->backend, &options, &isolate, &message);
    if (status != QC_OK) {
        return qc_cli_error(cli,
                            status == QC_INVALID ? QC_EXIT_USAGE : QC_EXIT_CANNOT_LOAD,
                            "%s", message.text);
    }
    qc_group_result result;
    status = qc_case_run(isolate, item, &result, &message);
    qc_isolate_close(isolate);
    if (status != QC_OK) {
        return qc_cli_status(cli, status, &message);
    }
    result_print(cli, &result);
    const int conforms = qc_verdict_conforms(result.verdict);
    qc_group_result_free(&result);
    return conforms ? QC_EXIT_CONFORMANT : QC_EXIT_NOT_CONFORMANT;
}

int qc_cmd_repro(const qc_cli *cli)
{
    if (cli->argc != 1 || !cli->backend) {
        return qc_cli_error(cli, QC_EXIT_USAGE, "one case line and --backend expected");
    }
    qc_case item;
    qc_message message = {""};
    const qc_status status = qc_case_parse(cli->argv[0], &item, NULL, &message);
    if (status != QC_OK) {
        return qc_cli_status(cli, status, &message);
    }
    if (!qc_profile_exists(item.call.profile)) {
        qc_cli_error(cli, QC_EXIT_USAGE,
                     "unknown profile '%s'; `quantcert list profiles` names them",
                     item.call.profile);
        qc_case_free(&item);
        return QC_EXIT_USAGE;
    }
    const int code = case_repeat(cli, &item);
    qc_case_free(&item);
    return code;
}
