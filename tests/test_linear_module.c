/* SPDX-License-Identifier: Apache-2.0 */
/* The linear module: packing, running, from_float, and what each of them refuses. */
#include "module_calls.h"

#include <stdlib.h>

#include "cases/cases.h"
#include "oracles/oracles.h"

enum { M = 5, N = 3, K = 37 };

/* What a module is packed from, one thing wrong at a time. */
typedef struct layer {
    int8_t w[N * K];
    float w_scale[N];
    int64_t w_zp[N];
    float bias[N];
    double x_scale;
    double out_scale;
    int64_t x_zp;
    int64_t out_zp;
    qc_tensor t[8];
    qc_linear_args args;
    qc_kernel_options options;
} layer;

static layer *good(void)
{
    static layer l;
    l = (layer){.w_scale = {0.5f, 0x1.99999ap-2f, 0.7f},
                .w_zp = {0, -128, 127},
                .bias = {500.5f, -3000, 0},
                .x_scale = 0.1,
                .out_scale = 97.3,
                .x_zp = -3,
                .out_zp = 5};
    for (int i = 0; i < N * K; i++) {
        l.w[i] = (int8_t)qc_random_at(3, 0, (uint64_t)i);
    }
    const qc_tensor tensors[8] = {
        matrix(QC_S8, l.w, N, K),     row(QC_F32, l.w_scale, N),  row(QC_S64, l.w_zp, N),
        row(QC_F32, l.bias, N),       scalar(QC_F64, &l.x_scale), scalar(QC_S64, &l.x_zp),
        scalar(QC_F64, &l.out_scale), scalar(QC_S64, &l.out_zp)};
    memcpy(l.t, tensors, sizeof tensors);
    l.args = (qc_linear_args){.w_q = &l.t[0],
                              .w_scale = &l.t[1],
                              .w_zero_point = &l.t[2],
                              .bias = &l.t[3],
                              .x_scale = &l.t[4],
                              .x_zero_point = &l.t[5],
                              .out_scale = &l.t[6],
                              .out_zero_point = &l.t[7]};
    return &l;
}

static qc_linear_module *packed(const layer *l)
{
    qc_linear_module *module = NULL;
    TAKEN(qc_linear_module_pack(&l->args, &l->options, &module, &message));
    return module;
}

static int8_t x_codes[M * K];
static int8_t q_codes[M * N];

static void inputs_make(void)
{
    for (int i = 0; i < M * K; i++) {
        x_codes[i] = (int8_t)qc_random_at(5, 0, (uint64_t)i);
    }
    memset(q_codes, 0x55, sizeof q_codes);
}

static void run(const qc_linear_module *module)
{
    const qc_tensor x = matrix(QC_S8, x_codes, M, K);
    const qc_tensor q = matrix(QC_S8, q_codes, M, N);
    inputs_make();
    TAKEN(qc_linear_module_run(module, &x, NULL, NULL, &q, &message));
}

/* What MPFR says of the module's own arguments and x_codes. */
static void outputs_are_right(const qc_linear_module *module, const char *profile)
{
    const qc_linear_args *const args = qc_linear_module_args(module);
    qc_expected expected[M * N];
    qc_oracle *oracle;
    qc_call call;
    qc_call_init(&call, QC_OP_quantized_linear);
    call.profile = profile;
    call.args[QC_ARG_OF(quantized_linear, x_q)] = matrix(QC_S8, x_codes, M, K);
    call.args[QC_ARG_OF(quantized_linear, w_q)] = *args->w_q;
    call.args[QC_ARG_OF(quantized_linear, x_zero_point)] = *args->x_zero_point;
    call.args[QC_ARG_OF(quantized_linear, w_zero_point)] = *args->w_zero_point;
    call.args[QC_ARG_OF(quantized_linear, x_scale)] = *args->x_scale;
    call.args[QC_ARG_OF(quantized_linear, w_scale)] = *args->w_scale;
    call.args[QC_ARG_OF(quantized_linear, out_scale)] = *args->out_scale;
    call.args[QC_ARG_OF(quantized_linear, out_zero_point)] = *args->out_zero_point;
    if (args->bias) {
        call.args[QC_ARG_OF(quantized_linear, bias)] = *args->bias;
    }
    call.args[QC_ARG_OF(quantized_linear, q)] = matrix(QC_S8, q_codes, M, N);
    TAKEN(qc_oracle_open(&call, NULL, QC_ORACLE_MPFR, &oracle, &message));
    qc_oracle_expect(oracle, QC_ARG_OF(quantized_linear, q), 0, M * N, expected);
    qc_oracle_close(oracle);
    for (int i = 0; i < M * N; i++) {
        assert_int_equal(expected[i].kind, QC_EXPECT_VALUE);
        assert_int_equal((uint8_t)q_codes[i], expected[i].bits);
    }
}

static void runs_are_exact(void **unused)
{
    (void)unused;
    static const char *const profiles[2] = {"ideal", "tensorplay-doc"};
    for (int n = 0; n < 4; n++) {
        layer *const l = good();
        l->options.profile = profiles[n % 2];
        l->args.bias = n < 2 ? l->args.bias : NULL;
        qc_linear_module *const module = packed(l);
        run(module);
        outputs_are_right(module, profiles[n % 2]);
        qc_linear_module_close(module);
    }
}

/* A sum beyond s32 is exact: K = 66,051 of 255 * -255, in codes one for each 2^24. */
static void sums_do_not_wrap(void **unused)
{
    (void)unused;
    enum { DEEP = 66051 };
    layer *const l = good();
    int8_t *const ends = malloc(DEEP);
    qc_linear_module *module;
    int8_t q[N];
    assert_non_null(ends);
    memset(ends, -128, DEEP);
    float one[N] = {1, 1, 1};
    int64_t zero_points[N] = {127, 0, -128};
    const qc_tensor w = {
        .dtype = QC_S8, .rank = 2, .dims = {N, DEEP}, .strides = {0, 1}, .data = ends};
    const qc_tensor x = matrix(QC_S8, ends, 1, DEEP);
    const qc_tensor out = matrix(QC_S8, q, 1, N);
    const qc_tensor scale = row(QC_F32, one, N);
    const qc_tensor zero_point = row(QC_S64, zero_points, N);
    l->args.w_q = &w;
    l->args.w_scale = &scale;
    l->args.w_zero_point = &zero_point;
    l->args.bias = NULL;
    l->x_scale = 1;
    l->x_zp = 127;
    l->out_scale = 0x1p26;
    l->out_zp = 0;
    module = packed(l);
    TAKEN(qc_linear_module_run(module, &x, NULL, NULL, &out, &message));
    /* 65025 K = 4,294,966,275; 32640 K = 2,155,904,640 = 32.13 2^26; 0 */
    assert_true(q[0] == 64 && q[1] == 32 && q[2] == 0);
    qc_linear_module_close(module);
    free(ends);
}

static void holds(const qc_linear_module *module, const layer *l)
{
    const qc_linear_args *const args = qc_linear_module_args(module);
    assert_memory_equal(args->w_q->data, l->w, sizeof l->w);
    assert_memory_equal(args->w_scale->data, l->w_scale, sizeof l->w_scale);
    assert_memory_equal(args->w_zero_point->data, l->w_zp, sizeof l->w_zp);
    assert_memory_equal(args->bias->data, l->bias, sizeof l->bias);
    assert_true(*(double *)args->x_scale->data == l->x_scale);
    assert_int_equal(*(int64_t *)args->x_zero_point->data, l->x_zp);
    assert_true(*(double *)args->out_scale->data == l->out_scale);
    assert_int_equal(*(int64_t *)args->out_zero_point->data, l->out_zp);
}

/* A module holds what it was packed from, whatever becomes of that memory; and another packed
   from the same memory holds what stands there now. */
static void weights_are_copied(void **unused)
{
    (void)unused;
    layer *const l = good();
    const layer old = *l;
    qc_linear_module *const first = packed(l);
    int8_t before[M * N];
    run(first);
    memcpy(before, q_codes, sizeof before);
    for (int i = 0; i < N * K; i++) {
        l->w[i] = (int8_t)(l->w[i] / 2);
    }
    l->w_scale[0] = 7;
    l->w_zp[1] = 0;
    l->bias[2] = 9000;
    l->x_scale = 0.3;
    l->x_zp = 0;
    l->out_scale = 130.5;
    l->out_zp = -1;
    qc_linear_module *const second = packed(l);
    run(first);
    assert_memory_equal(q_codes, before, sizeof before);
    outputs_are_right(first, "ideal");
    run(second);
    assert_memory_not_equal(q_codes, before, sizeof before);
    outputs_are_right(second, "ideal");
    holds(first, &old);
    holds(second, l);
    qc_linear_module_close(first);
    qc_linear_module_close(second);
}

/* Strided weights, parameters of rank 0, s32 zero points, and the grid of the output. */
static void packs_any_layout(void **unused)
{
    (void)unused;
    layer *const l = good();
    float scale = 0.25f;
    int32_t zero_point = -7;
    const qc_tensor w = {.dtype = QC_S8,
                         .rank = 2,
                         .dims = {N, K - 2},
                         .strides = {1, 3},
                         .offset = 4,
                         .data = l->w};
    l->t[0] = w;
    l->t[1] = scalar(QC_F32, &scale);
    l->t[2] = scalar(QC_S32, &zero_point);
    l->options = (qc_kernel_options){.narrow = 1, .qmin = -100, .qmax = 100};
    qc_linear_module *const module = packed(l);
    const qc_linear_args *const args = qc_linear_module_args(module);
    assert_true(qc_tensor_is_contiguous(args->w_q));
    for (int n = 0; n < N; n++) {
        for (int k = 0; k < K - 2; k++) {
            assert_int_equal(((int8_t *)args->w_q->data)[n * (K - 2) + k],
                             l->w[4 + n + 3 * k]);
        }
        assert_true(((float *)args->w_scale->data)[n] == 0.25f);
        assert_int_equal(((int64_t *)args->w_zero_point->data)[n], -7);
    }
    inputs_make();
    const qc_tensor x = matrix(QC_S8, x_codes, M, K - 2);
    const qc_tensor q = matrix(QC_S8, q_codes, M, N);
    TAKEN(qc_linear_module_run(module, &x, NULL, NULL, &q, &message));
    for (int i = 0; i < M * N; i++) {
        assert_in_range(q_codes[i] + 100, 0, 200);
    }
    qc_linear_module_close(module);
}

static void pack_refuses(void **unused)
{
    (void)unused;
    qc_linear_module *module = NULL;
    layer *l;
#define PACK_REFUSED(words, ...)                                                         \
    l = good();                                                                          \
    __VA_ARGS__;                                                                         \
    module = (qc_linear_module *)l;                                                      \
    REFUSED(QC_INVALID, qc_linear_module_pack(&l->args, &l->options, &module, &message), \
            words);                                                                      \
    assert_null(module)
    PACK_REFUSED("w_q: missing", l->args.w_q = NULL);
    PACK_REFUSED("w_q: u8, s8 codes expected; quantize first", l->t[0].dtype = QC_U8);
    PACK_REFUSED("w_q: rank 1, a linear's [N,K] expected", l->t[0].rank = 1);
    PACK_REFUSED("w_q: a dim is negative", l->t[0].dims[1] = -1);
    PACK_REFUSED("w_scale: missing", l->args.w_scale = NULL);
    PACK_REFUSED("w_scale: dim 0 is 2, 3 expected", l->t[1].dims[0] = 2);
    PACK_REFUSED("w_scale: dtype f64 is not taken", l->t[1].dtype = QC_F64);
    PACK_REFUSED("w_scale[2]", l->w_scale[2] = NAN);
    PACK_REFUSED("w_zero_point: missing", l->args.w_zero_point = NULL);
    PACK_REFUSED("w_zero_point[1]: 128", l->w_zp[1] = 128);
    PACK_REFUSED("bias: dim 0 is 4, 3 expected", l->t[3].dims[0] = 4);
    PACK_REFUSED("bias: dtype s32, f32 expected", l->t[3].dtype = QC_S32);
    PACK_REFUSED("bias[0]", l->bias[0] = INFINITY);
    PACK_REFUSED("x_scale: missing", l->args.x_scale = NULL);
    PACK_REFUSED("x_scale[0]", l->x_scale = 0);
    PACK_REFUSED("x_zero_point: missing", l->args.x_zero_point = NULL);
    PACK_REFUSED("x_zero_point[0]: -129", l->x_zp = -129);
    PACK_REFUSED("out_scale: missing", l->args.out_scale = NULL);
    PACK_REFUSED("out_zero_point[0]: 200", l->out_zp = 200);
    PACK_REFUSED("params: 1", l->args.params = QC_PARAMS_multiplier);
    PACK_REFUSED("x_q: not taken by pack", l->args.x_q = &l->t[0]);
    PACK_REFUSED("profile", l->options.profile = "fbgemm");
#undef PACK_REFUSED
}

/* A packed module used with other shapes and inputs; nothing is written. */
static void run_refuses(void **unused)
{
    (void)unused;
    layer *const l = good();
    qc_linear_module *const module = packed(l);
    double scale = 0.1;
    int64_t zero_point = -3;
    float narrow = 0.1f;
    const qc_tensor s = scalar(QC_F64, &scale);
    const qc_tensor s_f32 = scalar(QC_F32, &narrow);
    const qc_tensor z = scalar(QC_S64, &zero_point);
    const qc_tensor x = matrix(QC_S8, x_codes, M, K);
    qc_tensor bad = x;
    qc_tensor q = matrix(QC_S8, q_codes, M, N);
    inputs_make();
#define RUN_REFUSED(words, ...) \
    REFUSED(QC_INVALID, qc_linear_module_run(module, __VA_ARGS__, &message), words)
    RUN_REFUSED("x_q: missing", NULL, NULL, NULL, &q);
    bad.dtype = QC_F32;
    RUN_REFUSED("x_q: f32, s8 codes expected; quantize first", &bad, NULL, NULL, &q);
    bad.dtype = QC_U8;
    RUN_REFUSED("quantize first", &bad, NULL, NULL, &q);
    bad = matrix(QC_S8, x_codes, M, K - 1);
    RUN_REFUSED("x_q: K is 36, that of the module expected, 37", &bad, NULL, NULL, &q);
    bad = row(QC_S8, x_codes, K);
    RUN_REFUSED("x_q: rank 1, 2 expected", &bad, NULL, NULL, &q);
    RUN_REFUSED("x_zero_point: missing beside x_scale", &x, &s, NULL, &q);
    RUN_REFUSED("x_scale: missing beside x_zero_point", &x, NULL, &z, &q);
    RUN_REFUSED("x_scale: 0.10000000149011612, that of the module expected", &x, &s_f32,
                &z, &q);
    RUN_REFUSED("x_zero_point: f64 of rank 0, s32 or s64", &x, &s, &s, &q);
    zero_point = -4;
    RUN_REFUSED("x_zero_point: -4, that of the module expected, -3", &x, &s, &z, &q);
    RUN_REFUSED("q: missing", &x, NULL, NULL, NULL);
    q.dtype = QC_U8;
    RUN_REFUSED("q: dtype u8, s8 expected", &x, NULL, NULL, &q);
    q = matrix(QC_S8, q_codes, M, N - 1);
    RUN_REFUSED("q: dim 1 is 2, 3 expected", &x, NULL, NULL, &q);
    q = matrix(QC_S8, q_codes, M - 1, N);
    RUN_REFUSED("q: dim 0 is 4, 5 expected", &x, NULL, NULL, &q);
    for (int i = 0; i < M * N; i++) {
        assert_int_equal(q_codes[i], 0x55);
    }
    zero_point = -3;
    q = matrix(QC_S8, q_codes, M, N);
    TAKEN(qc_linear_module_run(module, &x, &s, &z, &q, &message));
    outputs_are_right(module, "ideal");
    q.dims[0] = bad.dims[0] = 0; /* no rows, another M */
    bad = matrix(QC_S8, NULL, 0, K);
    TAKEN(qc_linear_module_run(module, &bad, NULL, NULL, &q, &message));
    qc_linear_module_close(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_exact),     cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(weights_are_copied), cmocka_unit_test(packs_any_layout),
        cmocka_unit_test(pack_refuses),       cmocka_unit_test(run_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
