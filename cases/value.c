/* SPDX-License-Identifier: Apache-2.0 */
/* Value text without floating-point arithmetic: sign, integer mantissa and exponent, so that
   the text is the same on every machine and no value is ever rounded. */
#include "value.h"

#include <inttypes.h>
#include <stdio.h>

#include "quantcert/case.h"
#include "quantcert/half.h"

#define HEX "0123456789abcdef"

qc_float_layout qc_float_layout_of(uint32_t dtype)
{
    switch (dtype) {
    case QC_F32: return (qc_float_layout){23, 8};
    case QC_F64: return (qc_float_layout){52, 11};
    case QC_F16: return (qc_float_layout){10, 5};
    case QC_BF16: return (qc_float_layout){7, 8};
    default: return (qc_float_layout){0, 0};
    }
}

static int highest_bit(uint64_t value)
{
    int at = 0;
    while (value >>= 1) {
        at++;
    }
    return at;
}

static void format_finite(qc_float_layout layout, uint64_t bits, char text[40])
{
    const uint64_t fraction = bits & ((UINT64_C(1) << layout.fraction_bits) - 1);
    const uint64_t field = bits >> layout.fraction_bits;
    const int bias = (1 << (layout.exponent_bits - 1)) - 1;
    const uint64_t mantissa = fraction | (uint64_t)(field != 0) << layout.fraction_bits;
    if (mantissa == 0) {
        memcpy(text, "0x0p+0", 7);
        return;
    }
    const int top = highest_bit(mantissa);
    const int exponent =
        (field == 0 ? 1 : (int)field) - bias - layout.fraction_bits + top;
    char *at = text;
    memcpy(at, "0x1", 3);
    at += 3;
    uint64_t rest = top == 0 ? 0 : mantissa << (64 - top);
    if (rest != 0) {
        *at++ = '.';
    }
    for (; rest != 0; rest <<= 4) {
        *at++ = HEX[rest >> 60];
    }
    snprintf(at, 8, "p%+d", exponent);
}

static void format_float(uint32_t dtype, uint64_t bits, char text[40])
{
    const qc_float_layout layout = qc_float_layout_of(dtype);
    const int width = 1 + layout.exponent_bits + layout.fraction_bits;
    const uint64_t quiet = ((UINT64_C(2) << layout.exponent_bits) - 1)
                           << (layout.fraction_bits - 1);
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t infinity =
        (quiet << 1) & (sign - 1) & ~((UINT64_C(1) << layout.fraction_bits) - 1);
    const uint64_t size = bits & (sign - 1);
    if (bits == quiet) {
        memcpy(text, "nan", 4);
    } else if (size > infinity) {
        snprintf(text, 40,
                 width == 64   ? "#%016" PRIx64
                 : width == 32 ? "#%08" PRIx64
                               : "#%04" PRIx64,
                 bits);
    } else {
        *text = '-';
        text += (bits & sign) != 0;
        if (size == infinity) {
            memcpy(text, "inf", 4);
        } else {
            format_finite(layout, size, text);
        }
    }
}

static int64_t sign_extend(uint32_t dtype, uint64_t bits)
{
    switch (dtype) {
    case QC_S8: return (int8_t)bits;
    case QC_U8: return (uint8_t)bits;
    case QC_S32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

void qc_value_format(uint32_t dtype, uint64_t bits, char text[40])
{
    if (qc_float_layout_of(dtype).fraction_bits != 0) {
        format_float(dtype, bits, text);
    } else {
        snprintf(text, 40, "%" PRId64, sign_extend(dtype, bits));
    }
}

/* mantissa * 2^exponent as bits of the layout; 0 when it is not exactly one of its values. */
static int assemble(qc_float_layout layout, uint64_t mantissa, int64_t exponent,
                    uint64_t *bits_ret)
{
    const int bias = (1 << (layout.exponent_bits - 1)) - 1;
    const int64_t lowest = 1 - bias - layout.fraction_bits; /* exponent of the last bit */
    *bits_ret = 0;
    if (mantissa == 0) {
        return 1;
    }
    while ((mantissa & 1) == 0) {
        mantissa >>= 1;
        exponent++;
    }
    const int top = highest_bit(mantissa);
    if (exponent < lowest || top > layout.fraction_bits || exponent + top > bias) {
        return 0;
    }
    if (exponent + top < 1 - bias) {
        *bits_ret = mantissa << (exponent - lowest);
        return 1;
    }
    const uint64_t one = UINT64_C(1) << layout.fraction_bits;
    *bits_ret = ((mantissa << (layout.fraction_bits - top)) & (one - 1)) |
                (uint64_t)(exponent + top + bias) << layout.fraction_bits;
    return 1;
}

static int hex_digit(char c)
{
    const char *at = c == '\0' ? NULL : strchr(HEX, c);
    return at == NULL ? -1 : (int)(at - HEX);
}

/* Hex digits with one point; 0 when there are none or more than 64 bits. */
static int hex_mantissa(const char **at, uint64_t *mantissa_ret, int64_t *exponent_ret)
{
    uint64_t mantissa = 0;
    int count = 0;
    int point = 0;
    for (;; (*at)++) {
        const int digit = hex_digit(**at);
        if (**at == '.' && !point) {
            point = 1;
            continue;
        }
        if (digit < 0) {
            break;
        }
        if (mantissa >> 60 != 0 || count == 40) {
            return 0;
        }
        mantissa = mantissa << 4 | (uint64_t)digit;
        *exponent_ret -= 4 * point;
        count++;
    }
    *mantissa_ret = mantissa;
    return count > 0;
}

static int binary_exponent(const char **at, int64_t *exponent_ret)
{
    const int negative = **at == '-';
    int64_t value = 0;
    *at += **at == '-' || **at == '+';
    if (**at < '0' || **at > '9') {
        return 0;
    }
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        value = value * 10 + (**at - '0');
        if (value > 9999) {
            return 0;
        }
    }
    *exponent_ret += negative ? -value : value;
    return 1;
}

static int parse_number(const char **at, uint64_t *mantissa_ret, int64_t *exponent_ret)
{
    if ((*at)[0] == '0' && (*at)[1] == 'x') {
        *at += 2;
        if (!hex_mantissa(at, mantissa_ret, exponent_ret) || **at != 'p') {
            return 0;
        }
        (*at)++;
        return binary_exponent(at, exponent_ret);
    }
    qc_reader reader = {.start = *at, .at = *at, .message = NULL};
    if (qc_reader_uint(&reader, "", mantissa_ret) != QC_OK) {
        return 0;
    }
    *at = reader.at;
    return 1;
}

static int parse_raw(const char **at, int width, uint64_t *bits_ret)
{
    uint64_t bits = 0;
    int count = 0;
    for (; hex_digit(**at) >= 0 && count < width / 4; count++, (*at)++) {
        bits = bits << 4 | (uint64_t)hex_digit(**at);
    }
    *bits_ret = bits;
    return count == width / 4 && hex_digit(**at) < 0;
}

static qc_status parse_float(qc_reader *reader, uint32_t dtype, uint64_t *bits_ret)
{
    const qc_float_layout layout = qc_float_layout_of(dtype);
    const int width = 1 + layout.exponent_bits + layout.fraction_bits;
    const uint64_t ones = (UINT64_C(1) << layout.exponent_bits) - 1;
    const char *at = reader->at;
    char expected[80];
    snprintf(expected, sizeof(expected),
             "a value of %s: hexfloat, integer, nan, inf or #%d digits",
             qc_dtype_name(dtype), width / 4);
    if (*at == '#') {
        at++;
        if (!parse_raw(&at, width, bits_ret)) {
            return qc_reader_fail(reader, expected);
        }
        reader->at = at;
        return QC_OK;
    }
    if (qc_reader_take(reader, "nan")) {
        *bits_ret = ones << layout.fraction_bits | UINT64_C(1)
                                                       << (layout.fraction_bits - 1);
        return QC_OK;
    }
    const uint64_t sign = (uint64_t)(*at == '-') << (width - 1);
    at += *at == '-';
    if (strncmp(at, "inf", 3) == 0) {
        reader->at = at + 3;
        *bits_ret = sign | ones << layout.fraction_bits;
        return QC_OK;
    }
    uint64_t mantissa = 0;
    int64_t exponent = 0;
    if (!parse_number(&at, &mantissa, &exponent)) {
        return qc_reader_fail(reader, expected);
    }
    if (!assemble(layout, mantissa, exponent, bits_ret)) {
        return qc_reader_say(reader,
                             "this number is not exactly a value of %s; expected one",
                             qc_dtype_name(dtype));
    }
    *bits_ret |= sign;
    reader->at = at;
    return QC_OK;
}

qc_status qc_value_parse(qc_reader *reader, uint32_t dtype, uint64_t *bits_ret)
{
    if (qc_float_layout_of(dtype).fraction_bits != 0) {
        return parse_float(reader, dtype, bits_ret);
    }
    int64_t low = INT64_MIN;
    int64_t high = INT64_MAX;
    switch (dtype) {
    case QC_S8:
        low = INT8_MIN;
        high = INT8_MAX;
        break;
    case QC_U8:
        low = 0;
        high = UINT8_MAX;
        break;
    case QC_S32:
        low = INT32_MIN;
        high = INT32_MAX;
        break;
    default: break;
    }
    int64_t value = 0;
    const qc_status status =
        qc_reader_int(reader, low, high, qc_dtype_name(dtype), &value);
    *bits_ret = (uint64_t)value & (UINT64_MAX >> (64 - 8 * qc_dtype_bytes(dtype)));
    return status;
}

double qc_bits_to_double(uint32_t dtype, uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float single;
    double wide;
    switch (dtype) {
    case QC_F32: memcpy(&single, &word, 4); return single;
    case QC_F64: memcpy(&wide, &bits, 8); return wide;
    case QC_F16: return qc_f16_to_f32((uint16_t)bits);
    case QC_BF16: return qc_bf16_to_f32((uint16_t)bits);
    default: return (double)sign_extend(dtype, bits);
    }
}

uint64_t qc_bits_of_double(uint32_t dtype, double value)
{
    const float single = (float)value;
    uint32_t word;
    uint64_t bits;
    switch (dtype) {
    case QC_F32: memcpy(&word, &single, 4); return word;
    case QC_F16: return qc_f64_to_f16(value);
    case QC_BF16: return qc_f64_to_bf16(value);
    default: memcpy(&bits, &value, 8); return bits;
    }
}
