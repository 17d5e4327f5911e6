/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "harness/run.h"
#include "reports/reports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static qc_status reports_write(const qc_cli *cli, const qc_run *run, qc_message *message)
{
    qc_status status = QC_OK;
    if (cli->out) {
        status = qc_results_write_folder(cli->out, &run->info, run->results, run->count,
                                         message);
    }
    const qc_report_writer write = cli->json      ? qc_report_jsonl
                                   : cli->verbose ? qc_report_verbose
                                                  : qc_report_text;
    const qc_status printed = write(stdout, &run->info, run->results, run->count);
    return status != QC_OK ? status : printed;
}

/* Found out before the run, not after it. */
static int out_is_writable(const qc_cli *cli)
{
    if (cli->out && mkdir(cli->out, 0777) && errno != EEXIST) {
        return 0;
    }
    return !cli->out || !access(cli->out, W_OK | X_OK);
}

int qc_cmd_run(const qc_cli *cli)
{
    if (!cli->backend) {
        return qc_cli_error(
            cli, QC_EXIT_USAGE,
            "--backend expected; `quantcert list backends` names the built-in ones");
    }
    const qc_run_options options = {
        .backend = cli->backend,
        .profile = cli->profile,
        .ops = cli->ops,
        .level = cli->level,
        .seed = cli->seed,
        .jobs = cli->jobs,
        .progress = isatty(STDERR_FILENO),
        .isolate = {.timeout_ms = cli->timeout_ms},
    };
    if (!out_is_writable(cli)) {
        return qc_cli_error(cli, QC_EXIT_CANNOT_LOAD, "--out %s: %s", cli->out,
                            strerror(errno));
    }
    qc_run run;
    qc_exit code;
    qc_message message = {""};
    if (qc_run_all(&options, &run, &code, &message) != QC_OK) {
        qc_run_free(&run);
        return qc_cli_error(cli, code, "%s",
                            message.text[0] ? message.text : "out of memory");
    }
    char reason[QC_REPORT_REASON];
    code = qc_report_exit(run.results, run.count, reason);
    if (reports_write(cli, &run, &message) != QC_OK) {
        code = (qc_exit)qc_cli_error(cli, QC_EXIT_CANNOT_LOAD, "%s",
                                     message.text[0] ? message.text
                                                     : "the report cannot be written");
    }
    qc_run_free(&run);
    return code;
}
