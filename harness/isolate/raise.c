/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on an exchange, and their messages. */
#include <stdarg.h>
#include <stdio.h>

#include "harness/isolate/shared.h"

void qc_raise(qc_exchange *exchange, uint32_t verdict, uint32_t arg, int64_t where,
              const char *format, ...)
{
    if (verdict <= exchange->verdict) {
        return;
    }
    exchange->verdict = verdict;
    exchange->arg = arg;
    exchange->where = where;
    va_list args;
    va_start(args, format);
    vsnprintf(exchange->message.text, sizeof exchange->message.text, format, args);
    va_end(args);
}

/* One line for a person, whatever a backend has put there. */
void qc_message_clean(qc_message *message)
{
    message->text[sizeof message->text - 1] = '\0';
    for (char *at = message->text; *at; at++) {
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
    }
}
