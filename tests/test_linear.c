/* SPDX-License-Identifier: Apache-2.0 */
/* The public kernels of linear: the bounds of the accumulator (W5), and what is
   refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "quantcert/kernels.h"

#define POISON 0xa5

static qc_tensor scalar_of(uint32_t dtype, void *data)
{
    return (qc_tensor){.dtype = dtype, .data = data};
}

/* One row of K places that all have the code at `code`: stride 0. */
static qc_tensor row_of(uint32_t dtype, void *code, int64_t depth)
{
    return (qc_tensor){.dtype = dtype, .rank = 2, .dims = {1, depth}, .data = code};
}

static qc_tensor matrix_of(uint32_t dtype, void *data, int64_t rows, int64_t columns)
{
    qc_tensor t = {.dtype = dtype, .rank = 2, .dims = {rows, columns}, .data = data};
    qc_tensor_contiguous(&t);
    return t;
}

static qc_tensor list_of(uint32_t dtype, void *data, int64_t count)
{
    return (qc_tensor){
        .dtype = dtype, .rank = 1, .dims = {count}, .strides = {1}, .data = data};
}

/* Codes and zero points with the product they make in every place, and the longest K
   whose sum s32 holds. */
static const struct bound {
    uint32_t dtypes[2];
    int32_t codes[2];
    int32_t zero_points[2];
    int64_t longest;
} bounds[] = {
    {{QC_S8, QC_S8}, {-128, -128}, {127, 127}, 33025},
    {{QC_S8, QC_S8}, {127, 127}, {-128, -128}, 33025},
    {{QC_U8, QC_S8}, {0, 127}, {255, -128}, 33025},
    {{QC_U8, QC_U8}, {255, 255}, {0, 0}, 33025},
    {{QC_U8, QC_U8}, {255, 0}, {0, 255}, 33025},
    {{QC_U8, QC_S8}, {255, -128}, {0, 0}, 65793},
    {{QC_S8, QC_U8}, {-128, 0}, {0, 255}, 65793},
    {{QC_S8, QC_S8}, {-128, -128}, {0, 0}, 131071},
    {{QC_U8, QC_S8}, {0, 0}, {128, -128}, 131072},
};

static int64_t sum_by_kernel(const struct bound *b, uint32_t acc_dtype, int64_t depth)
{
    uint8_t codes[2] = {(uint8_t)b->codes[0], (uint8_t)b->codes[1]};
    int32_t zero_points[2] = {b->zero_points[0], b->zero_points[1]};
    int32_t s32 = 0;
    int64_t s64 = 0;
    const qc_tensor x = row_of(b->dtypes[0], &codes[0], depth);
    const qc_tensor w = row_of(b->dtypes[1], &codes[1], depth);
    const qc_tensor x_zp = scalar_of(QC_S32, &zero_points[0]);
    const qc_tensor w_zp = scalar_of(QC_S32, &zero_points[1]);
    const qc_tensor acc =
        matrix_of(acc_dtype, acc_dtype == QC_S64 ? (void *)&s64 : &s32, 1, 1);
    const qc_linear_args args = {
        .x_q = &x, .w_q = &w, .x_zero_point = &x_zp, .w_zero_point = &w_zp};
    assert_int_equal(qc_linear_s32(&args, &acc, NULL, NULL), QC_OK);
    return acc_dtype == QC_S64 ? s64 : s32;
}

/* Below the bound both accumulators have the sum; beyond it s64 has, and s32 its low
   bits. Depths about whole blocks of the kernel, and twice the bound, which s32 never
   holds. */
static void accumulators_have_every_sum(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof bounds / sizeof bounds[0]; n++) {
        const struct bound *const b = &bounds[n];
        const int64_t product = (int64_t)(b->codes[0] - b->zero_points[0]) *
                                (b->codes[1] - b->zero_points[1]);
        const int64_t depths[] = {0,    1,    2,          1023,           1024,
                                  1025, 2049, b->longest, b->longest + 1, 2 * b->longest};
        for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
            const int64_t sum = product * depths[d];
            const int64_t wrapped = (int32_t)(uint32_t)((uint64_t)sum & UINT32_MAX);
            assert_int_equal(sum == wrapped, depths[d] <= b->longest);
            assert_int_equal(sum_by_kernel(b, QC_S64, depths[d]), sum);
            assert_int_equal(sum_by_kernel(b, QC_S32, depths[d]), wrapped);
        }
    }
}

/* A call of each op that is right, to be spoilt in one place at a time. */
static struct memory {
    int8_t x[6];
    int8_t w[6];
    int64_t x_zp;
    int32_t w_zp[2];
    double x_scale;
    float w_scale[2];
    float out_scale;
    float multiplier[2];
    int32_t fixed[2];
    int8_t shift[2];
    float bias[2];
    int32_t bias_s32[2];
    int32_t out_zp;
    unsigned char out[16];
} mem;

typedef struct call {
    qc_tensor x, w, x_zp, w_zp, x_scale, w_scale, out_scale, multiplier, shift, bias,
        out_zp;
    qc_tensor out;
    qc_linear_args args;
    qc_kernel_options options;
} call;

static void fill(call *c)
{
    mem = (struct memory){.x_scale = 0.5,
                          .w_scale = {1, 2},
                          .out_scale = 3,
                          .multiplier = {1, 0.5f},
                          .fixed = {1 << 30, 0}};
    memset(mem.out, POISON, sizeof mem.out);
    *c = (call){.x = matrix_of(QC_S8, mem.x, 2, 3),
                .w = matrix_of(QC_S8, mem.w, 2, 3),
                .x_zp = scalar_of(QC_S64, &mem.x_zp),
                .w_zp = list_of(QC_S32, mem.w_zp, 2),
                .x_scale = scalar_of(QC_F64, &mem.x_scale),
                .w_scale = list_of(QC_F32, mem.w_scale, 2),
                .out_scale = scalar_of(QC_F32, &mem.out_scale),
                .bias = list_of(QC_F32, mem.bias, 2),
                .out_zp = scalar_of(QC_S32, &mem.out_zp)};
    c->args = (qc_linear_args){
        .x_q = &c->x, .w_q = &c->w, .x_zero_point = &c->x_zp, .w_zero_point = &c->w_zp};
}

static void fill_s32(call *c)
{
    fill(c);
    c->out = matrix_of(QC_S32, mem.out, 2, 2);
}

static void fill_f32(call *c)
{
    fill(c);
    c->out = matrix_of(QC_F32, mem.out, 2, 2);
    c->args.x_scale = &c->x_scale;
    c->args.w_scale = &c->w_scale;
    c->args.bias = &c->bias;
}

static void fill_scales(call *c)
{
    fill_f32(c);
    c->out = matrix_of(QC_S8, mem.out, 2, 2);
    c->args.out_scale = &c->out_scale;
    c->args.out_zero_point = &c->out_zp;
}

static void fill_multiplier(call *c)
{
    fill_scales(c);
    c->args.x_scale = c->args.w_scale = c->args.out_scale = NULL;
    c->args.params = QC_PARAMS_multiplier;
    c->multiplier = list_of(QC_F32, mem.multiplier, 2);
    c->args.multiplier = &c->multiplier;
}

static void fill_fixed(call *c)
{
    fill_multiplier(c);
    c->args.params = QC_PARAMS_fixed;
    c->multiplier = list_of(QC_S32, mem.fixed, 2);
    c->shift = list_of(QC_S8, mem.shift, 2);
    c->bias = list_of(QC_S32, mem.bias_s32, 2);
    c->args.shift = &c->shift;
}

typedef qc_status run(const qc_linear_args *args, const qc_tensor *out,
                      const qc_kernel_options *options, qc_message *message);

/* says: the whole message. Outputs stay as they were. */
static void refused(run *op, const call *c, const char *says, int line)
{
    qc_message message = {""};
    if (op(&c->args, &c->out, &c->options, &message) != QC_INVALID ||
        strcmp(message.text, says) != 0) {
        fail_msg("line %d: '%s', expected '%s'", line, message.text, says);
    }
    for (size_t i = 0; i < sizeof mem.out; i++) {
        assert_int_equal(mem.out[i], POISON);
    }
}

#define REFUSED(op, filling, says, ...) \
    filling(&c);                        \
    __VA_ARGS__;                        \
    refused(op, &c, says, __LINE__)

static void right_calls_are_taken(void **state)
{
    (void)state;
    static const struct {
        void (*fill)(call *c);
        run *op;
    } rows[] = {{fill_s32, qc_linear_s32},
                {fill_f32, qc_quantized_linear_f32},
                {fill_scales, qc_quantized_linear},
                {fill_multiplier, qc_quantized_linear},
                {fill_fixed, qc_quantized_linear}};
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        call c;
        rows[n].fill(&c);
        assert_int_equal(rows[n].op(&c.args, &c.out, NULL, NULL), QC_OK);
        assert_int_equal(mem.out[0], 0);
        assert_int_equal(mem.out[4 * qc_dtype_bytes(c.out.dtype) - 1], 0);
    }
}

static void shapes_are_refused(void **state)
{
    (void)state;
    call c;
    REFUSED(qc_linear_s32, fill_s32, "w_q: dim 1 is 2, 3 expected", c.w.dims[1] = 2);
    REFUSED(qc_linear_s32, fill_s32, "x_q: rank 1, 2 expected", c.x.rank = 1);
    REFUSED(qc_linear_s32, fill_s32, "w_q: rank 3, 2 expected", c.w.rank = 3;
            c.w.dims[2] = 1; c.w.strides[2] = 1);
    REFUSED(qc_linear_s32, fill_s32, "w_zero_point: dim 0 is 1, 2 expected",
            c.w_zp.dims[0] = 1);
    REFUSED(qc_linear_s32, fill_s32, "x_zero_point: rank 1, 0 expected",
            c.x_zp = list_of(QC_S64, &mem.x_zp, 1));
    REFUSED(qc_linear_s32, fill_s32, "acc: dim 1 is 1, 2 expected", c.out.dims[1] = 1);
    REFUSED(qc_linear_s32, fill_s32,
            "acc: elements of an output overlap (dim 0, stride 0)", c.out.strides[0] = 0);
    REFUSED(qc_quantized_linear, fill_scales, "bias: dim 0 is 3, 2 expected",
            c.bias.dims[0] = 3;
            c.bias.strides[0] = 0);
    REFUSED(qc_quantized_linear, fill_scales, "bias: rank 0, 1 expected",
            c.bias.rank = 0);
    REFUSED(qc_quantized_linear, fill_scales, "w_scale: rank 2, 1 or 0 expected",
            c.w_scale = matrix_of(QC_F32, mem.w_scale, 1, 2));
    REFUSED(qc_quantized_linear, fill_fixed, "shift: dim 0 is 1, 2 expected",
            c.shift.dims[0] = 1);
    REFUSED(qc_quantized_linear_f32, fill_f32, "bias: dim 0 is 1, 2 expected",
            c.bias.dims[0] = 1);
}

static void dtypes_are_refused(void **state)
{
    (void)state;
    call c;
    REFUSED(qc_linear_s32, fill_s32, "x_q: dtype f32 is not taken", c.x.dtype = QC_F32);
    REFUSED(qc_linear_s32, fill_s32, "w_q: dtype s32 is not taken", c.w.dtype = QC_S32);
    REFUSED(qc_linear_s32, fill_s32, "w_zero_point: dtype f32 is not taken",
            c.w_zp.dtype = QC_F32);
    REFUSED(qc_linear_s32, fill_s32, "acc: dtype f32 is not taken", c.out.dtype = QC_F32);
    REFUSED(qc_quantized_linear, fill_scales, "w_scale: dtype f64 is not taken",
            c.w_scale = scalar_of(QC_F64, &mem.x_scale));
    REFUSED(qc_quantized_linear, fill_scales, "q: dtype s32 is not taken",
            c.out.dtype = QC_S32);
    REFUSED(qc_quantized_linear, fill_scales, "bias: dtype f64 is not taken",
            c.bias.dtype = QC_F64);
    REFUSED(qc_quantized_linear, fill_multiplier,
            "multiplier: dtype s32, f32 expected with params=multiplier",
            c.multiplier = list_of(QC_S32, mem.fixed, 2));
    REFUSED(qc_quantized_linear, fill_fixed,
            "multiplier: dtype f32, s32 expected with params=fixed",
            c.multiplier = list_of(QC_F32, mem.multiplier, 2));
    REFUSED(qc_quantized_linear, fill_fixed,
            "bias: dtype f32, s32 expected with params=fixed",
            c.bias = list_of(QC_F32, mem.bias, 2));
    REFUSED(qc_quantized_linear_f32, fill_f32, "bias: dtype s32 is not taken",
            c.bias = list_of(QC_S32, mem.bias_s32, 2));
    REFUSED(qc_quantized_linear_f32, fill_f32, "y: dtype f64 is not taken",
            c.out.dtype = QC_F64);
}

static void values_are_refused(void **state)
{
    (void)state;
    call c;
    REFUSED(qc_linear_s32, fill_s32, "x_zero_point[0]: 128, -128 ... 127 expected",
            mem.x_zp = 128);
    REFUSED(qc_linear_s32, fill_s32, "x_zero_point[0]: -1, 0 ... 255 expected",
            c.x.dtype = QC_U8;
            mem.x_zp = -1);
    REFUSED(qc_linear_s32, fill_s32, "w_zero_point[1]: -129, -128 ... 127 expected",
            mem.w_zp[1] = -129);
    REFUSED(qc_linear_s32, fill_s32, "w_zero_point[1]: 256, 0 ... 255 expected",
            c.w.dtype = QC_U8;
            mem.w_zp[1] = 256);
    REFUSED(qc_quantized_linear, fill_scales,
            "out_zero_point[0]: 128, -128 ... 127 expected", mem.out_zp = 128);
    REFUSED(qc_quantized_linear, fill_scales, "out_zero_point[0]: 9, -8 ... 7 expected",
            c.options = (qc_kernel_options){.narrow = 1, .qmin = -8, .qmax = 7};
            mem.out_zp = 9);
    REFUSED(qc_quantized_linear, fill_scales,
            "x_scale[0]: 0, above 0 ... 1.79769e+308 expected", mem.x_scale = 0);
    REFUSED(qc_quantized_linear, fill_scales,
            "w_scale[1]: nan, above 0 ... 1.79769e+308 expected", mem.w_scale[1] = NAN);
    REFUSED(qc_quantized_linear, fill_scales,
            "out_scale[0]: inf, above 0 ... 1.79769e+308 expected",
            mem.out_scale = INFINITY);
    REFUSED(qc_quantized_linear, fill_multiplier,
            "multiplier[1]: -1, above 0 ... 1.79769e+308 expected",
            mem.multiplier[1] = -1);
    REFUSED(qc_quantized_linear, fill_fixed,
            "multiplier[1]: -1, 0 ... 2.14748e+09 expected", mem.fixed[1] = -1);
    REFUSED(qc_quantized_linear_f32, fill_f32,
            "bias[1]: inf, -3.40282e+38 ... 3.40282e+38 expected",
            mem.bias[1] = INFINITY);
    REFUSED(qc_quantized_linear, fill_scales, "qmin, qmax: 3 ... 3 is no grid of s8",
            c.options = (qc_kernel_options){.narrow = 1, .qmin = 3, .qmax = 3});
}

static void wrong_sets_of_arguments_are_refused(void **state)
{
    (void)state;
    call c;
    REFUSED(qc_linear_s32, fill_s32, "x_q: missing", c.args.x_q = NULL);
    REFUSED(qc_linear_s32, fill_s32, "w_zero_point: missing", c.args.w_zero_point = NULL);
    REFUSED(qc_linear_s32, fill_s32, "bias: not taken by linear_s32",
            c.args.bias = &c.bias);
    REFUSED(qc_quantized_linear_f32, fill_f32,
            "out_scale: not taken by quantized_linear_f32",
            c.args.out_scale = &c.out_scale);
    REFUSED(qc_quantized_linear_f32, fill_f32, "w_scale: missing", c.args.w_scale = NULL);
    REFUSED(qc_quantized_linear, fill_scales, "out_scale: missing with params=scales",
            c.args.out_scale = NULL);
    REFUSED(qc_quantized_linear, fill_multiplier,
            "x_scale: not taken with params=multiplier", c.args.x_scale = &c.x_scale);
    REFUSED(qc_quantized_linear, fill_multiplier,
            "multiplier: missing with params=multiplier", c.args.multiplier = NULL);
    REFUSED(qc_quantized_linear, fill_fixed, "shift: missing with params=fixed",
            c.args.shift = NULL);
    REFUSED(qc_quantized_linear, fill_scales,
            "params: scales, multiplier or fixed expected",
            c.args.params = QC_PARAMS_real);
    REFUSED(qc_quantized_linear, fill_scales, "out_zero_point: missing",
            c.args.out_zero_point = NULL);
    fill_s32(&c);
    qc_message message = {""};
    assert_int_equal(qc_linear_s32(NULL, &c.out, NULL, &message), QC_INVALID);
    assert_string_equal(message.text, "args: missing");
    assert_int_equal(qc_linear_s32(&c.args, NULL, NULL, &message), QC_INVALID);
    assert_string_equal(message.text, "acc: missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accumulators_have_every_sum),
        cmocka_unit_test(right_calls_are_taken),
        cmocka_unit_test(shapes_are_refused),
        cmocka_unit_test(dtypes_are_refused),
        cmocka_unit_test(values_are_refused),
        cmocka_unit_test(wrong_sets_of_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
