/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "harness/selftest.h"

#include <stdio.h>

int qc_cmd_selftest(const qc_cli *cli)
{
    qc_selftest selftest;
    qc_message message = {""};
    const qc_status status =
        qc_selftest_run(cli->seed, qc_level_elems(cli->level) / 64, &selftest, &message);
    printf("%lld groups, %lld cases, %lld elements by MPFR and by integers, %lld of them "
           "by the "
           "filter too: %lld disagreements\n",
           (long long)selftest.groups, (long long)selftest.cases,
           (long long)selftest.elems, (long long)selftest.filtered,
           (long long)selftest.differing);
    return status == QC_OK ? QC_EXIT_CONFORMANT
                           : qc_cli_error(cli, QC_EXIT_SUITE_FAULT, "%s", message.text);
}
