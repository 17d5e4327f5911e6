/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of kernels.h: what they refuse, and the CPU mask. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl/impl.h"
#include "quantcert/kernels.h"

#define POISON 0xa5

/* The kernels.h functions with one thing wrong at a time. */
typedef struct arguments {
    qc_tensor x, scale, zp, q;
    qc_kernel_options options;
} arguments;

static float an_x[6];
static float a_scale[3];
static int32_t a_zp[3];
static int8_t a_q[6];

static arguments good(void)
{
    for (int i = 0; i < 3; i++) {
        a_scale[i] = 1.0f;
        a_zp[i] = 0;
    }
    arguments a = {.x = {.dtype = QC_F32, .rank = 2, .dims = {2, 3}, .data = an_x},
                   .scale = {.dtype = QC_F32, .rank = 1, .dims = {3}, .data = a_scale},
                   .zp = {.dtype = QC_S32, .rank = 1, .dims = {3}, .data = a_zp},
                   .q = {.dtype = QC_S8, .rank = 2, .dims = {2, 3}, .data = a_q},
                   .options = {.per_channel = 1, .axis = -1}};
    qc_tensor_contiguous(&a.x);
    qc_tensor_contiguous(&a.scale);
    qc_tensor_contiguous(&a.zp);
    qc_tensor_contiguous(&a.q);
    return a;
}

static qc_status quantize_of(arguments *a, qc_message *message)
{
    memset(a_q, POISON, sizeof a_q);
    return qc_quantize(&a->x, &a->scale, &a->zp, &a->q, &a->options, message);
}

static void refused(arguments a, const char *names)
{
    qc_message message = {""};
    assert_int_equal(quantize_of(&a, &message), QC_INVALID);
    if (!strstr(message.text, names)) {
        fail_msg("'%s' does not name %s", message.text, names);
    }
    for (size_t i = 0; i < sizeof a_q; i++) {
        assert_int_equal((uint8_t)a_q[i], POISON);
    }
}

static void invalid_arguments_are_refused(void **state)
{
    (void)state;
    arguments a = good();
    assert_int_equal(quantize_of(&a, NULL), QC_OK);
    assert_int_equal(a_q[5], 0);
#define REFUSED(names, ...) \
    a = good();             \
    __VA_ARGS__;            \
    refused(a, names)
    REFUSED("profile", a.options.profile = "onnx");
    REFUSED("scale_form", a.options.scale_form = 2);
    REFUSED("axis", a.options.axis = 2);
    REFUSED("axis", a.options.axis = -3);
    REFUSED("qmin", a.options.narrow = 1; a.options.qmin = 3; a.options.qmax = 3);
    REFUSED("qmin", a.options.narrow = 1; a.options.qmin = -129; a.options.qmax = 3);
    REFUSED("scale", a_scale[2] = 0.0f);
    REFUSED("scale", a_scale[1] = -1.0f);
    REFUSED("scale", a_scale[0] = NAN);
    REFUSED("scale", a_scale[0] = INFINITY);
    REFUSED("scale", a.scale.dims[0] = 2);
    REFUSED("scale", a.scale.dtype = QC_F16);
    REFUSED("scale", a.scale.dtype = QC_NONE);
    REFUSED("zero_point", a_zp[2] = 128);
    REFUSED("zero_point", a_zp[2] = -129);
    REFUSED("zero_point", a.zp.rank = 0);
    REFUSED("x", a.x.dtype = QC_S32);
    REFUSED("x", a.x.rank = 7);
    REFUSED("x", a.x.data = NULL);
    REFUSED("q", a.q.dtype = QC_S32);
    REFUSED("q", a.q.dims[1] = 2);
    REFUSED("q", a.q.strides[1] = 0);
#undef REFUSED
}

static void missing_pointers_and_forms_are_refused(void **state)
{
    (void)state;
    qc_message message = {""};
    arguments a = good();
    float y[6] = {0};
    qc_tensor y_of = a.x;
    y_of.data = y;
    assert_int_equal(qc_quantize(&a.x, &a.scale, &a.zp, NULL, &a.options, &message),
                     QC_INVALID);
    assert_non_null(strstr(message.text, "q: missing"));
    assert_int_equal(qc_dequantize(&a.q, NULL, &a.zp, &y_of, &a.options, &message),
                     QC_INVALID);
    assert_non_null(strstr(message.text, "scale: missing"));
    a.options.scale_form = QC_SCALE_FORM_multiply;
    assert_int_equal(
        qc_fake_quantize(&a.x, &a.scale, &a.zp, &y_of, NULL, &a.options, &message),
        QC_INVALID);
    assert_non_null(strstr(message.text, "scale_form"));
    a.options.scale_form = 0;
    assert_int_equal(
        qc_fake_quantize(&a.x, &a.scale, &a.zp, &y_of, NULL, &a.options, &message),
        QC_OK);
    y_of.dtype = QC_F64;
    assert_int_equal(
        qc_fake_quantize(&a.x, &a.scale, &a.zp, &y_of, NULL, &a.options, &message),
        QC_INVALID);
}

#define QC_OFFER(...) +1
enum {
    OFFERS = 0
#include "kernels.def"
};
#undef QC_OFFER

static void mask_lowers_the_rung(void **state)
{
    (void)state;
    qc_message message = {""};
    qc_description description;
    arguments a = good();
    const qc_backend *const top = qc_impl_backend(NULL);
    unsetenv("QC_CPU_MASK");
    assert_string_equal(qc_kernels_rung(), qc_impl_backend("avx2") ? "avx2" : "portable");
    setenv("QC_CPU_MASK", "portable", 1);
    assert_string_equal(qc_kernels_rung(), "portable");
    assert_int_equal(quantize_of(&a, &message), QC_OK);
    setenv("QC_CPU_MASK", "avx3", 1);
    assert_string_equal(qc_kernels_rung(), "none");
    assert_int_equal(quantize_of(&a, &message), QC_FAULT);
    assert_non_null(strstr(message.text, "portable"));
    assert_int_equal((uint8_t)a_q[0], POISON);
    assert_int_equal(top->describe(top->self, &description, &message), QC_FAULT);
    unsetenv("QC_CPU_MASK");
    assert_int_equal(top->describe(top->self, &description, &message), QC_OK);
    assert_true(description.capability_count > 3);
    assert_null(qc_impl_backend("sse2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_arguments_are_refused),
        cmocka_unit_test(missing_pointers_and_forms_are_refused),
        cmocka_unit_test(mask_lowers_the_rung),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
