/* SPDX-License-Identifier: Apache-2.0 */
/* Case to text. */
#include "keys.h"
#include "tensor_text.h"
#include "value.h"

static void put_key(qc_writer *writer, const char *key)
{
    qc_writer_put(writer, " ");
    qc_writer_put(writer, key);
    qc_writer_put(writer, "=");
}

static void put_common(qc_writer *writer, const qc_case *item)
{
    if (strcmp(item->profile, "ideal") != 0) {
        put_key(writer, "profile");
        qc_writer_put(writer, item->profile);
    }
    if (item->align_bytes != -1) {
        put_key(writer, "align");
        qc_writer_int(writer, item->align_bytes);
    }
    if (item->call.attrs.threads != 1) {
        put_key(writer, "threads");
        qc_writer_int(writer, item->call.attrs.threads);
    }
    if (item->repeat != 1) {
        put_key(writer, "repeat");
        qc_writer_int(writer, item->repeat);
    }
}

static void put_attr(qc_writer *writer, const qc_case *item, uint32_t attr)
{
    const double value = qc_attr_read(&item->call.attrs, attr);
    const double fallback = qc_attr_fallback(item->call.op, attr);
    if (memcmp(&value, &fallback, sizeof value) == 0) {
        return;
    }
    put_key(writer, qc_attr_name(attr));
    const char *const word =
        value >= 0 && value < 16 ? qc_attr_word(attr, (uint32_t)value) : NULL;
    if (word != NULL) {
        qc_writer_put(writer, word);
    } else if (qc_attr_is_real(attr)) {
        char text[40];
        qc_value_format(QC_F64, qc_bits_of_double(QC_F64, value), text);
        qc_writer_put(writer, text);
    } else {
        qc_writer_int(writer, (int64_t)value);
    }
}

static void put_arg(qc_writer *writer, const qc_case *item, const qc_arg_info *info,
                    uint32_t arg, int values)
{
    const qc_tensor *const tensor = &item->call.args[arg];
    if (tensor->dtype == QC_NONE) {
        return;
    }
    put_key(writer, info->name);
    if (info->is_output) {
        qc_writer_put(writer, qc_dtype_name(tensor->dtype));
        qc_strides_put(writer, tensor);
        return;
    }
    qc_shape_put(writer, tensor);
    qc_strides_put(writer, tensor);
    if (item->generator[arg][0] != '\0' && !values) {
        qc_writer_put(writer, "@");
        qc_writer_put(writer, item->generator[arg]);
    } else {
        qc_writer_put(writer, ":");
        qc_values_put(writer, tensor);
    }
}

char *qc_case_format(const qc_case *item, int values)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    qc_writer writer = {0};
    qc_writer_put(&writer, "qc1 op=");
    qc_writer_put(&writer, info->name);
    put_common(&writer, item);
    for (uint32_t attr = 0; attr < QC_ATTR_COUNT; attr++) {
        if (qc_op_has_key(item->call.op, attr)) {
            put_attr(&writer, item, attr);
        }
    }
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        put_arg(&writer, item, &info->args[arg], arg, values);
    }
    return qc_writer_take(&writer);
}
