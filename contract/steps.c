/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/profile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const tokens[QC_TOKEN_COUNT] = {
    "",
#define QC_TOKEN(token) #token,
#include "steps.def"
#undef QC_TOKEN
};

/* The words of each class, with a space around every word so that a search finds whole ones. */
enum class_id {
    CLASS_NOTHING,
#define QC_CLASS(name, words) CLASS_##name,
#include "steps.def"
#undef QC_CLASS
};

static const char *const classes[] = {
    "",
#define QC_CLASS(name, words) " " #words " ",
#include "steps.def"
#undef QC_CLASS
};

static const struct {
    const char *name;
    uint8_t first;
    uint8_t second;
} kinds[QC_STEP_COUNT] = {
#define QC_STEP(step, first, second, meaning) {#step, CLASS_##first, CLASS_##second},
#include "steps.def"
#undef QC_STEP
};

static int word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(word, name, length);
}

static qc_token token_find(const char *word, size_t length)
{
    unsigned t = QC_TOKEN_COUNT;
    while (--t > 0 && !word_is(word, length, tokens[t])) {
    }
    return (qc_token)t;
}

static int class_has(uint8_t class_id, qc_token token)
{
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %s ", tokens[token]);
    return strstr(classes[class_id], spaced) != NULL;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') {
        length++;
    }
    return length;
}

/* One argument and the `,` or `)` behind it. */
static qc_status argument_parse(const char **text, uint8_t class_id, uint8_t *token_ret,
                                const char *step, qc_message *message)
{
    const size_t length = word_length(*text);
    const qc_token token = token_find(*text, length);
    if (!token || !class_has(class_id, token)) {
        return qc_fail(QC_INVALID, message, "step %s: '%.*s' is not one of:%s", step,
                       (int)length, *text, classes[class_id]);
    }
    *token_ret = (uint8_t)token;
    *text += length;
    return QC_OK;
}

static qc_status step_parse(const char **text, qc_step *step_ret, qc_message *message)
{
    const size_t length = word_length(*text);
    unsigned kind = 0;
    while (kind < QC_STEP_COUNT && !word_is(*text, length, kinds[kind].name)) {
        kind++;
    }
    if (kind == QC_STEP_COUNT || (*text)[length] != '(') {
        return qc_fail(QC_INVALID, message, "'%.*s' is not a step of spec/steps.def",
                       (int)length + 1, *text);
    }
    *step_ret = (qc_step){.kind = (uint8_t)kind};
    *text += length + 1;
    qc_status status =
        argument_parse(text, kinds[kind].first, &step_ret->first, kinds[kind].name, message);
    if (status == QC_OK && **text == ',') {
        ++*text;
        status = argument_parse(text, kinds[kind].second, &step_ret->second,
                                kinds[kind].name, message);
    }
    if (status == QC_OK && *(*text)++ != ')') {
        return qc_fail(QC_INVALID, message, "step %s: ')' expected", kinds[kind].name);
    }
    return status;
}

qc_status qc_steps_parse(const char *text, qc_steps *steps_ret, qc_message *message)
{
    *steps_ret = (qc_steps){0};
    while (*text) {
        if (*text == ' ') {
            text++;
            continue;
        }
        if (steps_ret->count == QC_MAX_STEPS) {
            return qc_fail(QC_INVALID, message, "more than %d steps", QC_MAX_STEPS);
        }
        const qc_status status =
            step_parse(&text, &steps_ret->step[steps_ret->count++], message);
        if (status != QC_OK) {
            return status;
        }
    }
    return steps_ret->count ? QC_OK : qc_fail(QC_INVALID, message, "an empty step list");
}

void qc_steps_format(const qc_steps *steps, char text[QC_STEPS_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < steps->count && used < QC_STEPS_TEXT; i++) {
        const qc_step *const step = &steps->step[i];
        used += (size_t)snprintf(text + used, QC_STEPS_TEXT - used, "%s%s(%s%s%s)",
                                 i ? " " : "", kinds[step->kind].name, tokens[step->first],
                                 step->second ? "," : "", tokens[step->second]);
    }
}
