/* SPDX-License-Identifier: Apache-2.0 */
/* Linear on its generated cases: MPFR, integers, the filter, the reference and the
   kernels agree output by output, and the cases have the shapes and values that linear is
   hard on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/cases.h"
#include "impl/impl.h"
#include "oracles/oracles.h"
#include "reference/reference.h"

enum { MOST = 4096, LINEAR_OPS = 3 };

static const uint32_t ops[LINEAR_OPS] = {QC_OP_linear_s32, QC_OP_quantized_linear,
                                         QC_OP_quantized_linear_f32};

typedef void visit(const qc_case *item, void *context);

/* Every case that a level has of every group of an op. Returns how many groups. */
static size_t cases_visit(uint32_t op, uint32_t level, visit *look, void *context)
{
    const qc_backend *const reference = qc_reference_backend();
    qc_description description = {.size_bytes = sizeof description};
    size_t count;
    assert_int_equal(reference->describe(reference->self, &description, NULL), QC_OK);
    qc_group *const groups =
        qc_groups_make(description.capabilities, description.capability_count, 1u << op,
                       "ideal", &count);
    for (size_t g = 0; g < count; g++) {
        for (int64_t i = 0, n = qc_group_cases(&groups[g], level); i < n; i++) {
            qc_case item;
            assert_int_equal(qc_group_case(&groups[g], 1, i, &item), QC_OK);
            look(&item, context);
            qc_case_free(&item);
        }
    }
    free(groups);
    return count;
}

typedef struct tally {
    int64_t elems;
    int64_t undefined;
    int64_t compared; /* answers held against MPFR's: by integers, and by the filter */
    int64_t unknown;  /* to the filter */
    int64_t run;      /* outputs of backends held against MPFR's */
} tally;

static void expect(const qc_call *call, qc_oracle_path path, qc_expected *expected_ret)
{
    const uint32_t arg = qc_op_get(call->op)->arg_count - 1;
    qc_oracle *oracle = NULL;
    qc_message message = {""};
    if (qc_oracle_open(call, NULL, path, &oracle, &message) != QC_OK) {
        fail_msg("path %d of %s: %s", path, qc_op_get(call->op)->name, message.text);
    }
    qc_oracle_expect(oracle, arg, 0, qc_tensor_elems(&call->args[arg]), expected_ret);
    qc_oracle_close(oracle);
}

static void fail_at(const qc_case *item, int64_t i, const char *who)
{
    char *const line = qc_case_format(item, 0);
    fail_msg("output %" PRId64 ": %s parts from MPFR: %s", i, who, line);
}

static uint64_t bits_at(const void *room, int64_t i, size_t bytes)
{
    const unsigned char *const at = (const unsigned char *)room + (size_t)i * bytes;
    uint32_t b4;
    uint64_t b8;
    if (bytes == 1) {
        return *at;
    }
    if (bytes == 4) {
        memcpy(&b4, at, sizeof b4);
        return b4;
    }
    memcpy(&b8, at, sizeof b8);
    return b8;
}

static void backend_check(const qc_case *item, const qc_backend *backend,
                          const char *name, const qc_expected *want, tally *t)
{
    static uint64_t room[MOST];
    qc_call call = item->call;
    qc_plan *plan = NULL;
    qc_tensor *const out = &call.args[qc_op_get(call.op)->arg_count - 1];
    qc_tensor_contiguous(out);
    out->offset = 0;
    out->data = room;
    assert_int_equal(backend->prepare(backend->self, &call, &plan, NULL), QC_OK);
    assert_int_equal(backend->run(backend->self, plan, &call, NULL), QC_OK);
    if (backend->release) {
        backend->release(backend->self, plan);
    }
    for (int64_t i = 0, n = qc_tensor_elems(out); i < n; i++) {
        if (want[i].kind == QC_EXPECT_VALUE) {
            if (bits_at(room, i, qc_dtype_bytes(out->dtype)) != want[i].bits) {
                fail_at(item, i, name);
            }
            t->run++;
        }
    }
}

static void paths_compare(const qc_case *item, void *context)
{
    static qc_expected found[3][MOST];
    static char place[8]; /* oracles do not touch outputs */
    tally *const t = context;
    qc_case here = *item;
    qc_tensor *const out = &here.call.args[qc_op_get(here.call.op)->arg_count - 1];
    const int64_t elems = qc_tensor_elems(out);
    assert_true(elems <= MOST);
    out->data = place;
    expect(&here.call, QC_ORACLE_MPFR, found[0]);
    expect(&here.call, QC_ORACLE_GMP, found[1]);
    expect(&here.call, QC_ORACLE_FILTER, found[2]);
    for (int64_t i = 0; i < elems; i++) {
        for (int p = 1; p < 3; p++) {
            const qc_expected other = found[p][i];
            if (other.kind == QC_EXPECT_UNKNOWN && p == 2) {
                t->unknown++;
                continue;
            }
            if (other.kind != found[0][i].kind || other.bits != found[0][i].bits) {
                fail_at(item, i, p == 1 ? "the integer path" : "the filter");
            }
            t->compared++;
        }
        t->undefined += found[0][i].kind == QC_EXPECT_UNDEFINED;
    }
    t->elems += elems;
    backend_check(&here, qc_reference_backend(), "the reference", found[0], t);
    backend_check(&here, qc_impl_backend(NULL), "impl", found[0], t);
}

static void paths_agree_on_every_case_of_smoke(void **state)
{
    (void)state;
    for (int n = 0; n < LINEAR_OPS; n++) {
        tally t = {0};
        const size_t groups = cases_visit(ops[n], QC_LEVEL_SMOKE, paths_compare, &t);
        print_message("%s: %zu groups, %" PRId64 " outputs (%" PRId64
                      " undefined), %" PRId64
                      " answers of a second or third path and %" PRId64
                      " of backends agree, %" PRId64 " unknown to the filter\n",
                      qc_op_get(ops[n])->name, groups, t.elems, t.undefined, t.compared,
                      t.run, t.unknown);
        assert_true(t.elems > 40000);
        assert_int_equal(t.compared + t.unknown, 2 * t.elems);
        assert_int_equal(t.run, 2 * (t.elems - t.undefined));
        assert_true(t.unknown * 1000 < t.elems);
    }
    assert_int_equal(qc_oracle_faults(NULL), 0);
}

/* On a tie, or in the middle of two f32 numbers, but for a bias that lies far below; and
   terms and quotients out of the range that binary64 has. The filter must know all of
   these. */
static void paths_agree_far_apart(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "qc1 op=quantized_linear_f32 x_q=s8[1x1]:%d w_q=s8[2x1]:1,-1 "
        "x_zero_point=s32[]:0 "
        "w_zero_point=s32[]:0 x_scale=f64[]:0x1.000001p+%d w_scale=f32[]:0x1p%+d "
        "bias=f32[2]:0x1p-149,-0x1p-149 y=f32",
        "qc1 op=quantized_linear_f32 x_q=s8[1x1]:%d w_q=s8[2x1]:1,1 x_zero_point=s32[]:0 "
        "w_zero_point=s32[]:0 x_scale=f64[]:0x1.000001p+%d w_scale=f32[]:0x1p%+d "
        "bias=f32[2]:-0x1p-149,0x1p-149 y=f32",
        "qc1 op=quantized_linear x_q=s8[1x1]:%d w_q=s8[2x1]:1,-1 x_zero_point=s32[]:0 "
        "w_zero_point=s32[]:0 x_scale=f64[]:0x1p+%d w_scale=f32[]:0x1p%+d "
        "out_scale=f32[]:0x1p+1 bias=f32[2]:0x1p-149,-0x1p-149 out_zero_point=s32[]:0 "
        "q=s8",
        "qc1 op=quantized_linear x_q=s8[1x1]:%d w_q=s8[2x1]:-1,1 x_zero_point=s32[]:0 "
        "w_zero_point=s32[]:0 x_scale=f64[]:0x1p+%d w_scale=f32[]:0x1p%+d "
        "out_scale=f32[]:0x1p+1 bias=f32[2]:0x1p-149,-0x1p-149 out_zero_point=s32[]:0 "
        "q=s8"};
    static const int powers[][2] = {{0, 0},    {3, -3},    {40, -40},   {100, -100},
                                    {1, 0},    {126, 126}, {1000, 120}, {1023, -149},
                                    {0, -149}, {0, -60},   {0, -120},   {0, -125}};
    tally t = {0};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        for (size_t p = 0; p < sizeof powers / sizeof powers[0]; p++) {
            for (int x = -3; x <= 3; x++) {
                char line[512];
                qc_case item;
                snprintf(line, sizeof line, forms[f], x, powers[p][0], powers[p][1]);
                assert_int_equal(qc_case_parse(line, &item, NULL, NULL), QC_OK);
                paths_compare(&item, &t);
                qc_case_free(&item);
            }
        }
    }
    assert_int_equal(t.elems, 4 * 12 * 7 * 2);
    assert_int_equal(t.unknown, 0);
}

/* What some case of each op must have. ops: of all three, or of those that scale a
   sum. */
#define ALL 7
#define SCALED 6
#define SIZES(X, word, size)                 \
    X(word##_0, size == 0, ALL)              \
    X(word##_1, size == 1, ALL)              \
    X(word##_odd, size > 1 && size % 2, ALL) \
    X(word##_even, size > 0 && size % 2 == 0, ALL)
#define WIDTHS(X, word, size)     \
    X(word##_7, size == 7, ALL)   \
    X(word##_8, size == 8, ALL)   \
    X(word##_9, size == 9, ALL)   \
    X(word##_15, size == 15, ALL) \
    X(word##_16, size == 16, ALL) \
    X(word##_17, size == 17, ALL) \
    X(word##_31, size == 31, ALL) \
    X(word##_32, size == 32, ALL) \
    X(word##_33, size == 33, ALL) \
    X(word##_63, size == 63, ALL) \
    X(word##_64, size == 64, ALL) X(word##_65, size == 65, ALL)
#define TYPES(X, word, name)                         \
    X(word##_s8, dtype_of(item, name) == QC_S8, ALL) \
    X(word##_u8, dtype_of(item, name) == QC_U8, ALL)
#define FEATURES(X)                                                              \
    SIZES(X, M, m)                                                               \
    SIZES(X, N, n)                                                               \
    SIZES(X, K, k)                                                               \
    WIDTHS(X, N, n)                                                              \
    WIDTHS(X, K, k)                                                              \
    TYPES(X, x, "x_q")                                                           \
    TYPES(X, w, "w_q")                                                           \
    X(K_beyond_s32, k == 33026, ALL)                                             \
    X(K_within_s32, k == 33025, ALL)                                             \
    X(nothing_but_bias, k == 0 && m > 0 && n > 0 && has_bias, SCALED)            \
    X(zero_point_per_row, differs(item, "w_zero_point"), ALL)                    \
    X(bias_absent, !has_bias, SCALED)                                            \
    X(bias_zero, has_bias &&largest_of(item, "bias", INFINITY) == 0, SCALED)     \
    X(bias_huge, has_bias &&largest_of(item, "bias", 0) >= 2147483647.0, SCALED) \
    X(bias_cancels, has_bias &&cancels(item), SCALED)                            \
    X(x_scale_lowest, reaches(item, "x_scale", 0), SCALED)                       \
    X(x_scale_highest, reaches(item, "x_scale", 1), SCALED)                      \
    X(w_scale_lowest, reaches(item, "w_scale", 0), SCALED)                       \
    X(w_scale_highest, reaches(item, "w_scale", 1), SCALED)                      \
    X(bias_lowest, reaches(item, "bias", 0), SCALED)                             \
    X(bias_highest, reaches(item, "bias", 1), SCALED)                            \
    X(out_scale_lowest, reaches(item, "out_scale", 0), 2)                        \
    X(out_scale_highest, reaches(item, "out_scale", 1), 2)                       \
    X(multiplier_lowest, reaches(item, "multiplier", 0), 2)                      \
    X(multiplier_highest, reaches(item, "multiplier", 1), 2)                     \
    X(f64_lowest, reaches_f64(item, "x_scale", 0), SCALED)                       \
    X(f64_highest, reaches_f64(item, "x_scale", 1), SCALED)                      \
    X(shift_lowest, has(item, "shift", -128), 2)                                 \
    X(shift_highest, has(item, "shift", 127), 2)                                 \
    X(fixed_multiplier_highest, has(item, "multiplier", INT32_MAX), 2)

enum feature {
#define FEATURE(name, is_met, ops) FEATURE_##name,
    FEATURES(FEATURE)
#undef FEATURE
        FEATURE_COUNT
};

static const qc_tensor *named(const qc_case *item, const char *name)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name) && item->call.args[a].dtype != QC_NONE) {
            return &item->call.args[a];
        }
    }
    return NULL;
}

static uint32_t dtype_of(const qc_case *item, const char *name)
{
    return named(item, name)->dtype;
}

static double value_of(const qc_tensor *t, int64_t i)
{
    const unsigned char *const at = (const unsigned char *)t->data +
                                    (size_t)qc_tensor_at(t, i) * qc_dtype_bytes(t->dtype);
    float f32;
    double f64;
    int32_t s32;
    int64_t s64;
    switch (t->dtype) {
    case QC_F32: memcpy(&f32, at, sizeof f32); return f32;
    case QC_F64: memcpy(&f64, at, sizeof f64); return f64;
    case QC_S32: memcpy(&s32, at, sizeof s32); return s32;
    case QC_S64: memcpy(&s64, at, sizeof s64); return (double)s64;
    case QC_S8: return (int8_t)*at;
    default: return *at;
    }
}

static int has(const qc_case *item, const char *name, double value)
{
    const qc_tensor *const t = named(item, name);
    for (int64_t i = 0, n = t ? qc_tensor_elems(t) : 0; i < n; i++) {
        if (value_of(t, i) == value) {
            return 1;
        }
    }
    return 0;
}

/* The largest magnitude; `none` where there is no element. */
static double largest_of(const qc_case *item, const char *name, double none)
{
    const qc_tensor *const t = named(item, name);
    double largest = qc_tensor_elems(t) > 0 ? 0 : none;
    for (int64_t i = 0, n = qc_tensor_elems(t); i < n; i++) {
        largest = fmax(largest, fabs(value_of(t, i)));
    }
    return largest;
}

static int differs(const qc_case *item, const char *name)
{
    const qc_tensor *const t = named(item, name);
    return qc_tensor_elems(t) > 1 &&
           value_of(t, 0) != value_of(t, qc_tensor_elems(t) - 1);
}

/* The least subnormal or the largest number of the float dtype is among the elements. */
static int reaches(const qc_case *item, const char *name, int is_highest)
{
    const qc_tensor *const t = named(item, name);
    const int is_f64 = t && t->dtype == QC_F64;
    const double end = is_highest ? (is_f64 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127)
                                  : (is_f64 ? 0x1p-1074 : 0x1p-149);
    return t && (t->dtype == QC_F32 || is_f64) &&
           (has(item, name, end) || has(item, name, -end));
}

static int reaches_f64(const qc_case *item, const char *name, int is_highest)
{
    const qc_tensor *const t = named(item, name);
    return t && t->dtype == QC_F64 && reaches(item, name, is_highest);
}

static double sum_of(const qc_case *item, int64_t m, int64_t n)
{
    const qc_tensor *const x = named(item, "x_q");
    const qc_tensor *const w = named(item, "w_q");
    const qc_tensor *const w_zp = named(item, "w_zero_point");
    double sum = 0;
    for (int64_t k = 0; k < x->dims[1]; k++) {
        sum +=
            (value_of(x, m * x->dims[1] + k) - value_of(named(item, "x_zero_point"), 0)) *
            (value_of(w, n * x->dims[1] + k) - value_of(w_zp, w_zp->rank ? n : 0));
    }
    return sum;
}

/* A sum and a bias of a hundred units and more of which less than a hundredth is left. */
static int cancels(const qc_case *item)
{
    const qc_tensor *const bias = named(item, "bias");
    const qc_tensor *const w_scale = named(item, "w_scale");
    if (named(item, "x_q")->dims[0] == 0 || named(item, "x_q")->dims[1] > 65) {
        return 0;
    }
    for (int64_t n = 0; n < bias->dims[0]; n++) {
        const int is_real = bias->dtype == QC_F32 && w_scale;
        const double unit = is_real ? value_of(named(item, "x_scale"), 0) *
                                          value_of(w_scale, w_scale->rank ? n : 0)
                                    : 1;
        const double sum = sum_of(item, 0, n) * unit;
        if (fabs(sum) > 100 * unit && fabs(sum + value_of(bias, n)) < fabs(sum) / 100) {
            return 1;
        }
    }
    return 0;
}

static void features_note(const qc_case *item, void *context)
{
    int64_t *const counts = context;
    const int64_t m = named(item, "x_q")->dims[0];
    const int64_t n = named(item, "w_q")->dims[0];
    const int64_t k = named(item, "x_q")->dims[1];
    const int has_bias = named(item, "bias") != NULL;
#define FEATURE(name, is_met, ops) counts[FEATURE_##name] += (is_met);
    FEATURES(FEATURE)
#undef FEATURE
}

static void cases_have_what_is_hard(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned ops;
    } rows[] = {
#define FEATURE(name, is_met, ops) {#name, ops},
        FEATURES(FEATURE)
#undef FEATURE
    };
    for (int n = 0; n < LINEAR_OPS; n++) {
        int64_t counts[FEATURE_COUNT] = {0};
        cases_visit(ops[n], QC_LEVEL_SMOKE, features_note, counts);
        for (int f = 0; f < FEATURE_COUNT; f++) {
            if ((rows[f].ops >> n & 1) && counts[f] == 0) {
                fail_msg("%s: no case with %s", qc_op_get(ops[n])->name, rows[f].name);
            }
        }
    }
}

/* Linear has no axis: what is per channel are rows of weights. */
static void groups_are_per_tensor_and_per_channel(void **state)
{
    (void)state;
    const qc_backend *const backends[] = {qc_reference_backend(), qc_impl_backend(NULL)};
    for (int b = 0; b < 2; b++) {
        qc_description description = {.size_bytes = sizeof description};
        size_t count;
        int64_t balance = 0;
        backends[b]->describe(backends[b]->self, &description, NULL);
        qc_group *const groups =
            qc_groups_make(description.capabilities, description.capability_count,
                           1u << ops[0] | 1u << ops[1] | 1u << ops[2], NULL, &count);
        for (size_t g = 0; g < count; g++) {
            balance += groups[g].granularity == QC_PER_CHANNEL ? 1 : -1;
        }
        assert_true(count >= 50);
        assert_int_equal(balance, 0);
        free(groups);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_per_tensor_and_per_channel),
        cmocka_unit_test(cases_have_what_is_hard),
        cmocka_unit_test(paths_agree_far_apart),
        cmocka_unit_test(paths_agree_on_every_case_of_smoke),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
