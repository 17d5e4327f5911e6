/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a line with columns in its errors, and writing one that grows. */
#ifndef QC_CASES_TEXT_H
#define QC_CASES_TEXT_H

#include "quantcert/types.h"

typedef struct qc_reader {
    const char *start;
    const char *at;
    qc_message *message;
} qc_reader;

/* QC_INVALID: "column 7: expected <expected>, found '<what stands there>'". */
qc_status qc_reader_fail(const qc_reader *reader, const char *expected);

/* QC_INVALID with a text of its own after "column 7: ". */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
qc_status
qc_reader_say(const qc_reader *reader, const char *format, ...);

/* Steps over the literal and returns 1, or stays and returns 0. */
int qc_reader_take(qc_reader *reader, const char *literal);

/* Length of the word of [a-z0-9_] at the reader; with `extra` characters allowed too. */
size_t qc_reader_word(const qc_reader *reader, const char *extra);

/* A canonical decimal integer (no plus, no leading zeros, no -0) of low ... high. */
qc_status qc_reader_int(qc_reader *reader, int64_t low, int64_t high, const char *what,
                        int64_t *value_ret);

/* As qc_reader_int, without a sign, up to UINT64_MAX. */
qc_status qc_reader_uint(qc_reader *reader, const char *what, uint64_t *value_ret);

typedef struct qc_writer {
    char *text; /* malloc'd, terminated; NULL until something was put */
    size_t length;
    size_t capacity;
    int failed; /* memory was short: the text is useless */
} qc_writer;

void qc_writer_put(qc_writer *writer, const char *text);
void qc_writer_int(qc_writer *writer, int64_t value);

/* The text for the caller to free; NULL when memory was short. */
char *qc_writer_take(qc_writer *writer);

#endif
