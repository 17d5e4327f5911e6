/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 20 /* characters of the line that an error shows */

static int column(const qc_reader *reader)
{
    return (int)(reader->at - reader->start) + 1;
}

qc_status qc_reader_fail(const qc_reader *reader, const char *expected)
{
    char found[SHOWN + 1];
    size_t n = 0;
    while (n < SHOWN && reader->at[n] != '\0') {
        const char c = reader->at[n];
        found[n] = c >= ' ' && c <= '~' ? c : '?';
        n++;
    }
    found[n] = '\0';
    if (n == 0) {
        return qc_fail(QC_INVALID, reader->message,
                       "column %d: expected %s, found the end", column(reader), expected);
    }
    return qc_fail(QC_INVALID, reader->message, "column %d: expected %s, found '%s'",
                   column(reader), expected, found);
}

qc_status qc_reader_say(const qc_reader *reader, const char *format, ...)
{
    char text[sizeof(qc_message)];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    return qc_fail(QC_INVALID, reader->message, "column %d: %.200s", column(reader),
                   text);
}

int qc_reader_take(qc_reader *reader, const char *literal)
{
    const size_t length = strlen(literal);
    if (strncmp(reader->at, literal, length) != 0) {
        return 0;
    }
    reader->at += length;
    return 1;
}

size_t qc_reader_word(const qc_reader *reader, const char *extra)
{
    size_t n = 0;
    for (;; n++) {
        const char c = reader->at[n];
        const int plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (c == '\0' || (!plain && strchr(extra, c) == NULL)) {
            return n;
        }
    }
}

/* Digits without leading zeros; 0 when there are none, or the value is above `limit`. */
static int digits(const char **at, uint64_t limit, uint64_t *value_ret)
{
    const char *text = *at;
    uint64_t value = 0;
    if (*text < '0' || *text > '9' ||
        (text[0] == '0' && text[1] >= '0' && text[1] <= '9')) {
        return 0;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (value > (limit - digit) / 10 || digit > limit) {
            return 0;
        }
        value = value * 10 + digit;
    }
    *at = text;
    *value_ret = value;
    return 1;
}

qc_status qc_reader_int(qc_reader *reader, int64_t low, int64_t high, const char *what,
                        int64_t *value_ret)
{
    const char *at = reader->at;
    const int negative = *at == '-';
    uint64_t size = 0;
    at += negative;
    if (digits(&at, negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, &size) &&
        !(negative && size == 0)) {
        const int64_t value = negative ? (int64_t)(0 - size) : (int64_t)size;
        if (value >= low && value <= high) {
            reader->at = at;
            *value_ret = value;
            return QC_OK;
        }
    }
    char expected[120];
    snprintf(expected, sizeof(expected), "%s, an integer from %" PRId64 " to %" PRId64,
             what, low, high);
    return qc_reader_fail(reader, expected);
}

qc_status qc_reader_uint(qc_reader *reader, const char *what, uint64_t *value_ret)
{
    if (digits(&reader->at, UINT64_MAX, value_ret)) {
        return QC_OK;
    }
    return qc_reader_fail(reader, what);
}

static int grow(qc_writer *writer, size_t more)
{
    if (writer->failed || writer->length + more + 1 <= writer->capacity) {
        return !writer->failed;
    }
    const size_t capacity = (writer->capacity + more) * 2 + 256;
    char *text = realloc(writer->text, capacity);
    if (text == NULL) {
        writer->failed = 1;
        return 0;
    }
    writer->text = text;
    writer->capacity = capacity;
    return 1;
}

void qc_writer_put(qc_writer *writer, const char *text)
{
    const size_t length = strlen(text);
    if (grow(writer, length)) {
        memcpy(writer->text + writer->length, text, length + 1);
        writer->length += length;
    }
}

void qc_writer_int(qc_writer *writer, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    qc_writer_put(writer, text);
}

char *qc_writer_take(qc_writer *writer)
{
    if (writer->failed) {
        free(writer->text);
        return NULL;
    }
    return writer->text;
}
