/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "harness/isolate.h"

#include <stdio.h>
#include <string.h>

static void profiles_print(void)
{
    static const char *const statuses[] = {"specified", "modelled", "confirmed"};
    size_t count;
    const qc_profile_row *const rows = qc_profile_rows(&count);
    const char *last = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(last, rows[i].profile)) {
            printf("profile %s:\n", rows[i].profile);
            last = rows[i].profile;
        }
        printf("  %s, %s, %s zero point (%s; %s)\n      %s\n",
               qc_op_get(rows[i].op)->name,
               qc_attr_word(QC_ATTR_scale_form, rows[i].scale_form),
               rows[i].float_zp ? "float" : "integer", statuses[rows[i].status],
               rows[i].source, rows[i].steps_text);
    }
}

static void backends_print(void)
{
    printf(
        "backends:%s\n  any other name with a `/`, or ending in .so, is a file to load\n",
        qc_builtin_names());
}

static void levels_print(void)
{
    printf("levels:\n");
    for (uint32_t level = 0; level < QC_LEVEL_COUNT; level++) {
        printf("  %-9s at least %lld elements a group\n", qc_level_name(level),
               (long long)qc_level_elems(level));
    }
}

static void verdicts_print(void)
{
    printf("verdicts, lowest first:\n");
#define X(id, name, conforms, junit, meaning) printf("  %-19s %s\n", name, meaning);
    QC_VERDICTS(X)
#undef X
}

static void rivals_print(void)
{
    printf("rival choices that every group must tell from its row:\n");
#define QC_RIVAL(rival, fault, needs, from, to, lemma)                            \
    printf("  %-22s %-3s %s  ->  %s  (where %s; %s)\n", #rival, #fault, from, to, \
           #needs, lemma);
#include "rivals.def"
#undef QC_RIVAL
}

int qc_cmd_list(const qc_cli *cli)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } lists[] = {
        {"ops", qc_list_ops},         {"profiles", profiles_print},
        {"backends", backends_print}, {"levels", levels_print},
        {"verdicts", verdicts_print}, {"rivals", rivals_print},
    };
    int printed = 0;
    if (cli->argc > 1) {
        return qc_cli_error(cli, QC_EXIT_USAGE, "one list expected, found also '%s'",
                            cli->argv[1]);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!cli->argc || !strcmp(cli->argv[0], lists[i].name)) {
            printf("%s", printed ? "\n" : "");
            lists[i].print();
            printed = 1;
        }
    }
    return printed
               ? QC_EXIT_CONFORMANT
               : qc_cli_error(
                     cli, QC_EXIT_USAGE,
                     "unknown list '%s'; ops, profiles, backends, levels, verdicts or "
                     "rivals expected",
                     cli->argv[0]);
}
