/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: verbs, their options, and errors as one line on stderr. */
#ifndef QUANTCERT_CLI_H
#define QUANTCERT_CLI_H

#include "quantcert/result.h"

typedef struct qc_cli {
    const char *verb;
    const char *backend;
    const char *profile;
    const char *out;
    const char *baseline;
    uint32_t fail_on;
    uint32_t ops; /* set of 1 << qc_op; 0: all */
    uint32_t level;
    uint64_t seed;
    int jobs;
    int timeout_ms;
    int start_timeout_ms;
    int64_t count;
    int verbose;
    int json;
    int answers;
    int generators;
    int invalid;
    int argc; /* what is left behind the options */
    char **argv;
} qc_cli;

typedef struct qc_verb {
    const char *name;
    const char *arguments;
    const char *takes;
    const char *summary;
    const char *example;
    const char *exits[6]; /* by exit code; [2] is common to all */
    int (*run)(const qc_cli *cli);
} qc_verb;

/* All verbs; NULL name ends. */
extern const qc_verb qc_verbs[];

/* Parses options behind the verb. -1: go on; else the exit code to leave with. */
int qc_cli_parse(const qc_verb *verb, int argc, char **argv, qc_cli *cli_ret);

void qc_cli_help(void);
void qc_cli_help_verb(const qc_verb *verb);

/* "quantcert VERB: message" on stderr; returns the exit code given. */
int qc_cli_error(const qc_cli *cli, qc_exit code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The exit code for a status that a stage returned, its message printed. */
int qc_cli_status(const qc_cli *cli, qc_status status, const qc_message *message);

/* The op named by the only argument; QC_OP_COUNT after printing what was wrong. */
qc_op qc_cli_op(const qc_cli *cli);

/* `list ops`: each op with what the suite has for it. */
void qc_list_ops(void);

#define QC_VERB(verb, ...) int qc_cmd_##verb(const qc_cli *cli);
#include "cli/verbs.def"
#undef QC_VERB

#endif
