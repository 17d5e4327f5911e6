/* SPDX-License-Identifier: Apache-2.0 */
/* Text to struct to text, for all ops; and what is said of lines that are not case lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/cases.h"

#define ROUND_TRIPS 100000

static uint64_t counter;

static uint32_t below(uint32_t bound)
{
    return (uint32_t)(qc_random_at(1, 99, counter++) % bound);
}

static uint32_t random_dtype(uint32_t set)
{
    uint32_t dtype = 0;
    do {
        dtype = 1 + below(QC_DTYPE_COUNT - 1);
    } while (!(set & QC_DTYPE_BIT(dtype)) &&
             below(20) != 0); /* now and then a wrong one */
    return dtype;
}

/* Strides of a permutation of the dims with gaps; 0 now and then where elements may share. */
static void random_layout(qc_tensor *tensor, int may_share)
{
    int64_t stride = 1 + below(3);
    uint32_t done = 0;
    qc_tensor_contiguous(tensor);
    if (below(2) == 0) {
        return;
    }
    for (uint32_t n = 0; n < tensor->rank; n++) {
        uint32_t d = below(tensor->rank);
        while (done >> d & 1) {
            d = (d + 1) % tensor->rank;
        }
        done |= 1u << d;
        tensor->strides[d] = may_share && below(6) == 0 ? 0 : stride;
        stride *= (tensor->dims[d] > 0 ? tensor->dims[d] : 1) + below(2);
    }
    tensor->offset = below(4);
}

static void random_attrs(qc_case *item)
{
    for (uint32_t attr = 0; attr < QC_ATTR_COUNT; attr++) {
        if (!qc_op_has_key(item->call.op, attr) || below(2) == 0) {
            continue;
        }
        uint32_t words = 0;
        while (qc_attr_word(attr, words) != NULL) {
            words++;
        }
        const double whole = words > 0 ? below(words) : (double)below(600) - 300;
        const int is_real = attr == QC_ATTR_averaging || attr == QC_ATTR_grad_factor;
        qc_attr_write(&item->call.attrs, attr, is_real ? whole / 7 : whole);
    }
    item->align_bytes = (int32_t)below(65) - 1;
    item->call.attrs.threads = (int32_t)below(5);
    item->repeat = 1 + (int32_t)below(3);
    if (below(2) == 0) {
        snprintf(item->profile, sizeof item->profile, "some-profile_%u.1", below(100));
    }
}

static void random_case(qc_case *item)
{
    const qc_op op = (qc_op)below(QC_OP_COUNT);
    const qc_op_info *const info = qc_op_get(op);
    qc_case_init(item, op);
    random_attrs(item);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (!info->args[arg].is_needed && below(2) == 0) {
            continue;
        }
        qc_tensor tensor = {.dtype = random_dtype(info->args[arg].dtypes),
                            .rank = below(7)};
        for (uint32_t d = 0; d < tensor.rank; d++) {
            tensor.dims[d] = below(tensor.rank > 3 ? 3 : 5);
        }
        if (info->args[arg].is_output) {
            item->call.args[arg].dtype = tensor.dtype;
            continue;
        }
        random_layout(&tensor, 1);
        assert_int_equal(qc_case_allocate(item, arg, &tensor), QC_OK);
        char generator[QC_GENERATOR_TEXT];
        snprintf(generator, sizeof generator, "random(%u,%u,1)", below(1000000), arg);
        assert_int_equal(qc_generate(item, arg, generator, NULL), QC_OK);
        if (below(2) == 0) {
            strcpy(item->generator[arg], generator);
        }
    }
    qc_case_shape_outputs(item);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (info->args[arg].is_output && item->call.args[arg].dtype != QC_NONE) {
            random_layout(&item->call.args[arg], 0);
        }
    }
}

static int elements_equal(const qc_tensor *a, const qc_tensor *b)
{
    const size_t bytes = qc_dtype_bytes(a->dtype);
    for (int64_t i = 0, n = qc_tensor_elems(a); i < n; i++) {
        const size_t at = (size_t)qc_tensor_at(a, i) * bytes;
        if (memcmp((const char *)a->data + at, (const char *)b->data + at, bytes) != 0) {
            return 0;
        }
    }
    return 1;
}

static void compare(const qc_case *a, const qc_case *b)
{
    assert_string_equal(a->call.profile, b->call.profile);
    assert_ptr_equal(b->call.profile, b->profile);
    assert_int_equal(a->align_bytes, b->align_bytes);
    assert_int_equal(a->repeat, b->repeat);
    assert_memory_equal(&a->call.attrs, &b->call.attrs, sizeof a->call.attrs);
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        const qc_tensor *const want = &a->call.args[arg];
        const qc_tensor *const got = &b->call.args[arg];
        assert_int_equal(want->dtype, got->dtype);
        assert_int_equal(want->rank, got->rank);
        assert_memory_equal(want->dims, got->dims, want->rank * sizeof(int64_t));
        assert_memory_equal(want->strides, got->strides, want->rank * sizeof(int64_t));
        assert_int_equal(want->offset, got->offset);
        assert_string_equal(a->generator[arg], b->generator[arg]);
        assert_true(want->data == NULL || elements_equal(want, got));
    }
}

static void round_trip(const qc_case *item, int values)
{
    qc_case again;
    qc_message message = {""};
    char *const line = qc_case_format(item, values);
    assert_non_null(line);
    if (qc_case_parse(line, &again, NULL, &message) != QC_OK) {
        fail_msg("%s: %s", message.text, line);
    }
    char *const second = qc_case_format(&again, values);
    assert_string_equal(line, second);
    if (!values) {
        compare(item, &again);
    }
    free(line);
    free(second);
    qc_case_free(&again);
}

static void test_round_trips(void **state)
{
    (void)state;
    for (int n = 0; n < ROUND_TRIPS; n++) {
        qc_case item;
        random_case(&item);
        round_trip(&item, n % 2);
        qc_case_free(&item);
    }
}

/* Every 16-bit pattern, and many 32- and 64-bit ones, as text and back. */
static void check_value(uint32_t dtype, uint64_t bits)
{
    char text[40];
    char line[160];
    qc_case item;
    qc_message message = {""};
    uint64_t got = 0;
    qc_value_format(dtype, bits, text);
    snprintf(line, sizeof line,
             "qc1 op=quantize x=%s[]:%s scale=f32[]:1 zero_point=s32[]:0 q=s8",
             qc_dtype_name(dtype), text);
    if (qc_case_parse(line, &item, NULL, &message) != QC_OK) {
        fail_msg("%s: %s", message.text, line);
    }
    switch (qc_dtype_bytes(dtype)) {
    case 1: got = *(uint8_t *)item.call.args[0].data; break;
    case 2: got = *(uint16_t *)item.call.args[0].data; break;
    case 4: got = *(uint32_t *)item.call.args[0].data; break;
    default: got = *(uint64_t *)item.call.args[0].data; break;
    }
    if (got != bits) {
        fail_msg("%s: 0x%llx became 0x%llx", text, (unsigned long long)bits,
                 (unsigned long long)got);
    }
    qc_case_free(&item);
}

static void test_values(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits < 65536; bits++) {
        check_value(QC_F16, bits);
        check_value(QC_BF16, bits);
        check_value(QC_S8, bits & 255);
        check_value(QC_U8, bits & 255);
        check_value(QC_F32, qc_random_at(2, 0, bits) >> 32);
        check_value(QC_F32,
                    bits < 4096 ? bits : (bits & 0x807fffff) | (bits & 255) << 23);
        check_value(QC_F64, qc_random_at(2, 1, bits));
        check_value(QC_F64, qc_random_at(2, 2, bits) >> (bits & 63));
        check_value(QC_S32, qc_random_at(2, 3, bits) >> 32);
        check_value(QC_S64, qc_random_at(2, 4, bits) >> (bits & 63));
    }
}

static const struct {
    uint32_t dtype;
    uint64_t bits;
    const char *text;
} known_values[] = {
    {QC_F32, 0x00000000, "0x0p+0"},
    {QC_F32, 0x80000000, "-0x0p+0"},
    {QC_F32, 0x3f800000, "0x1p+0"},
    {QC_F32, 0x3dcccccd, "0x1.99999ap-4"},
    {QC_F32, 0x00000001, "0x1p-149"},
    {QC_F32, 0x807fffff, "-0x1.fffffcp-127"},
    {QC_F32, 0x7f7fffff, "0x1.fffffep+127"},
    {QC_F32, 0x7f800000, "inf"},
    {QC_F32, 0xff800000, "-inf"},
    {QC_F32, 0x7fc00000, "nan"},
    {QC_F32, 0xffc00000, "#ffc00000"},
    {QC_F32, 0x7f800001, "#7f800001"},
    {QC_F64, 0x0000000000000001, "0x1p-1074"},
    {QC_F64, 0x7ff8000000000000, "nan"},
    {QC_F64, 0x3fb999999999999a, "0x1.999999999999ap-4"},
    {QC_F16, 0x0001, "0x1p-24"},
    {QC_F16, 0x2e66, "0x1.998p-4"},
    {QC_F16, 0x7e00, "nan"},
    {QC_F16, 0x7e01, "#7e01"},
    {QC_BF16, 0x3dcd, "0x1.9ap-4"},
    {QC_BF16, 0x7fc0, "nan"},
    {QC_BF16, 0x7f7f, "0x1.fep+127"},
    {QC_S8, 0x80, "-128"},
    {QC_U8, 0x80, "128"},
    {QC_S64, 0x8000000000000000, "-9223372036854775808"},
};

static void test_known_values(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof known_values / sizeof known_values[0]; n++) {
        char text[40];
        qc_value_format(known_values[n].dtype, known_values[n].bits, text);
        assert_string_equal(text, known_values[n].text);
        check_value(known_values[n].dtype, known_values[n].bits);
    }
}

#define TAIL " scale=f32[]:0x1p+0 zero_point=s32[]:0 q=s8"
#define HEAD "qc1 op=quantize x=f32[2]:0x1p+0,nan" TAIL

static const struct {
    const char *line;
    const char *said;
} malformed[] = {
    {"", "column 1: expected 'qc1 op=', found the end"},
    {"qc2 op=quantize", "column 1: expected 'qc1 op=', found 'qc2 op=quantize'"},
    {"qc1 op=quantise x=f32[]:1" TAIL, "column 8: expected an op's name"},
    {"qc1 op=quantize", "column 16: expected x=f32[...] or x=f64[...]"},
    {"qc1 op=quantize" TAIL, "column 17: expected x=f32[...]"},
    {"qc1 op=quantize x=f32[]:1 scale=f32[]:1 zero_point=s32[]:0",
     "expected q=s8 or q=u8, found the end"},
    {"qc1 op=quantize x=f32[]:1 zero_point=s32[]:0 q=s8",
     "expected scale=f32[...] or scale=f64[...]"},
    {"qc1 op=quantize  x=f32[]:1" TAIL, "column 17: expected key=value"},
    {"qc1 op=quantize x=f32[]:1" TAIL " ",
     "expected key=value, a key of op quantize, found the end"},
    {"qc1 op=quantize y=f32[]:1" TAIL,
     "column 17: expected key=value, a key of op quantize"},
    {"qc1 op=quantize axis x=f32[]:1" TAIL, "column 17: expected key=value"},
    {"qc1 op=quantize mask_form=grid x=f32[]:1" TAIL, "column 17: expected key=value"},
    {"qc1 op=quantize x=f32[]:1 axis=0" TAIL, "key axis stands twice or too late"},
    {"qc1 op=quantize axis=0 axis=0 x=f32[]:1" TAIL, "key axis stands twice or too late"},
    {"qc1 op=quantize axis=0 align=3 x=f32[]:1" TAIL,
     "key align stands twice or too late, expected before axis"},
    {"qc1 op=quantize align=64 x=f32[]:1" TAIL,
     "column 23: expected align, an integer from 0 to 63"},
    {"qc1 op=quantize threads=-1 x=f32[]:1" TAIL, "expected threads, an integer from 0"},
    {"qc1 op=quantize repeat=0 x=f32[]:1" TAIL, "expected repeat, an integer from 1"},
    {"qc1 op=quantize profile= x=f32[]:1" TAIL, "expected a profile's name"},
    {"qc1 op=quantize axis=+1 x=f32[]:1" TAIL, "column 22: expected axis, an integer"},
    {"qc1 op=quantize axis=01 x=f32[]:1" TAIL, "column 22: expected axis, an integer"},
    {"qc1 op=quantize axis=-0 x=f32[]:1" TAIL, "column 22: expected axis, an integer"},
    {"qc1 op=quantize axis=99999999999 x=f32[]:1" TAIL,
     "column 22: expected axis, an integer"},
    {"qc1 op=quantize scale_form=times x=f32[]:1" TAIL,
     "column 28: expected divide or multiply, found 'times"},
    {"qc1 op=learnable_grad grad_factor=x grad=f32[]:1", "expected a value of f64"},
    {"qc1 op=quantize x=f31[]:1" TAIL,
     "column 19: expected a tensor: dtype[dims], found 'f31[]"},
    {"qc1 op=quantize x=f32:1" TAIL, "expected '[' and dims"},
    {"qc1 op=quantize x=f32[2,3]:1" TAIL, "expected 'x' or ']'"},
    {"qc1 op=quantize x=f32[2x]:1" TAIL, "expected a dim, an integer"},
    {"qc1 op=quantize x=f32[-1]:1" TAIL, "expected a dim, an integer"},
    {"qc1 op=quantize x=f32[1x1x1x1x1x1x1]:1" TAIL, "the rank is at most 6"},
    {"qc1 op=quantize x=f32[67108865]:1" TAIL,
     "expected a dim, an integer from 0 to 16777216"},
    {"qc1 op=quantize x=f32[65536x65536]:1" TAIL, "too many elements"},
    {"qc1 op=quantize "
     "x=f32[16777216x16777216x16777216x16777216x16777216x16777216]:1" TAIL,
     "too many elements"},
    {"qc1 op=quantize x=f32[2x2]{s=16777216x1,o=0}:1,1,1,1" TAIL,
     "the strides leave the storage"},
    {"qc1 op=quantize x=f32[2]{s=-1,o=0}:1,1" TAIL, "the strides leave the storage"},
    {"qc1 op=quantize x=f32[2]{s=1,o=-1}:1,1" TAIL, "expected the offset, an integer"},
    {"qc1 op=quantize x=f32[2]{s=1x1,o=0}:1,1" TAIL, "expected ',o=' and the offset"},
    {"qc1 op=quantize x=f32[2x1]{s=1,o=0}:1,1" TAIL, "one stride for each dim"},
    {"qc1 op=quantize x=f32[2]{s=1,o=0:1,1" TAIL, "expected '}'"},
    {"qc1 op=quantize x=f32[2]{s=99999999999999999999,o=0}:1,1" TAIL,
     "expected a stride, an integer"},
    {"qc1 op=quantize x=f32[2]{s=0,o=0}:1,2" TAIL, "two elements share this place"},
    {"qc1 op=quantize x=f32[16777216]{s=0,o=0}@random(1,1,0) "
     "scale=f32[2]{s=16777215,o=0}@scales(1,1)"
     " zero_point=s32[2]{s=1,o=1}:0,0 q=s8",
     "needs too much storage"},
    {"qc1 op=quantize x=f32[2]=1,1" TAIL,
     "expected ':' and values, or '@' and a generator"},
    {"qc1 op=quantize x=f32[3]:1,1" TAIL, "expected ',' and 1 more values"},
    {"qc1 op=quantize x=f32[1]:1,1" TAIL, "expected one space before the next key"},
    {"qc1 op=quantize x=f32[]:1.5" TAIL, "expected one space before the next key"},
    {"qc1 op=quantize x=f32[]:" TAIL, "expected a value of f32"},
    {"qc1 op=quantize x=f32[]:0x1" TAIL, "expected a value of f32"},
    {"qc1 op=quantize x=f32[]:0x1p" TAIL, "expected a value of f32"},
    {"qc1 op=quantize x=f32[]:0xp1" TAIL, "expected a value of f32"},
    {"qc1 op=quantize x=f32[]:0x1p99999999999" TAIL, "expected a value of f32"},
    {"qc1 op=quantize x=f32[]:0x1.000001p+0" TAIL, "not exactly a value of f32"},
    {"qc1 op=quantize x=f32[]:0x1p+128" TAIL, "not exactly a value of f32"},
    {"qc1 op=quantize x=f32[]:0x1p-150" TAIL, "not exactly a value of f32"},
    {"qc1 op=quantize x=f16[]:0x1p+16" TAIL, "not exactly a value of f16"},
    {"qc1 op=quantize x=bf16[]:257" TAIL, "not exactly a value of bf16"},
    {"qc1 op=quantize x=f32[]:#7fc0000" TAIL, "#8 digits"},
    {"qc1 op=quantize x=f32[]:#7fc000000" TAIL, "#8 digits"},
    {"qc1 op=quantize x=f32[]:-nan" TAIL, "expected a value of f32"},
    {"qc1 op=dequantize q=s8[]:128 scale=f32[]:1 zero_point=s32[]:0 y=f32",
     "expected s8, an integer from -128 to 127"},
    {"qc1 op=dequantize q=u8[]:-1 scale=f32[]:1 zero_point=s32[]:0 y=f32",
     "expected u8, an integer from 0 to 255"},
    {"qc1 op=quantize x=f32[]@edges" TAIL, "expected a generator: name(args)"},
    {"qc1 op=quantize x=f32[]@edges(1,2,0" TAIL, "expected a generator: name(args)"},
    {"qc1 op=quantize x=f32[]@ridges(1,2,0)" TAIL, "expected a generator: edges"},
    {"qc1 op=quantize x=f32[]@edges(1,2)" TAIL, "',' and 0 or 1 for NaN and infinities"},
    {"qc1 op=quantize x=f32[]@dense(1,2,0)" TAIL, "expected ')' and the end"},
    {"qc1 op=quantize x=f32[]@dense(99999999999999999999,2)" TAIL, "expected a seed"},
    {"qc1 op=quantize x=f32[]@codes(1,2)" TAIL, "generator codes does not make f32"},
    {"qc1 op=quantize x=f32[]:1 scale=f32[]:1 zero_point=s32[]:0 q=q8",
     "expected q=s8 or q=u8, found 'q8'"},
    {"qc1 op=quantize x=f32[]:1 scale=f32[]:1 zero_point=s32[]:0 q=s8[1]:1",
     "expected one space"},
    {"qc1 op=quantize x=f32[4]:1,1,1,1 scale=f32[]:1 zero_point=s32[]:0 q=s8{s=1x1,o=0}",
     "expected ',o='"},
    {"qc1 op=linear_s32 x_q=s8[16777216x0]: w_q=s8[16777216x0]: x_zero_point=s32[]:0"
     " w_zero_point=s32[]:0 acc=s32",
     "the output has too many elements"},
    {HEAD " =>", "expected ' q=' and a tensor, or !invalid, found the end"},
    {HEAD " => !wrong", "expected ' q=' and a tensor, or !invalid"},
    {HEAD " => !invalid ", "expected the end of the line"},
    {HEAD " => q=s8[3]:1,2,3", "expected s8[2], found 's8[3]"},
    {HEAD " => q=u8[2]:1,2", "expected s8[2], found 'u8[2]"},
    {HEAD " => q=s8[2]@codes(1,1)", "expected ':' and values"},
    {HEAD " => q=s8[2]:1", "expected ',' and 1 more values"},
    {HEAD " => q=s8[2]:1,2 q=s8[2]:1,2", "expected the end of the line"},
    {HEAD "\n", "expected one space before the next key, found '?'"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof malformed / sizeof malformed[0]; n++) {
        qc_case item;
        qc_answer answer;
        qc_message message = {""};
        const qc_status status =
            qc_case_parse(malformed[n].line, &item, &answer, &message);
        if (status != QC_INVALID || strstr(message.text, malformed[n].said) == NULL) {
            fail_msg("%s\n  status %d, said: %s\n  expected:  %s", malformed[n].line,
                     status, message.text, malformed[n].said);
        }
    }
}

/* Well-formed, though most are invalid calls: the text is canonical and comes back. */
static const char *const well_formed[] = {
    HEAD,
    ("qc1 op=quantize profile=tensorplay-doc align=16 threads=2 repeat=3 axis=-1 "
     "qmin=-127 qmax=127"
     " scale_form=multiply x=f32[2x3]{s=1x2,o=5}:0x1p+0,0x1p+1,-0x0p+0,inf,-inf,#7fc00001"
     " scale=f64[3]:0x1p+0,0x1.8p+0,0x1p-1074 zero_point=s64[3]:0,-1,1 q=s8{s=4x1,o=3}"),
    "qc1 op=quantize axis=7 x=f32[2]:0x1p+0,nan" TAIL,
    "qc1 op=quantize axis=-3 x=f32[2]:0x1p+0,nan" TAIL,
    "qc1 op=quantize qmin=5 qmax=5 x=f32[]:0x0p+0" TAIL,
    "qc1 op=quantize x=f32[0]: scale=f32[]:0x0p+0 zero_point=s32[]:0 q=s8",
    "qc1 op=quantize x=f32[]:0x0p+0 scale=f32[]:-0x1p+0 zero_point=s32[]:0 q=s8",
    "qc1 op=quantize x=f32[]:0x0p+0 scale=f32[]:nan zero_point=f32[]:inf q=s8",
    "qc1 op=quantize x=s8[]:-5 scale=s32[]:1 zero_point=u8[]:200 q=f32",
    "qc1 op=quantize x=f32[2]{s=0,o=0}:0x1p+0,0x1p+0" TAIL,
    "qc1 op=quantize x=f32[2]{s=-1,o=1}:0x1p+0,0x1p+1" TAIL,
    "qc1 op=quantize x=f32[]{s=,o=4}:0x1p+0" TAIL,
    "qc1 op=quantize x=f32[2]:0x1p+0,0x1p+1 scale=f32[]:0x1p+0 zero_point=s32[]:0 "
    "q=s8{s=0,o=0}",
    "qc1 op=fake_quantize x=bf16[2]:0x1p+0,#7fff scale=f32[]:0x1p+0 zero_point=s32[]:0 "
    "y=f64",
    "qc1 op=fake_quantize x=f16[1]:0x1p+0 scale=f32[]:0x1p+0 zero_point=s32[]:0 y=f16 "
    "mask=u8",
    ("qc1 op=quantize x=f32[64]@edges(18446744073709551615,3,1) scale=f32[]@scales(1,3)"
     " zero_point=s32[]@zero_points(1,3) q=u8"),
    ("qc1 op=quantize axis=9 x=f32[2x2]@edges(1,3,0) scale=f32[3]@scales(1,3)"
     " zero_point=f32[0]@zero_points(1,3) q=u8"),
    ("qc1 op=quantize qmin=9 qmax=1 x=f16[9]@edges(1,3,1) scale=f32[]:nan"
     " zero_point=s32[]@zero_points(1,3) q=u8"),
};

static void test_well_formed(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof well_formed / sizeof well_formed[0]; n++) {
        qc_case item;
        qc_message message = {""};
        if (qc_case_parse(well_formed[n], &item, NULL, &message) != QC_OK) {
            fail_msg("%s: %s", message.text, well_formed[n]);
        }
        char *const line = qc_case_format(&item, 0);
        assert_string_equal(line, well_formed[n]);
        round_trip(&item, 1);
        free(line);
        qc_case_free(&item);
    }
}

static const char *const answers[] = {
    HEAD " => q=s8[2]:1,-128",
    HEAD " => !invalid",
    HEAD " => !unsupported",
    HEAD,
    ("qc1 op=fake_quantize x=f16[]:0x0p+0 scale=f32[]:0x1p+0 zero_point=s32[]:0 y=f16 "
     "mask=u8 => y=f16[]:0x0p+0 mask=u8[]:1"),
};

static void test_answers(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof answers / sizeof answers[0]; n++) {
        qc_case item;
        qc_answer answer;
        qc_message message = {""};
        if (qc_case_parse(answers[n], &item, &answer, &message) != QC_OK) {
            fail_msg("%s: %s", message.text, answers[n]);
        }
        char *const line = qc_case_format(&item, 0);
        char *const tail = qc_answer_format(&item, &answer);
        assert_memory_equal(line, answers[n], strlen(line));
        assert_string_equal(tail, answers[n] + strlen(line));
        free(line);
        free(tail);
        qc_answer_free(&answer);
        qc_case_free(&item);
    }
    qc_case item;
    qc_message message = {""};
    assert_int_equal(qc_case_parse(answers[1], &item, NULL, &message), QC_INVALID);
    assert_non_null(strstr(message.text, "expected the end, no answer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values), cmocka_unit_test(test_values),
        cmocka_unit_test(test_malformed),    cmocka_unit_test(test_well_formed),
        cmocka_unit_test(test_answers),      cmocka_unit_test(test_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
