/* SPDX-License-Identifier: Apache-2.0 */
/* Text to case. Errors name the column and what was expected there. A call that is invalid
   for its op parses: only the form of the line is judged here. */
#include "cases.h"
#include "keys.h"
#include "tensor_text.h"
#include "value.h"

#include <stdio.h>

#define MAX_THREADS 1024
#define MAX_REPEAT 1000

static qc_status parse_profile(qc_reader *reader, qc_case *item)
{
    const size_t length = qc_reader_word(reader, ".-");
    if (length == 0 || length >= sizeof item->profile) {
        return qc_reader_fail(reader, "a profile's name, at most 63 characters");
    }
    memcpy(item->profile, reader->at, length);
    item->profile[length] = '\0';
    reader->at += length;
    return QC_OK;
}

static qc_status parse_small(qc_reader *reader, int64_t low, int64_t high,
                             const char *what, int32_t *value_ret)
{
    int64_t value = 0;
    const qc_status status = qc_reader_int(reader, low, high, what, &value);
    *value_ret = (int32_t)value;
    return status;
}

static qc_status parse_word(qc_reader *reader, qc_case *item, uint32_t attr)
{
    char expected[120] = "";
    const size_t length = qc_reader_word(reader, "");
    const char *word;
    for (uint32_t n = 0; (word = qc_attr_word(attr, n)) != NULL; n++) {
        if (strlen(word) == length && memcmp(word, reader->at, length) == 0) {
            qc_attr_write(&item->call.attrs, attr, n);
            reader->at += length;
            return QC_OK;
        }
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", n > 0 ? " or " : "",
                 word);
    }
    return qc_reader_fail(reader, expected);
}

static qc_status parse_attr(qc_reader *reader, qc_case *item, uint32_t attr)
{
    if (qc_attr_word(attr, 0) != NULL) {
        return parse_word(reader, item, attr);
    }
    if (qc_attr_is_real(attr)) {
        uint64_t bits = 0;
        const qc_status status = qc_value_parse(reader, QC_F64, &bits);
        qc_attr_write(&item->call.attrs, attr, qc_bits_to_double(QC_F64, bits));
        return status;
    }
    int32_t value = 0;
    const qc_status status =
        parse_small(reader, INT32_MIN, INT32_MAX, qc_attr_name(attr), &value);
    qc_attr_write(&item->call.attrs, attr, value);
    return status;
}

/* "name(args)" behind the @; what it makes is filled in when the whole case stands. */
static qc_status parse_generator(qc_reader *reader, qc_case *item, uint32_t arg)
{
    const size_t name = qc_reader_word(reader, "");
    const char *const end = strchr(reader->at, ')');
    const char *const space = strchr(reader->at, ' ');
    if (name == 0 || reader->at[name] != '(' || end == NULL ||
        (space != NULL && space < end)) {
        return qc_reader_fail(reader, "a generator: name(args)");
    }
    const size_t length = (size_t)(end - reader->at) + 1;
    if (length >= QC_GENERATOR_TEXT) {
        return qc_reader_fail(reader, "a generator of at most 95 characters");
    }
    memcpy(item->generator[arg], reader->at, length);
    item->generator[arg][length] = '\0';
    reader->at += length;
    return QC_OK;
}

static qc_status parse_input(qc_reader *reader, qc_case *item, uint32_t arg,
                             int64_t *room)
{
    qc_tensor tensor;
    qc_status status = qc_shape_parse(reader, &tensor);
    if (status == QC_OK) {
        status = qc_strides_parse(reader, &tensor);
    }
    if (status != QC_OK) {
        return status;
    }
    *room -= qc_tensor_room(&tensor);
    if (*room < 0) {
        return qc_reader_say(
            reader, "the case needs too much storage, at most %lld elements expected",
            (long long)QC_LIMIT_ELEMS);
    }
    if (qc_case_allocate(item, arg, &tensor) != QC_OK) {
        return qc_fail(QC_NO_MEMORY, reader->message, "no memory for %s",
                       qc_dtype_name(tensor.dtype));
    }
    if (qc_reader_take(reader, "@")) {
        return parse_generator(reader, item, arg);
    }
    if (!qc_reader_take(reader, ":")) {
        return qc_reader_fail(reader, "':' and values, or '@' and a generator");
    }
    return qc_values_parse(reader, &item->call.args[arg]);
}

/* "q=s8 or q=u8" into text. */
static void expect_arg(const qc_arg_info *info, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t dtype = QC_NONE + 1; dtype < QC_DTYPE_COUNT && used < size; dtype++) {
        if (info->dtypes & QC_DTYPE_BIT(dtype)) {
            used += (size_t)snprintf(
                text + used, size - used, "%s%s=%s%s", used > 0 ? " or " : "", info->name,
                qc_dtype_name(dtype), info->is_output ? "" : "[...]");
        }
    }
}

static qc_status parse_output(qc_reader *reader, qc_case *item, const qc_arg_info *info,
                              uint32_t arg)
{
    qc_tensor *const output = &item->call.args[arg];
    char expected[160];
    expect_arg(info, expected, sizeof expected);
    const qc_status status = qc_dtype_parse(reader, expected, &output->dtype);
    if (status != QC_OK) {
        return status;
    }
    qc_output_shape(&item->call, arg, output);
    if (qc_tensor_room(output) < 0) {
        return qc_reader_say(reader,
                             "the output has too many elements, at most %lld expected",
                             (long long)QC_LIMIT_ELEMS);
    }
    return qc_strides_parse(reader, output);
}

static qc_status parse_slot(qc_reader *reader, qc_case *item, int slot, int64_t *room)
{
    switch (slot) {
    case QC_SLOT_profile: return parse_profile(reader, item);
    case QC_SLOT_align: return parse_small(reader, 0, 63, "align", &item->align_bytes);
    case QC_SLOT_threads:
        return parse_small(reader, 0, MAX_THREADS, "threads", &item->call.attrs.threads);
    case QC_SLOT_repeat:
        return parse_small(reader, 1, MAX_REPEAT, "repeat", &item->repeat);
    default: break;
    }
    if (slot < QC_SLOT_ARGS) {
        return parse_attr(reader, item, (uint32_t)(slot - QC_SLOT_ATTRS));
    }
    const uint32_t arg = (uint32_t)(slot - QC_SLOT_ARGS);
    const qc_arg_info *const info = &qc_op_get(item->call.op)->args[arg];
    return info->is_output ? parse_output(reader, item, info, arg)
                           : parse_input(reader, item, arg, room);
}

/* The needed arguments before `slot` must be there: they come in order. */
static qc_status check_present(const qc_reader *reader, const qc_case *item, int slot)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    const int count = slot - QC_SLOT_ARGS;
    for (int arg = 0; arg < count && arg < (int)info->arg_count; arg++) {
        if (info->args[arg].is_needed && item->call.args[arg].dtype == QC_NONE) {
            char expected[160];
            expect_arg(&info->args[arg], expected, sizeof expected);
            return qc_reader_fail(reader, expected);
        }
    }
    return QC_OK;
}

static qc_status parse_keys(qc_reader *reader, qc_case *item)
{
    int last = -1;
    int64_t room = QC_LIMIT_ELEMS;
    while (*reader->at != '\0' && strncmp(reader->at, " =>", 3) != 0) {
        if (!qc_reader_take(reader, " ")) {
            return qc_reader_fail(reader, "one space before the next key");
        }
        const size_t length = qc_reader_word(reader, "");
        const int slot = qc_slot_find(item->call.op, reader->at, length);
        if (slot == QC_SLOT_COUNT || reader->at[length] != '=') {
            char expected[80];
            snprintf(expected, sizeof expected, "key=value, a key of op %s",
                     qc_op_get(item->call.op)->name);
            return qc_reader_fail(reader, expected);
        }
        if (slot <= last) {
            return qc_reader_say(
                reader, "key %s stands twice or too late, expected before %s",
                qc_slot_name(item->call.op, slot), qc_slot_name(item->call.op, last));
        }
        qc_status status = check_present(reader, item, slot);
        if (status == QC_OK) {
            last = slot;
            reader->at += length + 1;
            status = parse_slot(reader, item, slot, &room);
        }
        if (status != QC_OK) {
            return status;
        }
    }
    return check_present(reader, item, QC_SLOT_COUNT);
}

/* Generators that read other arguments run after them: parameters first, the body last. */
static qc_status run_generators(qc_case *item, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    qc_status status = QC_OK;
    for (int bodies = 0; bodies < 2; bodies++) {
        for (uint32_t arg = 0; arg < info->arg_count && status == QC_OK; arg++) {
            const uint32_t shape = info->args[arg].shape;
            const int is_body = shape == QC_SHAPE_BODY || shape == QC_SHAPE_LIKE;
            if (item->generator[arg][0] != '\0' && is_body == bodies) {
                status = qc_generate(item, arg, item->generator[arg], message);
            }
        }
    }
    return status;
}

static qc_status parse_head(qc_reader *reader, qc_case *item)
{
    if (!qc_reader_take(reader, "qc1 op=")) {
        return qc_reader_fail(reader, "'qc1 op='");
    }
    const size_t length = qc_reader_word(reader, "");
    const qc_op op = qc_op_find(reader->at, length);
    if (op == QC_OP_COUNT) {
        return qc_reader_fail(reader, "an op's name, such as quantize");
    }
    reader->at += length;
    qc_case_init(item, op);
    return QC_OK;
}

static qc_status parse_line(qc_reader *reader, qc_case *item, qc_answer *answer)
{
    qc_status status = parse_head(reader, item);
    if (status == QC_OK) {
        status = parse_keys(reader, item);
    }
    if (status == QC_OK) {
        status = run_generators(item, reader->message);
    }
    if (status == QC_OK && *reader->at != '\0' && answer == NULL) {
        return qc_reader_fail(reader, "the end, no answer");
    }
    if (status == QC_OK && qc_reader_take(reader, " =>")) {
        status = qc_answer_parse(reader, item, answer);
        if (status == QC_OK && *reader->at != '\0') {
            return qc_reader_fail(reader, "the end of the line");
        }
    }
    return status;
}

qc_status qc_case_parse(const char *line, qc_case *case_ret, qc_answer *answer_ret,
                        qc_message *message)
{
    qc_reader reader = {.start = line, .at = line, .message = message};
    memset(case_ret, 0, sizeof *case_ret);
    if (answer_ret != NULL) {
        memset(answer_ret, 0, sizeof *answer_ret);
    }
    const qc_status status = parse_line(&reader, case_ret, answer_ret);
    if (status != QC_OK) {
        qc_case_free(case_ret);
        if (answer_ret != NULL) {
            qc_answer_free(answer_ret);
        }
    }
    return status;
}
