/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: exact arithmetic against the hardware's own roundings, each rival of
   spec/rivals.def on an input that tells it apart, and ideal on hand values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantcert/half.h"
#include "reference/exact.h"
#include "reference/reference.h"

static uint64_t random_bits(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double random_finite(uint64_t *state)
{
    double value;
    do {
        const uint64_t bits = random_bits(state);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void same(double got, double want, double a, double b)
{
    if (memcmp(&got, &want, sizeof got) != 0) {
        fail_msg("%a and %a: %a, the hardware has %a", a, b, got, want);
    }
}

/* f64 results of +, *, / are correctly rounded by the hardware, whatever the
   exponents; so are f32 results of f32 operands, and conversions. */
static void rounding_is_the_hardwares(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        const double a = random_finite(&seed);
        const double other = random_finite(&seed);
        const double b = i & 1 ? other : other / fmax(fabs(a), 1e-300);
        if (!isfinite(b) || b == 0.0 || a == 0.0) {
            continue;
        }
        qc_exact v = qc_exact_of(a);
        qc_exact_multiply(&v, b);
        same(qc_exact_round(&v, QC_TOKEN_f64), a * b, a, b);
        v = qc_exact_of(a);
        v.divisor = fabs(b);
        same(qc_exact_round(&v, QC_TOKEN_f64), a / fabs(b), a, b);
        v = qc_exact_of(a);
        qc_exact_add(&v, b);
        same(qc_exact_round(&v, QC_TOKEN_f64), a + b, a, b);
        const double c = copysign(ldexp(1.0 + fmod(fabs(a), 1.0), i % 320 - 170), a);
        v = qc_exact_of(c); /* all of f32's range, and beyond both ends */
        same(qc_exact_round(&v, QC_TOKEN_f32), (float)c, c, 0);
    }
}

static void narrow_types_round_as_the_conversions(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 200000; i++) {
        const double a = ldexp(random_finite(&seed) > 0 ? 1.0 : -1.0,
                               (int)(random_bits(&seed) % 300) - 150) *
                         (1.0 + (double)(random_bits(&seed) % 8192) / 8192.0);
        const qc_exact v = qc_exact_of(a);
        same(qc_exact_round(&v, QC_TOKEN_f16), qc_f16_to_f32(qc_f64_to_f16(a)), a, 0);
        same(qc_exact_round(&v, QC_TOKEN_bf16), qc_bf16_to_f32(qc_f64_to_bf16(a)), a, 0);
    }
}

static void ties_by_every_rule(void **state)
{
    (void)state;
    static const struct {
        double v;
        int even, away, up, down, zero;
    } rows[] = {{0.5, 0, 1, 1, 0, 0},  {-0.5, 0, -1, 0, -1, 0},
                {1.5, 2, 2, 2, 1, 1},  {-2.5, -2, -3, -2, -3, -2},
                {2.75, 3, 3, 3, 3, 2}, {-2.25, -2, -2, -2, -2, -2},
                {3.0, 3, 3, 3, 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const qc_exact v = qc_exact_of(rows[i].v);
        assert_int_equal((int)qc_exact_rint(&v, QC_TOKEN_half_even), rows[i].even);
        assert_int_equal((int)qc_exact_rint(&v, QC_TOKEN_half_away), rows[i].away);
        assert_int_equal((int)qc_exact_rint(&v, QC_TOKEN_half_up), rows[i].up);
        assert_int_equal((int)qc_exact_rint(&v, QC_TOKEN_half_down), rows[i].down);
        assert_int_equal((int)qc_exact_rint(&v, QC_TOKEN_toward_zero), rows[i].zero);
    }
}

/* Beyond 2^66 the low bits are those of the exact integer: 3 * 2^90 / 7 modulo 2^64. */
static void huge_quotients_keep_their_low_bits(void **state)
{
    (void)state;
    qc_exact v = qc_exact_of(0x1.8p91);
    v.divisor = 7.0;
    const qc_wide exact = (((qc_wide)3 << 90) * 2 + 7) / 14; /* no tie: 7 is odd */
    const qc_wide got = qc_exact_rint(&v, QC_TOKEN_half_even);
    assert_true((uint64_t)got == (uint64_t)exact);
    assert_true(got > (qc_wide)1 << 90);
}

typedef struct witness {
    const char *rival; /* NULL: the row itself only */
    qc_op op;
    qc_dtype real; /* of x, or of y in dequantize */
    qc_dtype scale;
    qc_dtype zp;
    qc_dtype code;
    int form;
    int qmin, qmax; /* 0, 0: the whole grid */
    double x, s, z;
    double row, rivals; /* expected: code, y, or mask where the rival's name begins so */
} witness;

#define Q_F32 QC_OP_quantize, QC_F32, QC_F32, QC_S32, QC_S8, 0, 0, 0
#define Q_F64 QC_OP_quantize, QC_F64, QC_F64, QC_S32, QC_S8, 0, 0, 0
#define D_F32 QC_OP_dequantize, QC_F32, QC_F32, QC_S32, QC_S8, 0, 0, 0
#define Q_ZPF QC_OP_quantize, QC_F32, QC_F32, QC_F32, QC_S8, 0, 0, 0
#define K_F32 QC_OP_fake_quantize, QC_F32, QC_F32, QC_S32, QC_S8, 0, 0, 0
static const witness witnesses[] = {
    {"divide_f32", Q_F32, 1, 0x1.555556p-1, 0, 1, 2},
    {"divide_f64", Q_F64, 3, 0x1.5555555555555p-1, 0, 5, 4},
    {"divide_own", QC_OP_quantize, QC_F16, QC_F32, QC_S32, QC_S8, 0, 0, 0, 1,
     0x1.555556p-1, 0, 1, 2},
    {"reciprocal_f32", Q_F32, 0x1.cac084p-9, 0x1.0624dep-10, 0, 3, 4},
    {"reciprocal_f64", Q_F32, 147, 98, 0, 2, 1},
    {"scale_narrowed", Q_F64, 29, 0x1.5555555555555p-1, 0, 44, 43},
    {"x_narrowed", QC_OP_quantize, QC_F64, QC_F32, QC_S32, QC_S8, 0, 0, 0,
     0x1.7f842818a4b81p+4, 0x1.13c976p-1, 0, 45, 44},
    {"multiply_f32", QC_OP_quantize, QC_F32, QC_F32, QC_S32, QC_S8, 1, 0, 0, 7,
     0x1.24924ap-4, 0, 1, 0},
    {"multiply_f64", QC_OP_quantize, QC_F64, QC_F64, QC_S32, QC_S8, 1, 0, 0,
     0x1.0302b774abf48p+7, 0x1.0adc9549aa81ap-1, 0, 67, 68},
    {"multiplier_narrowed", QC_OP_quantize, QC_F64, QC_F64, QC_S32, QC_S8, 1, 0, 0, 203,
     0x1.2492492492492p-4, 0, 14, 15},
    {"float_zp_f32", Q_ZPF, 0.5, 1, 0x1p-60, 1, 0},
    {"float_zp_f64", Q_ZPF, 0.5, 1, 0x1p-60, 1, 0},
    {"ties_away", Q_F32, 2.5, 1, 0, 2, 3},
    {"ties_up", Q_F32, 0.5, 1, 0, 0, 1},
    {"ties_down", Q_F32, 1.5, 1, 0, 2, 1},
    {"truncation", Q_F32, 1.75, 1, 0, 2, 1},
    {"half_then_floor_f32", Q_F32, 0x1.fffffep-2, 1, 0, 0, 1},
    {"zp_before_rounding", Q_F32, 0.5, 1, 1, 1, 2},
    {"cast_s32_x86", Q_F32, 3e9, 1, 0, 127, -128},
    {"cast_s64_x86", Q_F32, INFINITY, 1, 0, 127, -128},
    {"cast_s32_arm", Q_F32, 3e9, 1, 1, 127, -128},
    {"limit_s32_wrap", Q_F32, -3e9, 1, -1, -128, 127},
    {"saturation_missing", Q_F32, 130, 1, 0, 127, -126},
    {"saturation_before_zp", Q_F32, 200, 1, -100, 100, 27},
    {"lowest_unreachable", Q_F32, -128, 1, 0, -128, -127},
    {"grid_ignored", QC_OP_quantize, QC_F32, QC_F32, QC_S32, QC_S8, 0, -10, 10, 100, 1, 0,
     10, 100},
    {"subtract_s8", D_F32, 127, 1, -100, 227, -29},
    {"dequantize_fma", D_F32, 3, 0x1.99999ap-4, 3, 0, -0x1p-27},
    {"dequantize_f32", QC_OP_dequantize, QC_F16, QC_F32, QC_S32, QC_S8, 0, 0, 0, 3,
     0x1.d72aaap-2, 0, 0x1.614p0, 0x1.618p0},
    {"dequantize_f64", QC_OP_dequantize, QC_F32, QC_F64, QC_S32, QC_S8, 0, 0, 0, 3,
     0x1.5557c95555555p-2, 0, 0x1.0001d6p0, 0x1.0001d8p0},
    {"dequantize_scale_f32", QC_OP_dequantize, QC_F32, QC_F64, QC_S32, QC_S8, 0, 0, 0, 3,
     0x1.e9fe86d717675p-1, 0, 0x1.6f7ee6p1, 0x1.6f7ee4p1},
    {"mask_real", K_F32, 127.25, 1, 0, 1, 0},
    {"mask_product_f32", K_F32, 0x1p-83, 0x1p-100, 0, 0, 1}, /* the product underflows */
    /* ideal alone: ends, infinities, subnormal scales, float zero points that cancel */
    {NULL, Q_F32, NAN, 1, -5, -5, 0},
    {NULL, Q_ZPF, NAN, 1, -2.5, -2, 0},
    {NULL, Q_ZPF, NAN, 1, 1e30, 127, 0},
    {NULL, Q_F32, -INFINITY, 1, 0, -128, 0},
    {NULL, Q_F64, 0x1p-1074, 0x1p-1074, 0, 1, 0},
    {NULL, Q_F64, 0x1p-1074, 0x1p-1073, 0, 0, 0},
    {NULL, Q_F64, 1e308, 0x1p-1074, 0, 127, 0},
    {NULL, Q_ZPF, -0x1p100, 0x1p-20, 0x1p120, 0, 0},
    {NULL, QC_OP_quantize, QC_F64, QC_F64, QC_F32, QC_S8, 0, 0, 0, -0x1.0000000000001p60,
     1, 0x1p60, -128, 0},
    {NULL, QC_OP_dequantize, QC_F64, QC_F64, QC_F32, QC_S8, 0, 0, 0, 1, 0x1p1023, -1,
     INFINITY, 0},
    {NULL, D_F32, -1, 0x1p-149, 0, -0x1p-149, 0},
    {NULL, QC_OP_dequantize, QC_F16, QC_F32, QC_S32, QC_S8, 0, 0, 0, -1, 0x1p-26, 0, -0.0,
     0},
    {NULL, QC_OP_dequantize, QC_F16, QC_F32, QC_S32, QC_S8, 0, 0, 0, 127, 516, 0,
     INFINITY, 0},
};

typedef union scalar {
    float f32;
    double f64;
    uint16_t half;
    int8_t s8;
    int32_t s32;
} scalar;

static void set(qc_tensor *t, scalar *at, qc_dtype dtype, double value)
{
    *t = (qc_tensor){.dtype = dtype, .data = at};
    switch (dtype) {
    case QC_F32: at->f32 = (float)value; break;
    case QC_F64: at->f64 = value; break;
    case QC_F16: at->half = qc_f64_to_f16(value); break;
    case QC_S8: at->s8 = (int8_t)value; break;
    default: at->s32 = (int32_t)value;
    }
}

static double get(const qc_tensor *t)
{
    const scalar *const at = t->data;
    switch (t->dtype) {
    case QC_F32: return at->f32;
    case QC_F64: return at->f64;
    case QC_F16: return qc_f16_to_f32(at->half);
    default: return at->s8; /* codes and masks */
    }
}

static void call_of(const witness *w, qc_call *call, scalar data[5])
{
    qc_call_init(call, w->op);
    set(&call->args[0], &data[0], w->op == QC_OP_dequantize ? w->code : w->real, w->x);
    set(&call->args[1], &data[1], w->scale, w->s);
    set(&call->args[2], &data[2], w->zp, w->z);
    set(&call->args[3], &data[3], w->op == QC_OP_quantize ? w->code : w->real, 0);
    if (w->op == QC_OP_fake_quantize) {
        set(&call->args[4], &data[4], QC_S8, 0);
        call->args[4].dtype = QC_U8;
    }
    call->attrs.scale_form = w->form;
    if (w->qmin != w->qmax) {
        call->attrs.qmin = w->qmin;
        call->attrs.qmax = w->qmax;
    }
}

static void expect(const witness *w, const qc_call *call, const qc_steps *steps,
                   double want)
{
    qc_message message = {""};
    if (qc_reference_run(call, steps, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
    const int is_mask = w->rival && !strncmp(w->rival, "mask", 4);
    const double got = get(&call->args[is_mask ? 4 : 3]);
    if (memcmp(&got, &want, sizeof got) != 0) {
        char text[QC_STEPS_TEXT];
        qc_steps_format(steps, text);
        fail_msg("%s: x %a s %a z %a: %a, expected %a", text, w->x, w->s, w->z, got,
                 want);
    }
}

static const qc_steps *rival_find(const qc_rival *rivals, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(rivals[i].name, name)) {
            return &rivals[i].steps;
        }
    }
    fail_msg("%s is no rival of this call", name);
    return NULL;
}

static void rivals_part_from_the_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof witnesses / sizeof witnesses[0]; i++) {
        const witness *const w = &witnesses[i];
        static qc_rival rivals[QC_MAX_RIVALS];
        scalar data[5];
        qc_call call;
        qc_steps steps;
        call_of(w, &call, data);
        assert_int_equal(qc_steps_parse(qc_profile_find(&call)->steps_text, &steps, NULL),
                         QC_OK);
        expect(w, &call, &steps, w->row);
        if (w->rival) {
            const size_t count = qc_rivals_of(&call, &steps, rivals);
            expect(w, &call, rival_find(rivals, count, w->rival), w->rivals);
        }
    }
}

/* Rivals of ranges have no call here: runs count theirs (harness/discriminate.c). */
static int is_of_ranges(const char *lemma)
{
    const int number = atoi(lemma + 1);
    return number >= 30 && number <= 38;
}

static void every_rival_has_a_witness(void **state)
{
    (void)state;
    static const char *const names[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) #rival,
#include "rivals.def"
#undef QC_RIVAL
    };
    static const char *const from[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) from,
#include "rivals.def"
#undef QC_RIVAL
    };
    static const char *const lemmas[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) lemma,
#include "rivals.def"
#undef QC_RIVAL
    };
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (strstr(from[n], "mask(") || strstr(from[n], "pass(")) {
            continue; /* test_masks.c */
        }
        size_t i = 0;
        if (lemmas[n][0] == 'U') { /* test_requantize.c has those */
            continue;
        }
        while (witnesses[i].rival && strcmp(witnesses[i].rival, names[n]) != 0) {
            i++;
        }
        /* lemmas L20 to L26 are linear's, whose rivals the runs count */
        if (!witnesses[i].rival && !is_of_ranges(lemmas[n]) &&
            (strlen(lemmas[n]) != 3 ||
             strncmp(lemmas[n], "L2", 2))) { /* the rows of ideal alone stand last */
            fail_msg("no witness for rival %s", names[n]);
        }
    }
}

/* Steps that no row and no rival has yet. */
static void further_steps(void **state)
{
    (void)state;
    static const struct {
        const char *steps;
        double x, s, z, want;
    } rows[] = {
        {"nan(qmax) fma(f32) rint(half_even) clamp(grid)", 5, 0.5, 1, 4},
        {"nan(qmax) fma(f32) rint(half_even) clamp(grid)", NAN, 0.5, 1, 127},
        {"nan(qmin) div(f32) rint(half_even) addzp(f32) clamp(grid)", NAN, 1, 1, -128},
        {"div(f32) rint(half_even) clamp(before_zp) addzp(s32,saturate) code(saturate)",
         500, 1, -100, 127},
        {"div(f32) rint(half_even) addzp(exact) clamp(grid)", NAN, 1, 3, -128},
        {"recip(f32) mul(f32) limit(s32) rint(half_even) cast(s32,x86) addzp(s32,wrap) "
         "clamp(grid)",
         NAN, 1, 3, 127},
        {"div(exact) cast(s16,arm) addzp(s32,saturate) clamp(grid)", -1e9, 1, -3, -128},
        {"div(exact) cast(s32,arm) addzp(s32,wrap) clamp(grid)", NAN, 1, 3, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const witness w = {NULL, Q_F32, rows[i].x, rows[i].s, rows[i].z, 0, 0};
        scalar data[5];
        qc_call call;
        qc_steps steps;
        call_of(&w, &call, data);
        assert_int_equal(qc_steps_parse(rows[i].steps, &steps, NULL), QC_OK);
        expect(&w, &call, &steps, rows[i].want);
    }
}

static void what_it_lacks_is_unsupported(void **state)
{
    (void)state;
    const witness w = {NULL, Q_F32, 1, 1, 0, 1, 0};
    qc_message message;
    scalar data[5];
    qc_call call;
    qc_steps steps;
    call_of(&w, &call, data);
    assert_int_equal(qc_steps_parse("div(exact) sum(f32)", &steps, NULL), QC_OK);
    assert_int_equal(qc_reference_run(&call, &steps, &message), QC_UNSUPPORTED);
    assert_non_null(strstr(message.text, "sum"));
    data[1].f32 = -1;
    assert_int_equal(qc_reference_run(&call, &steps, &message), QC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_is_the_hardwares),
        cmocka_unit_test(narrow_types_round_as_the_conversions),
        cmocka_unit_test(ties_by_every_rule),
        cmocka_unit_test(huge_quotients_keep_their_low_bits),
        cmocka_unit_test(rivals_part_from_the_row),
        cmocka_unit_test(every_rival_has_a_witness),
        cmocka_unit_test(further_steps),
        cmocka_unit_test(what_it_lacks_is_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
