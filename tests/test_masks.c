/* SPDX-License-Identifier: Apache-2.0 */
/* Masks and the gradients behind them: three oracle paths, the reference and the production
   kernels on generated cases and on all of f16; the public functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cases/cases.h"
#include "impl/impl.h"
#include "oracles/oracles.h"
#include "quantcert/kernels.h"
#include "reference/reference.h"

enum { MOST = 1 << 16 };

static void open_and_expect(const qc_call *call, const qc_steps *steps,
                            qc_oracle_path path, uint32_t arg, int64_t count,
                            qc_expected *expected_ret)
{
    qc_message message = {{0}};
    qc_oracle *oracle = NULL;
    const qc_status status = qc_oracle_open(call, steps, path, &oracle, &message);
    if (status == QC_UNSUPPORTED && path != QC_ORACLE_MPFR) {
        for (int64_t i = 0; i < count; i++) {
            expected_ret[i].kind = QC_EXPECT_UNKNOWN; /* a list that is not ideal's */
        }
        return;
    }
    if (status != QC_OK) {
        fail_msg("%s", message.text);
    }
    qc_oracle_expect(oracle, arg, 0, count, expected_ret);
    qc_oracle_close(oracle);
}

static void run_on(const qc_backend *backend, const qc_call *call)
{
    qc_plan *plan = NULL;
    qc_message message = {{0}};
    if (backend->prepare(backend->self, call, &plan, &message) != QC_OK ||
        backend->run(backend->self, plan, call, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
}

static uint64_t bits_of(const qc_tensor *tensor, int64_t i)
{
    const size_t bytes = qc_dtype_bytes(tensor->dtype);
    const char *const at =
        (const char *)tensor->data + qc_tensor_at(tensor, i) * (int64_t)bytes;
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1: memcpy(&b1, at, 1); return b1;
    case 2: memcpy(&b2, at, 2); return b2;
    case 4: memcpy(&b4, at, 4); return b4;
    default: memcpy(&b8, at, 8); return b8;
    }
}

static int64_t compared;

/* Every path that answers, and both backends, give one answer. */
static void agree(qc_call call, uint32_t arg)
{
    static qc_expected want[MOST];
    static qc_expected other[MOST];
    static uint64_t room[MOST];
    const int64_t count = qc_tensor_elems(&call.args[arg]);
    if (count > MOST) {
        return;
    }
    open_and_expect(&call, NULL, QC_ORACLE_MPFR, arg, count, want);
    for (uint32_t path = QC_ORACLE_GMP; path <= QC_ORACLE_FILTER; path++) {
        open_and_expect(&call, NULL, path, arg, count, other);
        for (int64_t i = 0; i < count; i++) {
            if (other[i].kind != QC_EXPECT_UNKNOWN) {
                assert_int_equal(other[i].kind, want[i].kind);
                assert_true(other[i].bits == want[i].bits);
                compared++;
            }
        }
    }
    const qc_backend *const backends[] = {qc_reference_backend(), qc_impl_backend(NULL)};
    qc_tensor_contiguous(&call.args[arg]);
    call.args[arg].offset = 0;
    call.args[arg].data = room;
    for (int b = 0; b < 2; b++) {
        run_on(backends[b], &call);
        for (int64_t i = 0; i < count; i++) {
            assert_true(bits_of(&call.args[arg], i) == want[i].bits);
        }
    }
}

static void paths_agree_on_generated_cases(void **state)
{
    (void)state;
    static const char *const profiles[] = {"ideal", "tensorplay-doc"};
    const qc_backend *const reference = qc_reference_backend();
    qc_description description = {.size_bytes = sizeof description};
    assert_int_equal(reference->describe(reference->self, &description, NULL), QC_OK);
    for (int p = 0; p < 2; p++) {
        size_t count;
        qc_group *const groups = qc_groups_make(
            description.capabilities, description.capability_count,
            1u << QC_OP_ste_mask | 1u << QC_OP_fake_quantize_grad, profiles[p], &count);
        assert_true(count >= 1000);
        for (size_t g = 0; g < count; g++) {
            qc_case item;
            assert_int_equal(qc_group_case(&groups[g], 7, 40 + (int64_t)(g % 23), &item),
                             QC_OK);
            agree(item.call, groups[g].op == QC_OP_ste_mask
                                 ? QC_ARG_OF(ste_mask, mask)
                                 : QC_ARG_OF(fake_quantize_grad, dx));
            qc_case_free(&item);
        }
        free(groups);
    }
    print_message("%lld answers of a second or third path\n", (long long)compared);
    assert_int_equal(qc_oracle_faults(NULL), 0);
}

/* Rivals that change a mask step, or what passes: each is met by some call. */
static const struct {
    const char *name;
    const char *from;
} rows[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) {#rival, from},
#include "rivals.def"
#undef QC_RIVAL
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int row_of(const char *name)
{
    int n = 0;
    while (strcmp(rows[n].name, name) != 0) {
        n++;
    }
    return n;
}

/* 1 when MPFR tells the rival's list from the row's; the reference must give what MPFR does. */
static int is_witness(const qc_call *given, const qc_rival *rival, uint32_t arg)
{
    static qc_expected want[MOST];
    static qc_expected other[MOST];
    static uint64_t room[MOST];
    qc_call call = *given;
    const int64_t count = qc_tensor_elems(&call.args[arg]);
    int differs = 0;
    if (count > MOST) {
        return 0;
    }
    open_and_expect(&call, NULL, QC_ORACLE_MPFR, arg, count, want);
    open_and_expect(&call, &rival->steps, QC_ORACLE_MPFR, arg, count, other);
    qc_tensor_contiguous(&call.args[arg]);
    call.args[arg].offset = 0;
    call.args[arg].data = room;
    assert_int_equal(qc_reference_run(&call, &rival->steps, NULL), QC_OK);
    for (int64_t i = 0; i < count; i++) {
        if (bits_of(&call.args[arg], i) != other[i].bits) {
            fail_msg("%s, element %lld: reference and MPFR part", rival->name,
                     (long long)i);
        }
        differs |= want[i].bits != other[i].bits;
    }
    return differs;
}

static void witnesses_of(const qc_group *group, int *met)
{
    const uint32_t arg = group->op == QC_OP_ste_mask ? QC_ARG_OF(ste_mask, mask)
                                                     : QC_ARG_OF(fake_quantize_grad, dx);
    for (int64_t i = 30; i < 110; i += 3) {
        static qc_rival rivals[QC_MAX_RIVALS];
        qc_case item;
        qc_steps steps;
        assert_int_equal(qc_group_case(group, 3, i, &item), QC_OK);
        assert_int_equal(
            qc_steps_parse(qc_profile_find(&item.call)->steps_text, &steps, NULL), QC_OK);
        const size_t count = qc_rivals_of(&item.call, &steps, rivals);
        for (size_t r = 0; r < count; r++) {
            int *const is_met = &met[row_of(rivals[r].name)];
            *is_met = *is_met || is_witness(&item.call, &rivals[r], arg);
        }
        qc_case_free(&item);
    }
}

static void every_mask_rival_has_a_witness(void **state)
{
    (void)state;
    static const char *const profiles[] = {"ideal", "tensorplay-doc"};
    static int met[ROWS];
    const qc_backend *const reference = qc_reference_backend();
    qc_description description = {.size_bytes = sizeof description};
    assert_int_equal(reference->describe(reference->self, &description, NULL), QC_OK);
    for (int p = 0; p < 2; p++) {
        size_t count;
        qc_group *const groups = qc_groups_make(
            description.capabilities, description.capability_count,
            1u << QC_OP_ste_mask | 1u << QC_OP_fake_quantize_grad, profiles[p], &count);
        for (size_t g = 0; g < count; g += 5) {
            witnesses_of(&groups[g], met);
        }
        free(groups);
    }
    for (int n = 0; n < ROWS; n++) {
        const int is_mask =
            strstr(rows[n].from, "mask(") || strstr(rows[n].from, "pass(");
        if (is_mask && !met[n]) {
            fail_msg("no witness for rival %s", rows[n].name);
        }
    }
}

static void paths_agree_on_all_of_f16(void **state)
{
    (void)state;
    static uint16_t x[MOST];
    static const double scales[] = {1, 0.1, 2.0 / 3, 0x1p-24, 600};
    for (int i = 0; i < MOST; i++) {
        x[i] = (uint16_t)i;
    }
    for (int n = 0; n < 20; n++) {
        double scale = scales[n % 5];
        int32_t zero_point = n % 3 * 63;
        qc_call call;
        qc_call_init(&call, QC_OP_ste_mask);
        call.profile = n / 10 % 2 ? "tensorplay-doc" : "ideal";
        call.attrs.mask_form = n / 5 % 2;
        call.attrs.scale_form = n % 2;
        call.args[0] = (qc_tensor){
            .data = x, .dtype = QC_F16, .rank = 1, .dims = {MOST}, .strides = {1}};
        call.args[1] = (qc_tensor){.data = &scale, .dtype = QC_F64};
        call.args[2] = (qc_tensor){.data = &zero_point, .dtype = QC_S32};
        call.args[3] = call.args[0];
        call.args[3].dtype = QC_U8;
        agree(call, 3);
    }
}

/* 3 s lies beside the midpoint of two f32 and its f64 product on it: rounded twice, it goes
   to the even one of them, whatever the side. */
static void typed_bounds_beside_midpoints(void **state)
{
    (void)state;
    enum { CHANNELS = 512 };
    float x[CHANNELS];
    double scale[CHANNELS];
    int32_t zero_point[CHANNELS] = {0};
    qc_call call;
    qc_call_init(&call, QC_OP_ste_mask);
    call.profile = "tensorplay-doc";
    call.attrs.mask_form = QC_MASK_FORM_real;
    call.attrs.axis = 0;
    call.attrs.qmin = -3;
    call.attrs.qmax = 3;
    for (int i = 0; i < CHANNELS; i++) {
        const double middle = 1 + (2 * i + 1) * 0x1p-24;
        scale[i] = middle / 3;
        x[i] = (float)(middle + 0x1p-24);
    }
    call.args[0] = (qc_tensor){
        .data = x, .dtype = QC_F32, .rank = 1, .dims = {CHANNELS}, .strides = {1}};
    call.args[1] = call.args[0];
    call.args[1].dtype = QC_F64;
    call.args[1].data = scale;
    call.args[2] = call.args[0];
    call.args[2].dtype = QC_S32;
    call.args[2].data = zero_point;
    call.args[3] = call.args[0];
    call.args[3].dtype = QC_U8;
    agree(call, 3);
}

static void public_functions(void **state)
{
    (void)state;
    uint32_t grad[4] = {0x7f800001, 0xff800000, 0x7fc01234, 0x3f800000};
    uint32_t dx[4] = {1, 1, 1, 1};
    double x[4] = {127.25, 127, 128, -128};
    float scale = 1;
    int32_t zero_point = 0;
    uint8_t mask[4];
    qc_message message = {{0}};
    qc_tensor at_x = {.data = x, .dtype = QC_F64, .rank = 1, .dims = {4}, .strides = {1}};
    qc_tensor at_grad = at_x;
    qc_tensor at_dx = at_x;
    qc_tensor at_mask = at_x;
    at_grad.data = grad;
    at_dx.data = dx;
    at_mask.data = mask;
    at_grad.dtype = at_dx.dtype = QC_F32;
    at_mask.dtype = QC_U8;
    const qc_tensor at_scale = {.data = &scale, .dtype = QC_F32};
    const qc_tensor at_zp = {.data = &zero_point, .dtype = QC_S32};
    qc_kernel_options options = {0};
    assert_int_equal(qc_ste_mask(&at_x, &at_scale, &at_zp, &at_mask, &options, &message),
                     QC_OK);
    assert_memory_equal(mask, ((uint8_t[]){1, 1, 0, 1}), 4);
    options.mask_form = QC_MASK_FORM_real;
    assert_int_equal(qc_fake_quantize_grad(&at_grad, &at_x, &at_scale, &at_zp, &at_dx,
                                           &options, &message),
                     QC_OK);
    assert_memory_equal(dx, ((uint32_t[]){0, 0xff800000, 0, 0x3f800000}), sizeof dx);
    options.mask_form = 2;
    assert_int_equal(qc_ste_mask(&at_x, &at_scale, &at_zp, &at_mask, &options, &message),
                     QC_INVALID);
    assert_non_null(strstr(message.text, "mask_form"));
    at_dx.dtype = QC_F16; /* V10 */
    assert_int_equal(
        qc_fake_quantize_grad(&at_grad, &at_x, &at_scale, &at_zp, &at_dx, NULL, &message),
        QC_INVALID);
    assert_non_null(strstr(message.text, "dx"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree_on_generated_cases),
        cmocka_unit_test(every_mask_rival_has_a_witness),
        cmocka_unit_test(paths_agree_on_all_of_f16),
        cmocka_unit_test(typed_bounds_beside_midpoints),
        cmocka_unit_test(public_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
