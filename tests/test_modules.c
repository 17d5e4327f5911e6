/* SPDX-License-Identifier: Apache-2.0 */
/* The fake quantizer: its life, its refusals, and each detail in which it parts from the
   documentation's own code. */
#include "module_calls.h"

#include <stdlib.h>

static qc_fake_quantizer *opened(const qc_fake_quantizer_options *options)
{
    qc_fake_quantizer *quantizer = NULL;
    TAKEN(qc_fake_quantizer_open(options, &quantizer, &message));
    return quantizer;
}

/* The parameters of a quantizer per tensor whose scales are f64. */
static void parameters(qc_fake_quantizer *quantizer, double *scale, int64_t *zero_point)
{
    const qc_tensor s = scalar(QC_F64, scale);
    const qc_tensor z = scalar(QC_S64, zero_point);
    TAKEN(qc_fake_quantizer_calculate_qparams(quantizer, &s, &z, &message));
}

static void parameters_are(qc_fake_quantizer *quantizer, double scale, int64_t zero_point)
{
    double s = -1;
    int64_t z = -999;
    parameters(quantizer, &s, &z);
    assert_true(s == scale);
    assert_int_equal(z, zero_point);
}

static void record(qc_fake_quantizer *quantizer, float low, float high)
{
    float x[2] = {low, high};
    const qc_tensor batch = row(QC_F32, x, 2);
    TAKEN(qc_fake_quantizer_record(quantizer, &batch, &message));
}

static void records_and_forgets_nothing(void **unused)
{
    (void)unused;
    qc_fake_quantizer *const quantizer = opened(NULL);
    double s = 7;
    int64_t z = 7;
    const qc_tensor scale = scalar(QC_F64, &s);
    const qc_tensor zero_point = scalar(QC_S64, &z);
    const qc_tensor narrow = scalar(QC_F32, &s);
    REFUSED(QC_INVALID,
            qc_fake_quantizer_calculate_qparams(quantizer, &scale, &zero_point, &message),
            "nothing was observed");
    record(quantizer, NAN, NAN);
    REFUSED(QC_INVALID,
            qc_fake_quantizer_calculate_qparams(quantizer, &scale, &zero_point, &message),
            "nothing was observed");
    record(quantizer, 0, 2);
    record(quantizer, -1, 0.5f);
    parameters_are(quantizer, 3.0 / 255, -43);
    record(quantizer, NAN, 0); /* in front of a value, and alone */
    record(quantizer, NAN, NAN);
    parameters_are(quantizer, 3.0 / 255, -43);
    s = z = 7;
    REFUSED(
        QC_INVALID,
        qc_fake_quantizer_calculate_qparams(quantizer, &narrow, &zero_point, &message),
        "scale: dtype f32, f64 expected");
    REFUSED(QC_INVALID,
            qc_fake_quantizer_calculate_qparams(quantizer, &scale, NULL, &message),
            "zero_point: missing");
    record(quantizer, INFINITY, 0);
    REFUSED(QC_INVALID,
            qc_fake_quantizer_calculate_qparams(quantizer, &scale, &zero_point, &message),
            "inf");
    assert_true(s == 7 && z == 7);
    qc_fake_quantizer_close(quantizer);
}

static void averages_start_at_the_first_batch(void **unused)
{
    (void)unused;
    const qc_fake_quantizer_options options = {
        .observer = {.observer = QC_OBSERVER_moving_average, .averaging = 0.25}};
    qc_fake_quantizer *const quantizer = opened(&options);
    record(quantizer, -128, 127);
    parameters_are(quantizer, 1, 0); /* started at 0: scale 1/4 */
    record(quantizer, -128, 127 + 4 * 255);
    parameters_are(quantizer, 2, -64);
    qc_fake_quantizer_close(quantizer);
}

static void freeze_holds(void **unused)
{
    (void)unused;
    qc_fake_quantizer *const quantizer = opened(NULL);
    REFUSED(QC_INVALID, qc_fake_quantizer_freeze(quantizer, &message),
            "nothing was observed");
    record(quantizer, -128, 127);
    TAKEN(qc_fake_quantizer_freeze(quantizer, &message));
    record(quantizer, -1280, 1270);
    parameters_are(quantizer, 1, 0);
    float x[2] = {1000, -2.5f};
    float y[2];
    const qc_tensor in = row(QC_F32, x, 2);
    const qc_tensor out = row(QC_F32, y, 2);
    TAKEN(qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message));
    assert_true(y[0] == 127 && y[1] == -2);
    parameters_are(quantizer, 1, 0);
    TAKEN(qc_fake_quantizer_freeze(quantizer, &message));
    qc_fake_quantizer_close(quantizer);
}

static void disable_observer_holds(void **unused)
{
    (void)unused;
    qc_fake_quantizer *const quantizer = opened(NULL);
    record(quantizer, -128, 127);
    qc_fake_quantizer_disable_observer(quantizer);
    record(quantizer, -1280, 1270);
    parameters_are(quantizer, 1, 0);
    qc_fake_quantizer_close(quantizer);
}

static void explicit_parameters_are_fixed(void **unused)
{
    (void)unused;
    double s = 0.5;
    int32_t z = 3;
    const qc_tensor scale = scalar(QC_F64, &s);
    const qc_tensor zero_point = scalar(QC_S32, &z);
    qc_fake_quantizer_options options = {.scale = &scale, .zero_point = &zero_point};
    qc_fake_quantizer *const quantizer = opened(&options);
    record(quantizer, -128, 127);
    s = 9; /* copied */
    parameters_are(quantizer, 0.5, 3);
    TAKEN(qc_fake_quantizer_freeze(quantizer, &message));
    qc_fake_quantizer_close(quantizer);

    qc_fake_quantizer *none = (qc_fake_quantizer *)&options;
    options.zero_point = NULL;
    REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &none, &message),
            "zero_point: missing beside scale");
    assert_null(none);
    options.zero_point = &zero_point;
    const double bad_scales[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        s = bad_scales[i];
        REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &none, &message),
                "scale[0]");
    }
    s = 1;
    z = 128;
    REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &none, &message),
            "zero_point[0]: 128 does not lie in the grid");
    options.observer.averaging = 2;
    options.observer.observer = QC_OBSERVER_moving_average;
    REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &none, &message), "averaging");
    options.observer = (qc_range_observer_options){.profile = "onnx"};
    REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &none, &message), "profile");
}

/* NaN gives the zero point, infinities saturate, none of them passes a gradient; quotients
   beyond 2^63 saturate too. */
static void forward_takes_every_value(void **unused)
{
    (void)unused;
    double s = 0.5;
    int64_t z = 3;
    const qc_tensor scale = scalar(QC_F64, &s);
    const qc_tensor zero_point = scalar(QC_S64, &z);
    const qc_fake_quantizer_options options = {.scale = &scale,
                                               .zero_point = &zero_point};
    qc_fake_quantizer *const quantizer = opened(&options);
    float x[7] = {NAN, INFINITY, -INFINITY, 1e30f, 0.75f, 62, 62.125f};
    float y[7];
    uint8_t mask[7];
    const float wanted[7] = {0, 62, -65.5f, 62, 1, 62, 62}; /* 0.75 / 0.5 ties to 2 */
    const uint8_t passes[7] = {0, 0, 0, 0, 1, 1, 0};
    const qc_tensor in = row(QC_F32, x, 7);
    const qc_tensor out = row(QC_F32, y, 7);
    const qc_tensor kept = row(QC_U8, mask, 7);
    TAKEN(qc_fake_quantizer_forward(quantizer, &in, &out, &kept, &message));
    assert_memory_equal(y, wanted, sizeof y);
    assert_memory_equal(mask, passes, sizeof mask);
    float grad[7] = {1, 2, 3, 4, 5, NAN, 7};
    float dx[7];
    const qc_tensor incoming = row(QC_F32, grad, 7);
    const qc_tensor outgoing = row(QC_F32, dx, 7);
    TAKEN(qc_fake_quantizer_backward(quantizer, &incoming, &in, &outgoing, &message));
    for (int i = 0; i < 7; i++) {
        const float expected = passes[i] ? grad[i] : 0;
        assert_memory_equal(&dx[i], &expected, sizeof expected);
    }
    qc_fake_quantizer_close(quantizer);
}

/* Under ideal 62.125 rounds into the grid but lies outside the bounds: the masks part. */
static void the_mask_of_the_code_is_a_choice(void **unused)
{
    (void)unused;
    float s = 0.5f;
    int32_t z = 3;
    const qc_tensor scale = scalar(QC_F32, &s);
    const qc_tensor zero_point = scalar(QC_S32, &z);
    const qc_fake_quantizer_options options = {
        .scale = &scale, .zero_point = &zero_point, .mask_is_grid = 1};
    qc_fake_quantizer *const quantizer = opened(&options);
    float x[2] = {62.125f, 62.375f};
    float y[2];
    float dx[2];
    uint8_t mask[2];
    const qc_tensor in = row(QC_F32, x, 2);
    const qc_tensor out = row(QC_F32, y, 2);
    const qc_tensor kept = row(QC_U8, mask, 2);
    const qc_tensor outgoing = row(QC_F32, dx, 2);
    TAKEN(qc_fake_quantizer_forward(quantizer, &in, &out, &kept, &message));
    TAKEN(qc_fake_quantizer_backward(quantizer, &in, &in, &outgoing, &message));
    assert_true(mask[0] == 1 && mask[1] == 0);
    assert_true(dx[0] == x[0] && dx[1] == 0);
    qc_fake_quantizer_close(quantizer);
}

static void nothing_is_written_on_errors(void **unused)
{
    (void)unused;
    qc_fake_quantizer *const quantizer = opened(NULL);
    float x[4] = {-128, 127, 1000, 0};
    float y[4] = {7, 7, 7, 7};
    uint8_t mask[4] = {7, 7, 7, 7};
    qc_tensor in = row(QC_F32, x, 2);
    const qc_tensor out = row(QC_F32, y, 4);
    qc_tensor kept = row(QC_U8, mask, 4);
    REFUSED(QC_INVALID, qc_fake_quantizer_backward(quantizer, &in, &in, &out, &message),
            "no parameters were derived");
    record(quantizer, -128, 127);
    in.dims[0] = 4;
    kept.dtype = QC_S8;
    REFUSED(QC_INVALID, qc_fake_quantizer_forward(quantizer, &in, &out, &kept, &message),
            "mask: dtype s8");
    REFUSED(QC_INVALID, qc_fake_quantizer_forward(quantizer, &in, NULL, NULL, &message),
            "y: missing");
    REFUSED(QC_INVALID, qc_fake_quantizer_forward(quantizer, NULL, &out, NULL, &message),
            "x: missing");
    in.dtype = QC_S32;
    REFUSED(QC_INVALID, qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message),
            "x: dtype s32");
    parameters_are(quantizer, 1, 0); /* what was refused was not recorded */
    in.dtype = QC_F32;
    x[3] = INFINITY;
    REFUSED(QC_INVALID, qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message),
            "inf");
    for (int i = 0; i < 4; i++) {
        assert_true(y[i] == 7 && mask[i] == 7);
    }
    qc_fake_quantizer_close(quantizer);
}

/* The seed takes the axis modulo the rank. Per channel there is no freeze. */
static void per_channel(void **unused)
{
    (void)unused;
    float x[6] = {-128, 127, 0, -1, 1.5f, 3};
    float y[6];
    float s[2];
    int64_t z[2];
    const qc_tensor in = matrix(QC_F32, x, 2, 3);
    const qc_tensor out = matrix(QC_F32, y, 2, 3);
    const qc_tensor scale = row(QC_F32, s, 2);
    const qc_tensor zero_point = row(QC_S64, z, 2);
    qc_fake_quantizer_options options = {.observer = {.per_channel = 1, .axis = 5}};
    qc_fake_quantizer *quantizer = opened(&options);
    REFUSED(QC_INVALID, qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message),
            "axis: 5 does not lie in -2 ... 1");
    qc_fake_quantizer_close(quantizer);
    options.observer.axis = -2;
    quantizer = opened(&options);
    TAKEN(qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message));
    TAKEN(qc_fake_quantizer_calculate_qparams(quantizer, &scale, &zero_point, &message));
    assert_true(s[0] == 1 && s[1] == 4.0f / 255);
    assert_true(z[0] == 0 && z[1] == -64);
    assert_true(y[0] == -128 && y[1] == 127 && y[5] == 191 * s[1]);
    REFUSED(QC_UNSUPPORTED, qc_fake_quantizer_freeze(quantizer, &message),
            "not offered per channel");
    const qc_tensor wider = matrix(QC_F32, x, 3, 2);
    const qc_tensor wider_out = matrix(QC_F32, y, 3, 2);
    REFUSED(QC_INVALID,
            qc_fake_quantizer_forward(quantizer, &wider, &wider_out, NULL, &message),
            "3 channels");
    qc_fake_quantizer_disable_observer(quantizer);
    REFUSED(QC_INVALID,
            qc_fake_quantizer_forward(quantizer, &wider, &wider_out, NULL, &message),
            "one entry per channel expected, 3");
    qc_fake_quantizer_close(quantizer);
}

/* Where no observer looks at the axis, the kernel does. */
static void explicit_parameters_per_channel(void **unused)
{
    (void)unused;
    float x[6] = {-128, 127, 0, -1, 1.5f, 3};
    float y[6];
    float s[3] = {1, 2, 4};
    int64_t z[3] = {0, 1, -1};
    const float wanted[6] = {-128, 128, 0, -1, 2, 4};
    const qc_tensor in = matrix(QC_F32, x, 2, 3);
    const qc_tensor out = matrix(QC_F32, y, 2, 3);
    const qc_tensor scale = row(QC_F32, s, 3);
    const qc_tensor zero_point = row(QC_S64, z, 3);
    const int32_t axes[4] = {1, -1, 5, 0};
    for (int i = 0; i < 4; i++) {
        const qc_fake_quantizer_options options = {
            .observer = {.per_channel = 1, .axis = axes[i]},
            .scale = &scale,
            .zero_point = &zero_point};
        qc_fake_quantizer *const quantizer = opened(&options);
        memset(y, 0x55, sizeof y);
        if (i < 2) {
            TAKEN(qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message));
            assert_memory_equal(y, wanted, sizeof wanted);
        } else {
            REFUSED(QC_INVALID,
                    qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message),
                    i == 2 ? "axis: 5 does not lie in -2 ... 1"
                           : "scale: one entry per channel expected, 2");
        }
        qc_fake_quantizer_close(quantizer);
    }
}

/* Half to even; as documented, by truncation. */
static void float_zero_points_become_integers(void **unused)
{
    (void)unused;
    static const int64_t rounded[5] = {4, 2, -2, 0, 127};
    static const int64_t truncated[5] = {3, 2, -1, 0, 127};
    float s[5] = {1, 1, 1, 1, 1};
    float z[5] = {3.5f, 2.5f, -1.5f, -0.5f, 127.25f};
    const qc_tensor scale = row(QC_F32, s, 5);
    const qc_tensor zero_point = row(QC_F32, z, 5);
    qc_fake_quantizer_options options = {
        .observer = {.per_channel = 1}, .scale = &scale, .zero_point = &zero_point};
    for (int doc = 0; doc < 2; doc++) {
        int64_t whole[5];
        float x[5] = {0, 0, 0, 0, 0};
        const qc_tensor s_out = row(QC_F32, x, 5);
        const qc_tensor z_out = row(QC_S64, whole, 5);
        options.observer.profile = doc ? "tensorplay-doc" : "ideal";
        z[4] = 127.25f;
        qc_fake_quantizer *quantizer = opened(&options);
        TAKEN(qc_fake_quantizer_calculate_qparams(quantizer, &s_out, &z_out, &message));
        assert_memory_equal(whole, doc ? truncated : rounded, sizeof whole);
        qc_fake_quantizer_close(quantizer);
        z[4] = 127.75f;
        if (doc) { /* 127, once truncated */
            qc_fake_quantizer_close(opened(&options));
        } else {
            REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &quantizer, &message),
                    "zero_point[4]: 128 does not lie in the grid");
        }
        z[4] = NAN;
        REFUSED(QC_INVALID, qc_fake_quantizer_open(&options, &quantizer, &message),
                "zero_point[4]");
    }
}

/* Parameters for 0 ... 127; forward on that grid, or as documented on the default one. */
static void the_grid_of_forward(void **unused)
{
    (void)unused;
    qc_fake_quantizer_options options = {
        .observer = {.narrow = 1, .qmin = 0, .qmax = 127}};
    const float wanted[2] = {-64, -192}; /* codes 0 and -128, both with zero point 64 */
    for (int doc = 0; doc < 2; doc++) {
        float x = -1000;
        float y;
        const qc_tensor in = scalar(QC_F32, &x);
        const qc_tensor out = scalar(QC_F32, &y);
        options.observer.profile = doc ? "tensorplay-doc" : NULL;
        qc_fake_quantizer *const quantizer = opened(&options);
        record(quantizer, -64, 63);
        parameters_are(quantizer, 1, 64);
        TAKEN(qc_fake_quantizer_freeze(quantizer, &message));
        TAKEN(qc_fake_quantizer_forward(quantizer, &in, &out, NULL, &message));
        assert_true(y == wanted[doc]);
        qc_fake_quantizer_close(quantizer);
    }
}

/* What backward lets through of a gradient of 1. */
static float passes(const char *profile, int32_t per_channel, double s, float x_value)
{
    float narrow = (float)s;
    int64_t z = 0;
    float x = x_value;
    float grad = 1;
    float dx = 7;
    const qc_tensor scale = per_channel ? row(QC_F32, &narrow, 1) : scalar(QC_F64, &s);
    const qc_tensor zero_point = per_channel ? row(QC_S64, &z, 1) : scalar(QC_S64, &z);
    const qc_tensor in = row(QC_F32, &x, 1);
    const qc_tensor incoming = row(QC_F32, &grad, 1);
    const qc_tensor outgoing = row(QC_F32, &dx, 1);
    const qc_fake_quantizer_options options = {
        .observer = {.profile = profile, .per_channel = per_channel},
        .scale = &scale,
        .zero_point = &zero_point};
    qc_fake_quantizer *const quantizer = opened(&options);
    TAKEN(qc_fake_quantizer_backward(quantizer, &incoming, &in, &outgoing, &message));
    qc_fake_quantizer_close(quantizer);
    return dx;
}

/* The product form underflows (A11). 127 * 0.7 lies below the f32 number next to it, which
   is the documented bound. */
static void documented_bounds(void **unused)
{
    (void)unused;
    assert_true(passes("tensorplay-doc", 1, 1e-30, 1e-25f) == 1);
    assert_true(passes("ideal", 1, 1e-30, 1e-25f) == 0);
    assert_true(passes("tensorplay-doc", 0, 0.7, 0x1.63999ap+6f) == 1);
    assert_true(passes("ideal", 0, 0.7, 0x1.63999ap+6f) == 0);
    assert_true(passes("tensorplay-doc", 0, 0.7, 0x1.63999cp+6f) == 0);
    assert_true(passes("ideal", 0, 0.7, 0x1.639998p+6f) == 1);
}

/* The zero point of [-1, 1] comes from the scale that is stored (A14), or as documented from
   the f64 one. A scale that leaves f32 is refused, or becomes 1. */
static void scales_in_f32(void **unused)
{
    (void)unused;
    for (int doc = 0; doc < 2; doc++) {
        float s = 7;
        int64_t z = 7;
        const qc_tensor scale = scalar(QC_F32, &s);
        const qc_tensor zero_point = scalar(QC_S64, &z);
        const qc_fake_quantizer_options options = {
            .observer = {.profile = doc ? "tensorplay-doc" : "ideal",
                         .scale_dtype = QC_F32}};
        qc_fake_quantizer *const quantizer = opened(&options);
        record(quantizer, -1, 1);
        TAKEN(qc_fake_quantizer_calculate_qparams(quantizer, &scale, &zero_point,
                                                  &message));
        assert_true(s == (float)(2.0 / 255));
        assert_int_equal(z, doc ? 0 : -1);
        qc_fake_quantizer_close(quantizer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_and_forgets_nothing),
        cmocka_unit_test(averages_start_at_the_first_batch),
        cmocka_unit_test(freeze_holds),
        cmocka_unit_test(disable_observer_holds),
        cmocka_unit_test(explicit_parameters_are_fixed),
        cmocka_unit_test(forward_takes_every_value),
        cmocka_unit_test(the_mask_of_the_code_is_a_choice),
        cmocka_unit_test(nothing_is_written_on_errors),
        cmocka_unit_test(per_channel),
        cmocka_unit_test(explicit_parameters_per_channel),
        cmocka_unit_test(float_zero_points_become_integers),
        cmocka_unit_test(the_grid_of_forward),
        cmocka_unit_test(documented_bounds),
        cmocka_unit_test(scales_in_f32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
