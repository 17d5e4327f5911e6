/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever parses as a case line is written as a line that parses to the same text:
   text -> struct -> text is the identity from the first writing on. Nothing crashes, and what
   does not parse says why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "quantcert/case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The line of a text, or NULL where it does not parse. */
static char *rewritten(const char *text)
{
    qc_case item;
    qc_answer answer;
    qc_message message = {""};
    if (qc_case_parse(text, &item, &answer, &message) != QC_OK) {
        if (!message.text[0]) {
            abort(); /* refused without a word */
        }
        return NULL;
    }
    char *const line = qc_case_format(&item, 0);
    qc_case_free(&item);
    qc_answer_free(&answer);
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *const first = rewritten(text);
    char *const second = first ? rewritten(first) : NULL;
    if (first && (!second || strcmp(first, second))) {
        abort();
    }
    free(text);
    free(first);
    free(second);
    return 0;
}
