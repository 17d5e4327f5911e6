/* SPDX-License-Identifier: Apache-2.0 */
/* qc_linear_module_from_float: where parameters come from, and what it says when they are
   missing. */
#include "module_calls.h"

enum { N = 3, K = 3 };

/* A float layer with explicit parameters, one thing changed at a time. */
typedef struct layer {
    float w[N * K];
    float bias[N];
    double scales[2];
    int64_t zero_points[2];
    qc_tensor t[6];
    qc_linear_float from;
    qc_kernel_options options;
} layer;

static layer *good(void)
{
    static layer l;
    l = (layer){.w = {-128, 127, 2.5f, 0, 0, 0, -1, 1, 0.5f},
                .bias = {1, 2, 3},
                .scales = {0.5, 2},
                .zero_points = {-1, 3}};
    const qc_tensor tensors[6] = {
        matrix(QC_F32, l.w, N, K),    row(QC_F32, l.bias, N),
        scalar(QC_F64, &l.scales[0]), scalar(QC_S64, &l.zero_points[0]),
        scalar(QC_F64, &l.scales[1]), scalar(QC_S64, &l.zero_points[1])};
    memcpy(l.t, tensors, sizeof tensors);
    l.from = (qc_linear_float){.weight = &l.t[0],
                               .bias = &l.t[1],
                               .x_scale = &l.t[2],
                               .x_zero_point = &l.t[3],
                               .out_scale = &l.t[4],
                               .out_zero_point = &l.t[5]};
    return &l;
}

static qc_linear_module *made(const layer *l)
{
    qc_linear_module *module = NULL;
    TAKEN(qc_linear_module_from_float(&l->from, &l->options, &module, &message));
    return module;
}

static void codes_are(const qc_linear_module *module, const int8_t codes[N * K])
{
    assert_memory_equal(qc_linear_module_args(module)->w_q->data, codes, N * K);
}

static void params_are(const qc_linear_module *module, int n, float scale,
                       int64_t zero_point)
{
    const qc_linear_args *const args = qc_linear_module_args(module);
    assert_true(((float *)args->w_scale->data)[n] == scale);
    assert_int_equal(((int64_t *)args->w_zero_point->data)[n], zero_point);
}

/* Rule 5: the zero point of [-1, 1] from the stored scale, or as documented from the double
   one (A14). A row of zeros has scale 1. */
static void rows_have_their_ranges(void **unused)
{
    (void)unused;
    for (int doc = 0; doc < 2; doc++) {
        layer *const l = good();
        const int8_t ideal[N * K] = {-128, 127, 2, -128, -128, -128, -128, 126, 63};
        const int8_t documented[N * K] = {-128, 127, 2, -128, -128, -128, -127, 127, 64};
        l->options.profile = doc ? "tensorplay-doc" : NULL;
        qc_linear_module *const module = made(l);
        params_are(module, 0, 1, 0);
        params_are(module, 1, 1, -128);
        params_are(module, 2, (float)(2.0 / 255), doc ? 0 : -1);
        codes_are(module, doc ? documented : ideal);
        /* row 0, x = 2: (-128 + 127 + 2) 2 + 1 = 3, by 2 1.5: 2 + 3; row 1 0 + 2: 1 + 3 */
        int8_t x[K] = {3, 3, 3};
        int8_t q[N];
        const qc_tensor in = matrix(QC_S8, x, 1, K);
        const qc_tensor out = matrix(QC_S8, q, 1, N);
        TAKEN(qc_linear_module_run(module, &in, NULL, NULL, &out, &message));
        assert_true(q[0] == 5 && q[1] == 4 && q[2] == 5);
        qc_linear_module_close(module);
    }
}

static qc_range_observer *observed(const qc_range_observer_options *options, float low,
                                   float high)
{
    float x[2] = {low, high};
    const qc_tensor batch = row(QC_F32, x, 2);
    qc_range_observer *observer = NULL;
    TAKEN(qc_range_observer_open(options, &observer, &message));
    TAKEN(qc_range_observer_record(observer, &batch, &message));
    return observer;
}

static void observers_give_what_is_not_explicit(void **unused)
{
    (void)unused;
    layer *const l = good();
    const qc_range_observer_options narrow = {.scale_dtype = QC_F32};
    l->from.x_observer = observed(NULL, -64, 191);
    l->from.out_observer = observed(&narrow, -1, 1);
    qc_linear_module *module = made(l); /* explicit ones go before */
    assert_true(*(double *)qc_linear_module_args(module)->x_scale->data == 0.5);
    qc_linear_module_close(module);
    l->from.x_scale = l->from.x_zero_point = NULL;
    l->from.out_scale = l->from.out_zero_point = NULL;
    module = made(l);
    const qc_linear_args *const args = qc_linear_module_args(module);
    assert_true(*(double *)args->x_scale->data == 1);
    assert_int_equal(*(int64_t *)args->x_zero_point->data, -64);
    assert_true(*(double *)args->out_scale->data == (float)(2.0 / 255));
    assert_int_equal(*(int64_t *)args->out_zero_point->data, -1);
    qc_linear_module_close(module);
    qc_range_observer_close(l->from.x_observer);
    qc_range_observer_close(l->from.out_observer);
}

/* dequantize(codes) is what the quantizer's forward gave in training, bit for bit. */
static void codes_are_those_of_training(const qc_linear_module *module,
                                        qc_fake_quantizer *quantizer, layer *l)
{
    const qc_linear_args *const args = qc_linear_module_args(module);
    const qc_kernel_options by_row = {.per_channel = 1};
    float trained[N * K];
    float kept[N * K];
    const qc_tensor y = matrix(QC_F32, trained, N, K);
    const qc_tensor back = matrix(QC_F32, kept, N, K);
    TAKEN(qc_fake_quantizer_forward(quantizer, &l->t[0], &y, NULL, &message));
    TAKEN(qc_dequantize(args->w_q, args->w_scale, args->w_zero_point, &back, &by_row,
                        &message));
    assert_memory_equal(trained, kept, sizeof kept);
}

static void a_trained_grid_per_channel(void **unused)
{
    (void)unused;
    layer *const l = good();
    const qc_fake_quantizer_options options = {
        .observer = {.per_channel = 1, .narrow = 1, .qmin = -7, .qmax = 7}};
    float earlier[N * K] = {-384, 366, 0, -1, 13, 0, 0, 0, 0};
    const qc_tensor batch = matrix(QC_F32, earlier, N, K);
    TAKEN(qc_fake_quantizer_open(&options, &l->from.weight_quantizer, &message));
    TAKEN(qc_fake_quantizer_record(l->from.weight_quantizer, &batch, &message));
    qc_linear_module *const module = made(l);
    params_are(module, 0, 750.0f / 14, 0);
    params_are(module, 1, 1, -6);        /* of the earlier batch alone */
    params_are(module, 2, 2.0f / 14, 0); /* and of the weight alone, fed once more */
    codes_are_those_of_training(module, l->from.weight_quantizer, l);
    codes_are(module, (int8_t[N * K]){-2, 2, 0, -6, -6, -6, -7, 7, 3});
    qc_linear_module_close(module);
    qc_fake_quantizer_close(l->from.weight_quantizer);
}

/* One for all rows; frozen, it is not fed. A scale in f64 is held in f32. */
static void a_trained_grid_per_tensor(void **unused)
{
    (void)unused;
    for (int is_f32 = 0; is_f32 < 2; is_f32++) {
        layer *const l = good();
        const qc_fake_quantizer_options options = {
            .observer = {.narrow = 1,
                         .qmin = -100,
                         .qmax = 100,
                         .scale_dtype = is_f32 ? QC_F32 : QC_NONE}};
        float earlier[2] = {-1, 2};
        const qc_tensor batch = row(QC_F32, earlier, 2);
        TAKEN(qc_fake_quantizer_open(&options, &l->from.weight_quantizer, &message));
        TAKEN(qc_fake_quantizer_record(l->from.weight_quantizer, &batch, &message));
        TAKEN(qc_fake_quantizer_freeze(l->from.weight_quantizer, &message));
        qc_linear_module *const module = made(l);
        for (int n = 0; n < N; n++) {
            params_are(module, n, (float)(3.0 / 200), -33);
        }
        codes_are(module, (int8_t[N * K]){-100, 100, 100, -33, -33, -33, -100, 34, 0});
        if (is_f32) {
            codes_are_those_of_training(module, l->from.weight_quantizer, l);
        }
        qc_linear_module_close(module);
        qc_fake_quantizer_close(l->from.weight_quantizer);
    }
}

#define FLOAT_REFUSED(words)                                                           \
    do {                                                                               \
        qc_linear_module *module = (qc_linear_module *)l;                              \
        REFUSED(QC_INVALID,                                                            \
                qc_linear_module_from_float(&l->from, &l->options, &module, &message), \
                words);                                                                \
        assert_null(module);                                                           \
    } while (0)

static void missing_parameters_are_named(void **unused)
{
    (void)unused;
    layer *l = good();
    l->from.x_scale = NULL;
    FLOAT_REFUSED("x_scale: missing beside x_zero_point");
    l->from.x_zero_point = NULL;
    FLOAT_REFUSED("missing: x_scale and x_zero_point, or x_observer");
    l->from.out_zero_point = NULL;
    FLOAT_REFUSED("out_zero_point: missing beside out_scale");
    l->from.out_scale = NULL;
    FLOAT_REFUSED("missing: x_scale and x_zero_point, or x_observer; out_scale and "
                  "out_zero_point, or out_observer");
    l = good();
    l->from.out_scale = l->from.out_zero_point = NULL;
    FLOAT_REFUSED("missing: out_scale and out_zero_point, or out_observer");
    qc_range_observer *observer = NULL;
    TAKEN(qc_range_observer_open(NULL, &observer, &message));
    l->from.out_observer = observer;
    FLOAT_REFUSED("out_observer: nothing was observed");
    qc_range_observer_close(observer);
    l->from.out_observer = observer = observed(NULL, -INFINITY, 1);
    FLOAT_REFUSED("out_observer: min[0]");
    qc_range_observer_close(observer);
    const qc_range_observer_options by_channel = {.per_channel = 1};
    l->from.out_observer = observer = observed(&by_channel, 0, 1);
    FLOAT_REFUSED("out_observer: per channel, one per tensor expected");
    qc_range_observer_close(observer);
    const qc_range_observer_options unsigned_codes = {
        .narrow = 1, .qmin = 0, .qmax = 255};
    l->from.out_observer = observer = observed(&unsigned_codes, -3, 1);
    FLOAT_REFUSED("out_zero_point[0]: 191");
    qc_range_observer_close(observer);
}

static void what_is_no_linear_is_refused(void **unused)
{
    (void)unused;
    layer *l = good();
    l->from.weight = NULL;
    FLOAT_REFUSED("weight: missing");
    l = good();
    l->t[0].rank = 3;
    l->t[0].dims[2] = 1;
    FLOAT_REFUSED("weight: rank 3, a linear's [N,K] expected");
    l = good();
    l->t[0].dtype = QC_S8;
    FLOAT_REFUSED("weight: s8, f32, f64, f16 or bf16 expected");
    l = good();
    l->t[0].dims[0] = -3;
    FLOAT_REFUSED("weight: a dim is negative");
    l = good();
    l->t[1].dims[0] = 2;
    FLOAT_REFUSED("bias: dim 0 is 2, 3 expected");
    l = good();
    l->w[4] = INFINITY;
    FLOAT_REFUSED("weight: max[1]");
    l = good();
    l->w[3] = l->w[4] = l->w[5] = NAN;
    FLOAT_REFUSED("weight: channel 1: nothing was observed");
    l = good();
    l->options.profile = "onnx";
    FLOAT_REFUSED("profile");
}

static void quantizers_of_another_shape_are_refused(void **unused)
{
    (void)unused;
    layer *const l = good();
    qc_fake_quantizer_options options = {.observer = {.per_channel = 1, .axis = 1}};
    TAKEN(qc_fake_quantizer_open(&options, &l->from.weight_quantizer, &message));
    FLOAT_REFUSED("weight_quantizer: axis 1, 0 expected");
    qc_fake_quantizer_close(l->from.weight_quantizer);
    float s[2] = {1, 1};
    int64_t z[2] = {0, 0};
    const qc_tensor scale = row(QC_F32, s, 2);
    const qc_tensor zero_point = row(QC_S64, z, 2);
    options = (qc_fake_quantizer_options){
        .observer = {.per_channel = 1}, .scale = &scale, .zero_point = &zero_point};
    TAKEN(qc_fake_quantizer_open(&options, &l->from.weight_quantizer, &message));
    FLOAT_REFUSED("weight_quantizer: 2 channels, one a row expected, 3");
    qc_fake_quantizer_close(l->from.weight_quantizer);
    TAKEN(qc_fake_quantizer_open(NULL, &l->from.weight_quantizer, &message));
    qc_fake_quantizer_disable_observer(l->from.weight_quantizer);
    FLOAT_REFUSED("weight_quantizer: nothing was observed");
    qc_fake_quantizer_close(l->from.weight_quantizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_their_ranges),
        cmocka_unit_test(observers_give_what_is_not_explicit),
        cmocka_unit_test(a_trained_grid_per_channel),
        cmocka_unit_test(a_trained_grid_per_tensor),
        cmocka_unit_test(missing_parameters_are_named),
        cmocka_unit_test(what_is_no_linear_is_refused),
        cmocka_unit_test(quantizers_of_another_shape_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
