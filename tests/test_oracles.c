/* SPDX-License-Identifier: Apache-2.0 */
/* The oracles against values made by hand, against the hardware, and rivals on witnesses.
 */
#include "oracle_calls.h"

#include <fenv.h>
#include <float.h>
#include <stdlib.h>

#include "quantcert/half.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum {
    Q = QC_ARG_OF(quantize, q),
    Y_DEQUANTIZE = QC_ARG_OF(dequantize, y),
    Y = QC_ARG_OF(fake_quantize, y),
    MASK = QC_ARG_OF(fake_quantize, mask)
};

/* One f32 element on s8 -128 ... 127 under a list; NULL: ideal. */
static int32_t code_of(float x, double s, int32_t z, const char *list)
{
    parameter scale = parameter_of(s);
    parameter zp = parameter_of(z);
    const qc_call call = quantize_call(row_of(QC_F32, &x, 1), scalar_of(QC_F32, &scale),
                                       scalar_of(QC_S32, &zp), QC_S8);
    const qc_expected expected = expect_first(&call, list, Q);
    return expected.kind == QC_EXPECT_VALUE ? (int8_t)expected.bits
                                            : 1000 + expected.kind;
}

#define IDEAL_TO(to) "nan(consistent) div(exact) " to
static const struct {
    float x;
    double s;
    int32_t z;
    const char *list;
    int32_t code;
} codes[] = {
    {0.5f, 1, 0, NULL, 0},
    {1.5f, 1, 0, NULL, 2},
    {2.5f, 1, -1, NULL, 1},
    {-0.5f, 1, 0, NULL, 0},
    {-2.5f, 1, 0, NULL, -2},
    {0.5f, 1, 1, NULL, 1},
    {0.49999997f, 1, 0, NULL, 0},
    {1e30f, 1, -5, NULL, 127},
    {-1e30f, 1, 5, NULL, -128},
    {INFINITY, 0.1, -128, NULL, 127},
    {-INFINITY, 0.1, 127, NULL, -128},
    {0, 1e-39, 0, NULL, 0},
    {1e-39f, 1e-39, 0, NULL, 1},
    {NAN, 1, 0, NULL, 1000 + QC_EXPECT_CONSISTENT},
    /* 0.0035f / 0.001f is below 3.5 by less than f32 shows. */
    {0x1.cac084p-9f, 0.001, 0, NULL, 3},
    {0x1.cac084p-9f, 0.001, 0, IDEAL_TO("rint(half_even) addzp(exact) clamp(grid)"), 3},
    {0x1.cac084p-9f, 0.001, 0, "div(f32) rint(half_even) addzp(exact) clamp(grid)", 4},
    {0.5f, 1, 0, IDEAL_TO("rint(half_away) addzp(exact) clamp(grid)"), 1},
    {-0.5f, 1, 0, IDEAL_TO("rint(half_away) addzp(exact) clamp(grid)"), -1},
    {-0.5f, 1, 0, IDEAL_TO("rint(half_up) addzp(exact) clamp(grid)"), 0},
    {0.5f, 1, 0, IDEAL_TO("rint(half_down) addzp(exact) clamp(grid)"), 0},
    {-0.5f, 1, 0, IDEAL_TO("rint(half_down) addzp(exact) clamp(grid)"), -1},
    {-1.7f, 1, 0, IDEAL_TO("rint(toward_zero) addzp(exact) clamp(grid)"), -1},
    {-1.5f, 1, 0, IDEAL_TO("add_half_floor(f32) addzp(exact) clamp(grid)"), -1},
    {0.49999997f, 1, 0, IDEAL_TO("add_half_floor(f32) addzp(exact) clamp(grid)"), 1},
    {0.49999997f, 1, 0, IDEAL_TO("add_half_floor(exact) addzp(exact) clamp(grid)"), 0},
    /* Casts: 3e9 is outside s32, inside s64. */
    {3e9f, 1, 0, IDEAL_TO("rint(half_even) cast(s32,x86) addzp(s32,wrap) clamp(grid)"),
     -128},
    {3e9f, 1, 0, IDEAL_TO("rint(half_even) cast(s64,x86) addzp(s64,wrap) clamp(grid)"),
     127},
    {3e9f, 1, 0, IDEAL_TO("rint(half_even) cast(s32,arm) addzp(s32,wrap) clamp(grid)"),
     127},
    {3e9f, 1, 1, IDEAL_TO("rint(half_even) cast(s32,arm) addzp(s32,wrap) clamp(grid)"),
     -128},
    {3e9f, 1, 1,
     IDEAL_TO("rint(half_even) cast(s32,arm) addzp(s32,saturate) clamp(grid)"), 127},
    {-3e9f, 1, -1, IDEAL_TO("rint(half_even) cast(s32,x86) addzp(s32,wrap) clamp(grid)"),
     127},
    {INFINITY, 1, 0,
     IDEAL_TO("rint(half_even) cast(s64,x86) addzp(s64,wrap) clamp(grid)"), -128},
    {3e9f, 1, 0,
     IDEAL_TO("rint(half_even) cast(s32,undefined) addzp(s32,wrap) clamp(grid)"),
     1000 + QC_EXPECT_UNDEFINED},
    {3e9f, 1, -1,
     IDEAL_TO("rint(half_even) limit(s32) cast(s32,x86) addzp(s32,wrap) clamp(grid)"),
     127},
    {-INFINITY, 1, -1,
     IDEAL_TO("rint(half_even) limit(s32) cast(s32,x86) addzp(s32,wrap) clamp(grid)"),
     127},
    /* 0 * Inf is a NaN: a clamp gives its lower bound, limit its own number, arm 0. */
    {0, 1e-39, 0,
     "nan(consistent) recip(f32) mul(f32) rint(half_even) addzp(exact) clamp(grid)",
     -128},
    {0, 1e-39, 0,
     "recip(f32) mul(f32) limit(s32) cast(s32,x86) addzp(s32,wrap) clamp(grid)", 127},
    {0, 1e-39, 5, "recip(f32) mul(f32) cast(s32,arm) addzp(s32,wrap) clamp(grid)", 5},
    {1e-39f, 1e-39, 0, "recip(f32) mul(f32) rint(half_even) addzp(exact) clamp(grid)",
     127},
    {NAN, 1, 7, "nan(zp) div(exact) rint(half_even) addzp(exact) clamp(grid)", 7},
    {NAN, 1, 7, "nan(qmin) div(exact) rint(half_even) addzp(exact) clamp(grid)", -128},
    {NAN, 1, 7, "nan(qmax) div(exact) rint(half_even) addzp(exact) clamp(grid)", 127},
    {NAN, 1, 7, "nan(zero) div(exact) rint(half_even) addzp(exact) clamp(grid)", 0},
    {NAN, 1, 7, "nan(undefined) div(exact) rint(half_even) addzp(exact) clamp(grid)",
     1000 + QC_EXPECT_UNDEFINED},
    /* Clamps and codes. */
    {-200, 1, 0, IDEAL_TO("rint(half_even) addzp(exact) clamp(symmetric)"), -127},
    {200, 1, 0, IDEAL_TO("rint(half_even) addzp(exact) code(wrap)"), -56},
    {0x1p100f, 3, 0, IDEAL_TO("rint(half_even) addzp(exact) code(wrap)"), 85},
    {200, 1, 0, IDEAL_TO("rint(half_even) addzp(exact) code(saturate)"), 127},
    {INFINITY, 1, 0, IDEAL_TO("rint(half_even) addzp(exact) code(wrap)"),
     1000 + QC_EXPECT_UNDEFINED},
    {200, 1, 0, IDEAL_TO("rint(half_even) addzp(exact)"), 1000 + QC_EXPECT_UNDEFINED},
    {126.6f, 1, 1, IDEAL_TO("clamp(before_zp) rint(half_even) addzp(exact)"), 127},
    {300, 1, -100, IDEAL_TO("rint(half_even) clamp(grid) addzp(exact) clamp(grid)"), 27},
    /* A fused x * s + z: A18 of the survey. */
    {0x1.53f7cep-5f, 0.001, -128,
     "recip(f32) mul(f32) addzp(f32) rint(half_even) clamp(grid)", -86},
    {0x1.53f7cep-5f, 0.001, -128, "recip(f32) fma(f32) rint(half_even) clamp(grid)", -87},
    {2.5f, 3, 0, "recip(exact) mul(exact) rint(half_even) addzp(exact) clamp(grid)", 1},
    {4.5f, 3, 0, "recip(exact) mul(exact) rint(half_even) addzp(exact) clamp(grid)", 2},
};

static void hand_codes(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        const int32_t got = code_of(codes[i].x, codes[i].s, codes[i].z, codes[i].list);
        if (got != codes[i].code) {
            fail_msg("row %zu: x=%a s=%g z=%d %s: got %d, want %d", i, (double)codes[i].x,
                     codes[i].s, codes[i].z, codes[i].list ? codes[i].list : "ideal", got,
                     codes[i].code);
        }
    }
}

/* Rule M1: half a step outside the bounds is inside the grid. Rule M2: it is not. */
static void masks(void **unused)
{
    (void)unused;
    static const struct {
        float x;
        float s;
        int grid;
        int real;
        int product;
    } rows[] = {
        {127, 1, 1, 1, 1},         {127.25f, 1, 1, 0, 0},  {127.5f, 1, 0, 0, 0},
        {-128, 1, 1, 1, 1},        {-128.5f, 1, 1, 0, 0},  {-128.75f, 1, 0, 0, 0},
        {0, 1, 1, 1, 1},           {INFINITY, 1, 0, 0, 0}, {-INFINITY, 1, 0, 0, 0},
        {1e-25f, 1e-30f, 0, 0, 1}, /* the product underflows: A11 of the survey */
        {NAN, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float x = rows[i].x;
        parameter scale = parameter_of((double)rows[i].s);
        parameter zp = parameter_of(0);
        const qc_call call = fake_quantize_call(
            row_of(QC_F32, &x, 1), scalar_of(QC_F32, &scale), scalar_of(QC_S32, &zp));
        assert_int_equal(expect_first(&call, NULL, MASK).bits, rows[i].grid);
        assert_int_equal(expect_first(&call, NULL, MASK).kind, QC_EXPECT_VALUE);
        assert_int_equal(
            expect_first(&call, "nan(consistent) mask(real,exact)", MASK).bits,
            rows[i].real);
        assert_int_equal(expect_first(&call, "nan(consistent) mask(real,f32)", MASK).bits,
                         rows[i].real);
        assert_int_equal(
            expect_first(&call, "nan(consistent) mask(product,f32)", MASK).bits,
            rows[i].product);
    }
}

/* Rule D2: exact zeros are +0, underflow keeps the sign; overflow is infinite; A19. */
static void dequantized_bits(void **unused)
{
    (void)unused;
    static const struct {
        int8_t q;
        double s;
        double z;
        uint32_t y;
        const char *list;
        uint64_t bits;
    } rows[] = {
        {3, 0.1, 3, QC_F32, NULL, 0},
        {2, 0x1p-149, 3, QC_F16, NULL, 0x8000},
        {3, 0x1p-149, 2, QC_F16, NULL, 0x0000},
        {-128, 3e38, 0, QC_F32, NULL, 0xff800000},
        {127, 3e38, 0, QC_F64, NULL, 0x48ac0bcbf1f95000}, /* made below by hardware */
        {1, 65519, 0, QC_F16, NULL, 0x7bff},
        {1, 65520, 0, QC_F16, NULL, 0x7c00},
        {-8, 0.001, 3, QC_F32, NULL, 0xbc343959},
        {-8, 0.001, 3, QC_F32, "fma_premul(f32) out(own)", 0xbc343958},
        {3, 0.1, 3, QC_F32, "fma_premul(f32) out(own)", 0xb2000000},
        {-128, 1, 1, QC_F32, "subzp(s8,wrap) mul(exact) out(own)", 0x42fe0000},
        {-128, 1, 1, QC_F32, "subzp(s8,saturate) mul(exact) out(own)", 0xc3000000},
        /* 0 * Inf: x86's default NaN. */
        {3, 0.1, 3, QC_F32, "narrow(s,f16) recip(f16) subzp(exact) out(own)", 0},
        {3, 1e30, 3, QC_F32, "subzp(exact) narrow(s,f16) mul(f32) out(own)", 0xffc00000},
        {3, 1e30, 3, QC_F16, "subzp(exact) narrow(s,f16) mul(f32) out(own)", 0xfe00},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int8_t q = rows[i].q;
        parameter scale = parameter_of(rows[i].s);
        parameter zp = parameter_of(rows[i].z);
        const qc_call call =
            dequantize_call(row_of(QC_S8, &q, 1), scalar_of(QC_F32, &scale),
                            scalar_of(QC_S32, &zp), rows[i].y);
        const uint64_t want = rows[i].s == 3e38 && rows[i].y == QC_F64
                                  ? bits_of_f64(127.0 * (double)3e38f)
                                  : rows[i].bits;
        const qc_expected got = expect_first(&call, rows[i].list, Y_DEQUANTIZE);
        if (got.kind != QC_EXPECT_VALUE || got.bits != want) {
            fail_msg("row %zu: got %#llx, want %#llx", i, (unsigned long long)got.bits,
                     (unsigned long long)want);
        }
    }
}

/* Typed steps against the machine's own arithmetic, on elements of any exponent. */
enum { TYPED = 100000 };

typedef struct typed_data {
    float x[TYPED];
    float s[TYPED];
    float z[TYPED];
} typed_data;

static float any_float(uint64_t *state, int i)
{
    uint32_t bits = (uint32_t)random_bits(state);
    if (i % 4 == 0) {
        bits &= 0x80ffffff; /* subnormal, or next to it */
    } else if (i % 4 == 1) {
        bits = (bits & 0x83ffffff) | 0x3c000000; /* within a few powers of two of 1 */
    }
    return (bits >> 23 & 0xff) == 0xff ? 1 : f32_of_bits(bits);
}

static float native(const char *list, float x, float s, float z)
{
    if (!strcmp(list, "div(f32) out(own)")) {
        return x / s;
    }
    if (!strcmp(list, "div(f64) out(own)")) {
        return (float)((double)x / (double)s);
    }
    if (!strcmp(list, "mul(f32) out(own)")) {
        return x * s;
    }
    if (!strcmp(list, "recip(f32) mul(f32) out(own)")) {
        return x * (1 / s);
    }
    if (!strcmp(list, "div(f32) addzp(f32) out(own)")) {
        return x / s + z;
    }
    if (!strcmp(list, "div(f64) addzp(f64) out(f64)")) {
        return (float)((double)x / (double)s + (double)z);
    }
    if (!strcmp(list, "div(f32) rint(half_even) subzp(f32) out(own)")) {
        return rintf(x / s) - z;
    }
    return fmaf(x, s, z);
}

static void typed_steps(void **unused)
{
    (void)unused;
    static typed_data data;
    static qc_expected got[TYPED];
    static const char *const lists[] = {
        "div(f32) out(own)",
        "div(f64) out(own)",
        "mul(f32) out(own)",
        "recip(f32) mul(f32) out(own)",
        "div(f32) addzp(f32) out(own)",
        "div(f64) addzp(f64) out(f64)",
        "div(f32) rint(half_even) subzp(f32) out(own)",
        "fma(f32) out(own)",
    };
    uint64_t state = 5;
    for (int i = 0; i < TYPED; i++) {
        data.x[i] = any_float(&state, i);
        data.s[i] = fabsf(any_float(&state, i / 4));
        data.s[i] = data.s[i] > 0 ? data.s[i] : 0x1p-149f;
        data.z[i] = any_float(&state, i / 16);
    }
    qc_call call =
        fake_quantize_call(row_of(QC_F32, data.x, TYPED), row_of(QC_F32, data.s, TYPED),
                           row_of(QC_F32, data.z, TYPED));
    call.attrs.axis = 0;
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        qc_oracle *const oracle = open_oracle(&call, lists[l], QC_ORACLE_MPFR);
        qc_oracle_expect(oracle, Y, 0, TYPED, got);
        qc_oracle_close(oracle);
        for (int i = 0; i < TYPED; i++) {
            const float want = native(lists[l], data.x[i], data.s[i], data.z[i]);
            if (got[i].kind != QC_EXPECT_VALUE || got[i].bits != bits_of_f32(want)) {
                fail_msg("%s: x=%a s=%a z=%a: got %#llx, want %#x", lists[l],
                         (double)data.x[i], (double)data.s[i], (double)data.z[i],
                         (unsigned long long)got[i].bits, bits_of_f32(want));
            }
        }
    }
}

/* A half's value from its definition. */
static double half_value(uint32_t dtype, uint32_t bits)
{
    const int fraction = dtype == QC_F16 ? 10 : 7;
    const int lowest = dtype == QC_F16 ? -24 : -133;
    const int field = (int)(bits >> fraction);
    const double whole = bits & ((1u << fraction) - 1);
    return field == 0 ? ldexp(whole, lowest)
                      : ldexp(whole + (1 << fraction), lowest + field - 1);
}

/* Every midpoint of two neighbouring halves, the last below infinity among them, and the
   f64 numbers next to it: the even one, the lower, the upper. */
static void half_midpoints(void **unused)
{
    (void)unused;
    enum { MOST = 0x7f80 };
    static double scales[3 * MOST];
    static uint8_t ones[3 * MOST];
    static qc_expected got[3 * MOST];
    static int32_t zeros[3 * MOST];
    for (int d = 0; d < 2; d++) {
        const uint32_t dtype = d ? QC_BF16 : QC_F16;
        const uint32_t infinity = d ? 0x7f80 : 0x7c00;
        for (uint32_t i = 0; i < infinity; i++) {
            scales[3 * i] = (half_value(dtype, i) + half_value(dtype, i + 1)) / 2;
            scales[3 * i + 1] = nextafter(scales[3 * i], 0);
            scales[3 * i + 2] = nextafter(scales[3 * i], INFINITY);
            ones[3 * i] = ones[3 * i + 1] = ones[3 * i + 2] = 1;
        }
        const int64_t count = 3 * (int64_t)infinity;
        qc_call call =
            dequantize_call(row_of(QC_U8, ones, count), row_of(QC_F64, scales, count),
                            row_of(QC_S32, zeros, count), dtype);
        call.attrs.axis = 0;
        qc_oracle *const oracle = open_oracle(&call, NULL, QC_ORACLE_MPFR);
        qc_oracle_expect(oracle, Y_DEQUANTIZE, 0, count, got);
        qc_oracle_close(oracle);
        for (uint32_t i = 0; i < infinity; i++) {
            assert_int_equal(got[3 * i].bits, i + i % 2);
            assert_int_equal(got[3 * i + 1].bits, i);
            assert_int_equal(got[3 * i + 2].bits, i + 1);
        }
    }
}

/* x of 2 x 3 with axis 1 and -1, strided every way: the plumbing. */
static void channels_and_strides(void **unused)
{
    (void)unused;
    float x[16] = {9, 10, 9, 20, 9, 30, 9, 9, 9, 40, 9, 50, 9, 60, 9, 9};
    float scales[6] = {1, 9, 2, 9, 4, 9};
    int32_t zps[3] = {1, 2, 3};
    int8_t q[6];
    static const int8_t want[6] = {11, 12, 11, 41, 27, 18};
    static const int8_t want_flipped[6] = {11, 41, 12, 27, 11, 18};
    for (int path = 0; path < 3; path++) {
        for (int axis = -1; axis < 2; axis += 2) {
            qc_call call =
                quantize_call((qc_tensor){.dtype = QC_F32,
                                          .rank = 2,
                                          .dims = {2, 3},
                                          .strides = {8, 2},
                                          .offset = 1,
                                          .data = x},
                              row_of(QC_F32, scales, 3), row_of(QC_S32, zps, 3), QC_S8);
            qc_expected got[6];
            call.args[1].strides[0] = 2;
            call.args[Q] = (qc_tensor){
                .dtype = QC_S8, .rank = 2, .dims = {2, 3}, .strides = {3, 1}, .data = q};
            call.attrs.axis = axis;
            qc_oracle *oracle = open_oracle(&call, NULL, (qc_oracle_path)path);
            qc_oracle_expect(oracle, Q, 0, 6, got);
            qc_oracle_close(oracle);
            for (int i = 0; i < 6; i++) {
                assert_int_equal((int8_t)got[i].bits, want[i]);
            }
            call.args[0].dims[0] = call.args[Q].dims[0] = 3; /* the same data as 3 x 2 */
            call.args[0].dims[1] = call.args[Q].dims[1] = 2;
            call.args[0].strides[0] = 2;
            call.args[0].strides[1] = 8;
            call.attrs.axis = axis - 1 < -1 ? -2 : 0;
            oracle = open_oracle(&call, NULL, (qc_oracle_path)path);
            qc_oracle_expect(oracle, Q, 1, 5, got + 1);
            qc_oracle_close(oracle);
            for (int i = 1; i < 6; i++) {
                assert_int_equal((int8_t)got[i].bits, want_flipped[i]);
            }
        }
    }
}

static void refusals(void **unused)
{
    (void)unused;
    float x = 0;
    parameter one = parameter_of(1);
    qc_call call = quantize_call(row_of(QC_F32, &x, 1), scalar_of(QC_F32, &one),
                                 scalar_of(QC_S32, &one), QC_S8);
    qc_oracle *oracle = NULL;
    qc_message message = {{0}};
    qc_steps steps;
    assert_int_equal(
        qc_steps_parse("div(f32) rint(half_even) addzp(exact) clamp(grid)", &steps, NULL),
        QC_OK);
    assert_int_equal(qc_oracle_open(&call, &steps, QC_ORACLE_GMP, &oracle, &message),
                     QC_UNSUPPORTED);
    assert_int_equal(qc_oracle_open(&call, &steps, QC_ORACLE_FILTER, &oracle, &message),
                     QC_UNSUPPORTED);
    assert_int_equal(qc_steps_parse("div(exact) acc(s32,wrap)", &steps, NULL), QC_OK);
    assert_int_equal(qc_oracle_open(&call, &steps, QC_ORACLE_MPFR, &oracle, &message),
                     QC_UNSUPPORTED);
    call.profile = "no such profile";
    assert_int_equal(qc_oracle_open(&call, NULL, QC_ORACLE_MPFR, &oracle, &message),
                     QC_UNSUPPORTED);
    one.f32 = 0;
    assert_int_equal(qc_oracle_open(&call, NULL, QC_ORACLE_MPFR, &oracle, &message),
                     QC_INVALID);
    assert_true(message.text[0] != 0);
}

static void preconditions(void **unused)
{
    (void)unused;
    qc_message message = {{0}};
    if (qc_oracle_preconditions(&message) != QC_OK) {
        fail_msg("%s", message.text);
    }
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        fesetround(modes[i]);
        const qc_status status = qc_oracle_preconditions(&message);
        fesetround(FE_TONEAREST);
        assert_int_equal(status, QC_FAULT);
    }
#if defined(__SSE2__)
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8000u);
    const qc_status flushing = qc_oracle_preconditions(&message);
    _mm_setcsr(saved | 0x0040u);
    const qc_status ignoring = qc_oracle_preconditions(&message);
    _mm_setcsr(saved);
    assert_int_equal(flushing, QC_FAULT);
    assert_int_equal(ignoring, QC_FAULT);
#endif
}

static void no_faults(void **unused)
{
    (void)unused;
    qc_message message = {{0}};
    if (qc_oracle_faults(&message) != 0) {
        fail_msg("%s", message.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_codes),       cmocka_unit_test(masks),
        cmocka_unit_test(dequantized_bits), cmocka_unit_test(typed_steps),
        cmocka_unit_test(half_midpoints),   cmocka_unit_test(channels_and_strides),
        cmocka_unit_test(refusals),         cmocka_unit_test(preconditions),
        cmocka_unit_test(no_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
