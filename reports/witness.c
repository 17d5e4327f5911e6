/* SPDX-License-Identifier: Apache-2.0 */
/* A witness for a person: its input in decimal, and the command that repeats it. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define SHOWN_CHARS 64 /* of a value that is longer than one number */

/* "f32[1]:0x1.8p+0" as "1.5 (f32 0x1.8p+0)"; 0 when it is no single number. */
static int write_number(FILE *out, const char *value, size_t length)
{
    char text[64];
    char *end = NULL;
    const char *dims = memchr(value, '[', length);
    const char *colon = memchr(value, ':', length);
    if (dims == NULL || colon == NULL || dims > colon) {
        return 0;
    }
    const size_t text_length = length - (size_t)(colon + 1 - value);
    if (text_length == 0 || text_length >= sizeof text) {
        return 0;
    }
    memcpy(text, colon + 1, text_length);
    text[text_length] = '\0';
    const double number = strtod(text, &end);
    if (*end != '\0') {
        return 0;
    }
    const int dtype_chars = (int)(dims - value);
    if (strchr(text, 'x') != NULL) {
        fprintf(out, "%.17g (%.*s %s)", number, dtype_chars, value, text);
    } else { /* integers, nan and inf say themselves */
        fprintf(out, "%s (%.*s)", text, dtype_chars, value);
    }
    return 1;
}

void qc_witness_input(FILE *out, const qc_witness *witness)
{
    const char *separator = "";
    const char *line = witness->line != NULL ? witness->line : "";
    while (*(line += strspn(line, " ")) != '\0' && strncmp(line, "=>", 2) != 0) {
        const size_t length = strcspn(line, " ");
        const char *equals = memchr(line, '=', length);
        const int is_said_elsewhere = equals == NULL || strncmp(line, "op=", 3) == 0 ||
                                      strncmp(line, "profile=", 8) == 0;
        if (!is_said_elsewhere) {
            const size_t value_length = length - (size_t)(equals + 1 - line);
            const size_t shown = value_length < SHOWN_CHARS ? value_length : SHOWN_CHARS;
            fprintf(out, "%s%.*s = ", separator, (int)(equals - line), line);
            if (!write_number(out, equals + 1, value_length)) {
                fprintf(out, "%.*s%s", (int)shown, equals + 1,
                        shown < value_length ? "..." : "");
            }
            separator = ", ";
        }
        line += length;
    }
}

static void write_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*text, out);
        }
    }
    fputc('\'', out);
}

void qc_witness_facts(FILE *out, const qc_witness *witness)
{
    const char *const labels[] = {"got:   ", "want:  ", "where: "};
    const char *const texts[] = {witness->got, witness->want, witness->position};
    for (int i = 0; i < 3; i++) {
        if (texts[i] != NULL && texts[i][0] != '\0') {
            fprintf(out, "\n    %s%s", labels[i], texts[i]);
        }
    }
}

void qc_witness_repro(FILE *out, const qc_witness *witness, const qc_run_info *info)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "_./+:,@%=-";
    const char *given = info->backend_given;
    fputs("quantcert repro ", out);
    write_quoted(out, witness->line != NULL ? witness->line : "");
    fputs(" --backend ", out);
    if (given[0] != '\0' && given[strspn(given, plain)] == '\0') {
        fputs(given, out);
    } else {
        write_quoted(out, given);
    }
}
