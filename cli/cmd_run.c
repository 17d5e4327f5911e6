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

/* What the run is held against; no results without --baseline. */
static qc_exit baseline_open(const qc_cli *cli, qc_results *baseline_ret)
{
    qc_message message = {""};
    char digest[72];
    memset(baseline_ret, 0, sizeof *baseline_ret);
    if (!cli->baseline) {
        return cli->fail_on == QC_FAIL_ON_ANY
                   ? QC_EXIT_CONFORMANT
                   : (qc_exit)qc_cli_error(cli, QC_EXIT_USAGE,
                                           "--fail-on new: --baseline expected too");
    }
    qc_rows_digest(cli->profile, digest);
    const qc_status status =
        qc_baseline_read(cli->baseline, cli->profile, digest, baseline_ret, &message);
    return status == QC_OK
               ? QC_EXIT_CONFORMANT
               : (qc_exit)qc_cli_error(cli, QC_EXIT_CANNOT_LOAD, "%s", message.text);
}

/* Report and comparison, and the exit code that both call for. */
static qc_exit run_close(const qc_cli *cli, const qc_results *baseline, qc_run *run)
{
    qc_comparison comparison = {.count = 0};
    qc_message message = {""};
    char reason[QC_REPORT_REASON];
    qc_status status = QC_OK;
    run->info.fail_on = cli->fail_on;
    if (cli->baseline) {
        snprintf(run->info.baseline, sizeof run->info.baseline, "%s", cli->baseline);
        status = qc_baseline_compare(baseline, &run->info, run->results, run->count,
                                     &comparison);
        run->info.new_findings = (int64_t)comparison.counts[QC_CHANGE_NEW];
    }
    qc_exit code = qc_report_exit(&run->info, run->results, run->count, reason);
    if (status == QC_OK) {
        status = reports_write(cli, run, &message);
    }
    if (status == QC_OK && cli->baseline) {
        status = qc_comparison_write(cli->json ? stderr : stdout, baseline, &run->info,
                                     &comparison);
    }
    if (status != QC_OK) {
        code = (qc_exit)qc_cli_error(cli, QC_EXIT_CANNOT_LOAD, "%s",
                                     message.text[0] ? message.text
                                                     : "the report cannot be written");
    }
    qc_comparison_free(&comparison);
    return code;
}

static qc_exit backend_run(const qc_cli *cli, const qc_results *baseline)
{
    const qc_run_options options = {
        .backend = cli->backend,
        .profile = cli->profile,
        .ops = cli->ops,
        .level = cli->level,
        .seed = cli->seed,
        .jobs = cli->jobs,
        .progress = isatty(STDERR_FILENO),
        .isolate = {.timeout_ms = cli->timeout_ms,
                    .start_timeout_ms = cli->start_timeout_ms},
    };
    qc_run run;
    qc_exit code;
    qc_message message = {""};
    if (qc_run_all(&options, &run, &code, &message) != QC_OK) {
        qc_cli_error(cli, code, "%s", message.text[0] ? message.text : "out of memory");
    } else {
        code = run_close(cli, baseline, &run);
    }
    qc_run_free(&run);
    return code;
}

int qc_cmd_run(const qc_cli *cli)
{
    if (!cli->backend) {
        return qc_cli_error(
            cli, QC_EXIT_USAGE,
            "--backend expected; `quantcert list backends` names the built-in ones");
    }
    if (!out_is_writable(cli)) {
        return qc_cli_error(cli, QC_EXIT_CANNOT_LOAD, "--out %s: %s", cli->out,
                            strerror(errno));
    }
    qc_results baseline;
    qc_exit code = baseline_open(cli, &baseline);
    if (code == QC_EXIT_CONFORMANT) {
        code = backend_run(cli, &baseline);
    }
    qc_results_free(&baseline);
    return code;
}
