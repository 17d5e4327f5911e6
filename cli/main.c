/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

const qc_verb qc_verbs[] = {
#define QC_VERB(verb, arguments, takes, summary, example, zero, one, three, four, five) \
    {                                                                                   \
        #verb,        arguments, takes,                                                 \
        summary,      example,   {zero, one, "", three, four, five},                    \
        qc_cmd_##verb},
#include "cli/verbs.def"
#undef QC_VERB
    {0},
};

static const qc_verb *verb_find(const char *name)
{
    for (const qc_verb *verb = qc_verbs; verb->name; verb++) {
        if (!strcmp(verb->name, name)) {
            return verb;
        }
    }
    return NULL;
}

static int is_help(const char *word)
{
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* What was printed must have arrived: a full disk is no success. */
static int leave(int code)
{
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "quantcert: standard output cannot be written\n");
        return code ? code : QC_EXIT_CANNOT_LOAD;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "quantcert: no command; `quantcert --help` lists them\n");
        return QC_EXIT_USAGE;
    }
    if (is_help(argv[1])) {
        const qc_verb *const verb = argc > 2 ? verb_find(argv[2]) : NULL;
        if (argc > 2 && !verb) {
            fprintf(stderr,
                    "quantcert: unknown command '%s'; `quantcert --help` lists them\n",
                    argv[2]);
            return QC_EXIT_USAGE;
        }
        if (verb) {
            qc_cli_help_verb(verb);
        } else {
            qc_cli_help();
        }
        return leave(QC_EXIT_CONFORMANT);
    }
    if (!strcmp(argv[1], "--version")) {
        printf("quantcert %s (cases version %d, backend ABI %u)\n", QC_VERSION,
               QC_CASES_VERSION, QC_ABI_VERSION);
        return leave(QC_EXIT_CONFORMANT);
    }
    const qc_verb *const verb = verb_find(argv[1]);
    if (!verb) {
        fprintf(stderr,
                "quantcert: unknown command '%s'; `quantcert --help` lists them\n",
                argv[1]);
        return QC_EXIT_USAGE;
    }
    qc_cli cli;
    const int code = qc_cli_parse(verb, argc - 1, argv + 1, &cli);
    return leave(code >= 0 ? code : verb->run(&cli));
}
