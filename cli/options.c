/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row {
    char letter;
    const char *name;
    const char *argument;
    const char *help;
} option_row;

static const option_row rows[] = {
#define QC_OPTION(letter, name, argument, help) {letter, name, argument, help},
#include "cli/options.def"
#undef QC_OPTION
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0], HELP = 'h' };

int qc_cli_error(const qc_cli *cli, qc_exit code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "quantcert %s: ", cli->verb);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int qc_cli_status(const qc_cli *cli, qc_status status, const qc_message *message)
{
    const qc_exit code = status == QC_INVALID ? QC_EXIT_USAGE : QC_EXIT_SUITE_FAULT;
    return qc_cli_error(cli, code, "%s",
                        message->text[0] ? message->text : "out of memory");
}

qc_op qc_cli_op(const qc_cli *cli)
{
    const qc_op op =
        cli->argc == 1 ? qc_op_find(cli->argv[0], strlen(cli->argv[0])) : QC_OP_COUNT;
    if (op == QC_OP_COUNT) {
        qc_cli_error(
            cli, QC_EXIT_USAGE, "one op expected%s%s; `quantcert list ops` names them",
            cli->argc ? ", found " : "", cli->argc ? cli->argv[cli->argc - 1] : "");
    }
    return op;
}

void qc_cli_help(void)
{
    printf("quantcert - conformance of int8 quantization kernels\n\n"
           "usage: quantcert COMMAND [ARGUMENT] [OPTION...]\n\n");
    for (const qc_verb *verb = qc_verbs; verb->name; verb++) {
        printf("  %-9s %s\n", verb->name, verb->summary);
    }
    printf("\n`quantcert COMMAND --help` shows options, an example and exit codes.\n");
}

void qc_cli_help_verb(const qc_verb *verb)
{
    printf("usage: quantcert %s%s%s%s\n\n%s\n", verb->name, *verb->arguments ? " " : "",
           verb->arguments, *verb->takes ? " [OPTION...]" : "", verb->summary);
    for (size_t i = 0; i < ROW_COUNT && *verb->takes; i++) {
        if (strchr(verb->takes, rows[i].letter)) {
            char shown[40];
            snprintf(shown, sizeof shown, "--%s%s%s", rows[i].name,
                     rows[i].argument ? "=" : "",
                     rows[i].argument ? rows[i].argument : "");
            printf("%s  %-24s %s\n", i ? "" : "", shown, rows[i].help);
        }
    }
    printf("\nexample:\n  %s\n\nexit codes:\n", verb->example);
    for (int code = 0; code < 6; code++) {
        const char *const meaning = code == QC_EXIT_USAGE
                                        ? "usage: malformed text or an unknown name"
                                        : verb->exits[code];
        if (*meaning) {
            printf("  %d  %s\n", code, meaning);
        }
    }
}

/* A whole number of the option's range; 0 and one line on stderr when it is none. */
static int number_parse(const qc_cli *cli, const char *name, const char *text,
                        int64_t low, int64_t high, int64_t *value_ret)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        qc_cli_error(cli, QC_EXIT_USAGE,
                     "--%s: a number from %lld to %lld expected, found '%s'", name,
                     (long long)low, (long long)high, text);
        return 0;
    }
    *value_ret = value;
    return 1;
}

static int ops_parse(const qc_cli *cli, const char *text, uint32_t *ops_ret)
{
    *ops_ret = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        const qc_op op = qc_op_find(text, length);
        if (op == QC_OP_COUNT) {
            qc_cli_error(cli, QC_EXIT_USAGE,
                         "--op: unknown op '%.*s'; `quantcert list ops` names them",
                         (int)length, text);
            return 0;
        }
        *ops_ret |= 1u << op;
        if (!text[length]) {
            return 1;
        }
        text += length + 1;
    }
}

static int level_parse(const qc_cli *cli, const char *text, uint32_t *level_ret)
{
    *level_ret = qc_level_find(text);
    if (*level_ret == QC_LEVEL_COUNT) {
        qc_cli_error(
            cli, QC_EXIT_USAGE,
            "--level: unknown level '%s'; smoke, quick, standard or full expected", text);
        return 0;
    }
    return 1;
}

static int profile_parse(const qc_cli *cli, const char *text, const char **profile_ret)
{
    if (!qc_profile_exists(text)) {
        qc_cli_error(
            cli, QC_EXIT_USAGE,
            "--profile: unknown profile '%s'; `quantcert list profiles` names them",
            text);
        return 0;
    }
    *profile_ret = text;
    return 1;
}

static int fail_on_parse(const qc_cli *cli, const char *text, uint32_t *fail_on_ret)
{
    *fail_on_ret = qc_fail_on_find(text);
    if (*fail_on_ret == QC_FAIL_ON_COUNT) {
        qc_cli_error(cli, QC_EXIT_USAGE, "--fail-on: any or new expected, found '%s'",
                     text);
        return 0;
    }
    return 1;
}

/* Applies one option; 0 when its argument is wrong. */
static int option_apply(qc_cli *cli, int letter, char *text)
{
    int64_t number = 0;
    int good = 1;
    switch (letter) {
    case 'b': cli->backend = text; break;
    case 'O':
        cli->out = text;
        good = *text != '\0';
        if (!good) {
            qc_cli_error(cli, QC_EXIT_USAGE, "--out: a folder expected, found ''");
        }
        break;
    case 'B': cli->baseline = text; break;
    case 'v': cli->verbose = 1; break;
    case 'j': cli->json = 1; break;
    case 'a': cli->answers = 1; break;
    case 'g': cli->generators = 1; break;
    case 'i': cli->invalid = 1; break;
    case 'p': return profile_parse(cli, text, &cli->profile);
    case 'o': return ops_parse(cli, text, &cli->ops);
    case 'f': return fail_on_parse(cli, text, &cli->fail_on);
    case 'l': return level_parse(cli, text, &cli->level);
    case 's':
        good = number_parse(cli, "seed", text, 0, INT64_MAX, &number);
        cli->seed = (uint64_t)number;
        break;
    case 'n':
        good = number_parse(cli, "jobs", text, 1, 1024, &number);
        cli->jobs = (int)number;
        break;
    case 't':
        good = number_parse(cli, "timeout", text, 1, 3600000, &number);
        cli->timeout_ms = (int)number;
        break;
    case 'T':
        good = number_parse(cli, "start-timeout", text, 1, 3600000, &number);
        cli->start_timeout_ms = (int)number;
        break;
    case 'c': good = number_parse(cli, "count", text, 0, INT32_MAX, &cli->count); break;
    default: good = 0;
    }
    return good;
}

int qc_cli_parse(const qc_verb *verb, int argc, char **argv, qc_cli *cli_ret)
{
    struct option longs[ROW_COUNT + 2] = {{0}};
    size_t count = 0;
    longs[count++] = (struct option){"help", no_argument, NULL, HELP};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strchr(verb->takes, rows[i].letter)) {
            longs[count++] = (struct option){
                rows[i].name, rows[i].argument ? required_argument : no_argument, NULL,
                rows[i].letter};
        }
    }
    *cli_ret =
        (qc_cli){.verb = verb->name, .level = QC_LEVEL_QUICK, .seed = 1, .count = 10};
    opterr = 0;
    optind = 1;
    int letter;
    while ((letter = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
        if (letter == HELP) {
            qc_cli_help_verb(verb);
            return QC_EXIT_CONFORMANT;
        }
        if (letter == '?' || letter == ':') {
            return qc_cli_error(
                cli_ret, QC_EXIT_USAGE, "%s '%s'; `quantcert %s --help` lists them",
                letter == ':' ? "an argument is missing to" : "unknown option",
                argv[optind - 1], verb->name);
        }
        if (!option_apply(cli_ret, letter, optarg)) {
            return QC_EXIT_USAGE;
        }
    }
    cli_ret->argc = argc - optind;
    cli_ret->argv = argv + optind;
    if (cli_ret->argc && !*verb->arguments) {
        return qc_cli_error(cli_ret, QC_EXIT_USAGE, "no argument expected, found '%s'",
                            cli_ret->argv[0]);
    }
    return -1;
}
