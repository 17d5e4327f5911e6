/* SPDX-License-Identifier: Apache-2.0 */
/* The contract's own code: names, tensors, step lists, rivals, validity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "quantcert/backend.h"
#include "quantcert/profile.h"
#include "quantcert/result.h"

static void names_round_trip(void **state)
{
    (void)state;
    for (unsigned d = QC_NONE + 1; d < QC_DTYPE_COUNT; d++) {
        const char *const name = qc_dtype_name(d);
        assert_int_equal(qc_dtype_find(name, strlen(name)), d);
        assert_true(qc_dtype_bytes(d) > 0);
    }
    for (unsigned op = 0; op < QC_OP_COUNT; op++) {
        const char *const name = qc_op_get(op)->name;
        assert_int_equal(qc_op_find(name, strlen(name)), op);
        assert_in_range(qc_op_get(op)->arg_count, 1, QC_MAX_ARGS);
    }
    assert_int_equal(qc_op_find("quantise", 8), QC_OP_COUNT);
    for (unsigned v = 0; v < QC_VERDICT_COUNT; v++) {
        assert_int_equal(qc_verdict_find(qc_verdict_name(v)), v);
    }
}

static void argument_rows_belong_to_their_op(void **state)
{
    (void)state;
    assert_int_equal(QC_ARG_OF(fake_quantize, mask), 4);
    assert_string_equal(qc_op_get(QC_OP_fake_quantize)->args[4].name, "mask");
    assert_int_equal(qc_op_get(QC_OP_quantized_linear)->arg_count, QC_MAX_ARGS);
    assert_true(qc_op_has_key(QC_OP_quantize, QC_ATTR_scale_form));
    assert_false(qc_op_has_key(QC_OP_dequantize, QC_ATTR_scale_form));
    assert_int_equal((int)qc_attr_fallback(QC_OP_requantize, QC_ATTR_params), QC_PARAMS_real);
}

static void every_row_parses_and_round_trips(void **state)
{
    (void)state;
    size_t count;
    const qc_profile_row *const rows = qc_profile_rows(&count);
    assert_true(count >= 16);
    for (size_t i = 0; i < count; i++) {
        qc_steps steps;
        qc_message message = {""};
        char text[QC_STEPS_TEXT];
        if (qc_steps_parse(rows[i].steps_text, &steps, &message) != QC_OK) {
            fail_msg("%s: %s", rows[i].profile, message.text);
        }
        qc_steps_format(&steps, text);
        assert_string_equal(text, rows[i].steps_text);
    }
}

static void steps_refuse_what_is_not_vocabulary(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "round(half_even)", "rint(f32)", "rint", "rint(half_even", "div(exact,x)",
        "narrow(s,half_even)", "addzp(s32,wrap", "div()",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        qc_steps steps;
        qc_message message = {""};
        assert_int_equal(qc_steps_parse(bad[i], &steps, &message), QC_INVALID);
        assert_true(message.text[0] != '\0');
    }
}

/* Every row of rivals.def parses: a rival that does not would silently never be counted. */
static void every_rival_row_parses(void **state)
{
    (void)state;
    static const char *const lists[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) from, to,
#include "rivals.def"
#undef QC_RIVAL
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        qc_steps steps;
        qc_message message = {""};
        if (qc_steps_parse(lists[i], &steps, &message) != QC_OK) {
            fail_msg("%s: %s", lists[i], message.text);
        }
    }
}

static float one = 1.0f;
static int32_t none = 0;

static qc_call quantize_call(void)
{
    qc_call call;
    qc_call_init(&call, QC_OP_quantize);
    static float x[6];
    static int8_t q[6];
    call.args[0] = (qc_tensor){.dtype = QC_F32, .rank = 2, .dims = {2, 3}, .data = x};
    call.args[1] = (qc_tensor){.dtype = QC_F32, .data = &one};
    call.args[2] = (qc_tensor){.dtype = QC_S32, .data = &none};
    call.args[3] = (qc_tensor){.dtype = QC_S8, .rank = 2, .dims = {2, 3}, .data = q};
    qc_tensor_contiguous(&call.args[0]);
    qc_tensor_contiguous(&call.args[3]);
    return call;
}

static void rivals_follow_dtypes(void **state)
{
    (void)state;
    qc_call call = quantize_call();
    qc_steps steps;
    qc_rival rivals[QC_MAX_RIVALS];
    assert_int_equal(qc_steps_parse(qc_profile_find(&call)->steps_text, &steps, NULL), QC_OK);
    const size_t narrow = qc_rivals_of(&call, &steps, rivals);
    int has_divide_f64 = 0;
    for (size_t i = 0; i < narrow; i++) {
        has_divide_f64 |= !strcmp(rivals[i].name, "divide_f64");
    }
    assert_false(has_divide_f64); /* lemma L2: no f32 input tells it apart */
    call.args[1].dtype = QC_F64;
    assert_true(qc_rivals_of(&call, &steps, rivals) > narrow);
}

static void channels_follow_the_axis(void **state)
{
    (void)state;
    qc_call call = quantize_call();
    assert_int_equal(qc_call_channel(&call, 5), 0);
    call.attrs.axis = 0;
    assert_int_equal(qc_call_channel(&call, 2), 0);
    assert_int_equal(qc_call_channel(&call, 3), 1);
    call.attrs.axis = -1;
    assert_int_equal(qc_call_channel(&call, 5), 2);
}

static void tensors_address_and_span(void **state)
{
    (void)state;
    const qc_tensor t = {.rank = 2, .dims = {2, 3}, .strides = {1, 4}, .offset = 2};
    int64_t low;
    int64_t high;
    assert_int_equal(qc_tensor_at(&t, 5), 2 + 1 + 2 * 4);
    qc_tensor_span(&t, &low, &high);
    assert_int_equal(low, 2);
    assert_int_equal(high, 11);
    assert_false(qc_tensor_is_contiguous(&t));
    const qc_tensor huge = {.rank = 2, .dims = {INT64_MAX, 2}};
    assert_int_equal(qc_tensor_elems(&huge), -1);
    const qc_tensor empty = {.rank = 2, .dims = {INT64_MAX, 0}};
    assert_int_equal(qc_tensor_elems(&empty), 0);
}

#define REFUSES(change)                                                     \
    do {                                                                    \
        qc_call call = quantize_call();                                     \
        qc_message message = {""};                                          \
        assert_int_equal(qc_call_check(&call, &message), QC_OK);            \
        change;                                                             \
        assert_int_equal(qc_call_check(&call, &message), QC_INVALID);       \
        assert_true(message.text[0] != '\0');                               \
    } while (0)

static void invalid_calls_are_refused(void **state)
{
    (void)state;
    static float bad_scale;
    static int32_t bad_zp;
    static const float scales[] = {0.0f, -1.0f, NAN, INFINITY};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        bad_scale = scales[i];
        REFUSES(call.args[1].data = &bad_scale);
    }
    bad_zp = 128;
    REFUSES(call.args[2].data = &bad_zp);
    REFUSES(call.attrs.axis = 2);
    REFUSES(call.attrs.axis = -3);
    REFUSES(call.attrs.axis = 0);
    REFUSES(call.attrs.qmin = 5; call.attrs.qmax = 5);
    REFUSES(call.attrs.qmin = -129);
    REFUSES(call.args[0].dtype = QC_S8);
    REFUSES(call.args[3].dtype = QC_NONE);
    REFUSES(call.args[3].dims[0] = 3);
    REFUSES(call.args[3].strides[1] = 0);
    REFUSES(call.args[3].strides[0] = 2);
    REFUSES(call.args[0].rank = 7);
    REFUSES(call.args[0].strides[0] = -1);
    REFUSES(call.op = QC_OP_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_round_trip),
        cmocka_unit_test(argument_rows_belong_to_their_op),
        cmocka_unit_test(every_row_parses_and_round_trips),
        cmocka_unit_test(steps_refuse_what_is_not_vocabulary),
        cmocka_unit_test(every_rival_row_parses),
        cmocka_unit_test(rivals_follow_dtypes),
        cmocka_unit_test(channels_follow_the_axis),
        cmocka_unit_test(tensors_address_and_span),
        cmocka_unit_test(invalid_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
