/* SPDX-License-Identifier: Apache-2.0 */
/* MPFR, integers and the filter agree wherever each of them answers. */
#include "oracle_calls.h"

#include <inttypes.h>
#include <stdlib.h>

#include "quantcert/half.h"

typedef struct tally {
    int64_t compared; /* elements for which two paths answered, pair by pair */
    int64_t unknown;  /* elements that the filter left */
    int64_t elems;
} tally;

static void report(const char *what, tally t)
{
    print_message("%s: %" PRId64 " elements, %" PRId64 " comparisons, %" PRId64
                  " unknown to the filter, 0 disagreements\n",
                  what, t.elems, t.compared, t.unknown);
}

enum { CHUNK = 4096 };

static void check_element(const qc_call *call, uint32_t arg, int64_t i, qc_expected exact,
                          qc_expected other, const char *path)
{
    if (exact.kind != other.kind || exact.bits != other.bits) {
        fail_msg("%s, argument %u, element %" PRId64 ": mpfr %u:%#" PRIx64
                 ", %s %u:%#" PRIx64,
                 qc_op_get(call->op)->name, (unsigned)arg, i, exact.kind, exact.bits,
                 path, other.kind, other.bits);
    }
}

static void compare_output(const qc_call *call, qc_oracle *const paths[3], uint32_t arg,
                           tally *t)
{
    static qc_expected found[3][CHUNK];
    const int64_t elems = qc_tensor_elems(&call->args[arg]);
    for (int64_t first = 0; first < elems; first += CHUNK) {
        const int64_t count = elems - first < CHUNK ? elems - first : CHUNK;
        for (int p = 0; p < 3; p++) {
            qc_oracle_expect(paths[p], arg, first, count, found[p]);
        }
        for (int64_t i = 0; i < count; i++) {
            const qc_expected filtered = found[QC_ORACLE_FILTER][i];
            check_element(call, arg, first + i, found[0][i], found[1][i], "integers");
            if (filtered.kind == QC_EXPECT_UNKNOWN) {
                t->unknown++;
            } else {
                check_element(call, arg, first + i, found[0][i], filtered, "filter");
                t->compared += 2; /* with mpfr, and so with the integers */
            }
            t->compared++;
            t->elems++;
        }
    }
}

static void compare_paths(const qc_call *call, tally *t)
{
    qc_oracle *paths[3];
    for (int p = 0; p < 3; p++) {
        paths[p] = open_oracle(call, NULL, (qc_oracle_path)p);
    }
    for (uint32_t arg = 0; arg < qc_op_get(call->op)->arg_count; arg++) {
        if (qc_op_get(call->op)->args[arg].is_output &&
            call->args[arg].dtype != QC_NONE) {
            compare_output(call, paths, arg, t);
        }
    }
    for (int p = 0; p < 3; p++) {
        qc_oracle_close(paths[p]);
    }
}

/* Parameters of set i: every combination of the choices comes up, scales from a list of
   hard ones and then at random, over the exponents that matter for the domain. */
typedef struct choice {
    parameter scale;
    parameter zp;
    uint32_t scale_dtype;
    uint32_t zp_dtype;
    uint32_t code;
    int32_t qmin;
    int32_t qmax;
    int multiply;
} choice;

static const double hard_scales[] = {0.1,
                                     0.001,
                                     0.003,
                                     1.0 / 3,
                                     1,
                                     0x1p-24,
                                     0x1p-25,
                                     3,
                                     0.05,
                                     1e-39,
                                     0x1p-149,
                                     3e38,
                                     65504.0 / 127,
                                     0x1.fffffep-9,
                                     0x1.000002p-3,
                                     0.7,
                                     1e-5,
                                     12345.678,
                                     0x1.555556p-7,
                                     0x1.99999ap-4};

static choice choose(uint64_t i, int low_exponent, int exponents)
{
    enum { HARD = sizeof hard_scales / sizeof hard_scales[0] };
    uint64_t state = i * 977 + 1;
    choice c = {.scale_dtype = i % 2 ? QC_F64 : QC_F32,
                .code = i / 2 % 2 ? QC_U8 : QC_S8};
    c.multiply = i / 4 % 3 == 2;
    c.zp_dtype = i % 7 == 3 ? QC_F32 : i % 7 == 5 ? QC_S64 : QC_S32;
    const int is_narrow = i % 5 == 4;
    c.qmin = (c.code == QC_S8 ? -128 : 0) + (is_narrow ? 1 + (int32_t)(i % 60) : 0);
    c.qmax = (c.code == QC_S8 ? 127 : 255) - (is_narrow ? (int32_t)(i % 50) : 0);
    const int exponent = low_exponent + (int)(random_bits(&state) % (unsigned)exponents);
    const double mantissa = 1 + (double)(random_bits(&state) >> 12) * 0x1p-52;
    const double scale = i < HARD * 2 ? hard_scales[i / 2] : ldexp(mantissa, exponent);
    c.scale = parameter_of(c.multiply && i >= HARD * 2 ? 1 / scale : scale);
    const int32_t code =
        c.qmin + (int32_t)(random_bits(&state) % (unsigned)(c.qmax - c.qmin + 1));
    const double whole = i % 3 ? code : i % 2 ? c.qmin : c.qmax;
    const double fraction = i % 4 ? (double)(random_bits(&state) % 1000) / 1000 : 0x1p-60;
    c.zp = parameter_of(c.zp_dtype == QC_F32 ? whole + fraction : whole);
    return c;
}

static qc_call call_of(choice *c, qc_tensor x, int is_fake)
{
    const qc_tensor scale = scalar_of(c->scale_dtype, &c->scale);
    const qc_tensor zp = scalar_of(c->zp_dtype, &c->zp);
    qc_call call =
        is_fake ? fake_quantize_call(x, scale, zp) : quantize_call(x, scale, zp, c->code);
    call.attrs.qmin = c->qmin;
    call.attrs.qmax = c->qmax;
    call.attrs.scale_form =
        c->multiply && !is_fake ? QC_SCALE_FORM_multiply : QC_SCALE_FORM_divide;
    return call;
}

/* All 65,536 values of f16 under 200 sets of parameters by quantize, and 24 by
 * fake_quantize. */
static void whole_f16(void **unused)
{
    (void)unused;
    static uint16_t x[65536];
    tally t = {0};
    for (uint32_t i = 0; i < 65536; i++) {
        x[i] = (uint16_t)i;
    }
    for (uint64_t i = 0; i < 200; i++) {
        choice c = choose(i, -24, 36);
        const qc_call call = call_of(&c, row_of(QC_F16, x, 65536), 0);
        compare_paths(&call, &t);
    }
    report("quantize, f16, 200 sets", t);
    assert_true(t.elems == 200 * 65536);
    t = (tally){0};
    for (uint64_t i = 0; i < 24; i++) {
        choice c = choose(i * 9 + 1, -24, 36);
        const qc_call call = call_of(&c, row_of(QC_F16, x, 65536), 1);
        compare_paths(&call, &t);
    }
    report("fake_quantize, f16, 24 sets", t);
}

enum { NEAR = 2048 };

/* An x of the dtype at a tie of the choice, up to two units off; now and then anything.
 */
static uint64_t near_tie(uint64_t *state, const choice *c, uint32_t dtype)
{
    const uint64_t r = random_bits(state);
    if (r % 16 == 0) {
        return random_bits(state) >> (64 - 8 * qc_dtype_bytes(dtype));
    }
    const double s = c->scale_dtype == QC_F32 ? (double)c->scale.f32 : c->scale.f64;
    const double z = c->zp_dtype == QC_F32 ? (double)c->zp.f32 : 0;
    const double tie = (double)(r >> 8 & 1023) - 511.5 - z;
    const double x = c->multiply ? tie / s : tie * s;
    const uint64_t off = (r >> 20) % 5 - 2;
    switch (dtype) {
    case QC_F64: return bits_of_f64(x) + off;
    case QC_F32: return (uint32_t)(bits_of_f32((float)x) + off);
    case QC_F16: return (uint16_t)(qc_f64_to_f16(x) + off);
    default: return (uint16_t)(qc_f64_to_bf16(x) + off);
    }
}

static void store(void *data, int64_t i, uint32_t dtype, uint64_t bits)
{
    const uint32_t b32 = (uint32_t)bits;
    const uint16_t b16 = (uint16_t)bits;
    switch (qc_dtype_bytes(dtype)) {
    case 8: memcpy((uint64_t *)data + i, &bits, 8); break;
    case 4: memcpy((uint32_t *)data + i, &b32, 4); break;
    default: memcpy((uint16_t *)data + i, &b16, 2);
    }
}

static void near_ties(void **unused)
{
    (void)unused;
    static const uint32_t dtypes[] = {QC_F32, QC_F64, QC_BF16, QC_F16};
    static uint64_t x[NEAR];
    uint64_t state = 42;
    for (int d = 0; d < 4; d++) {
        tally t = {0};
        for (uint64_t i = 0; i < 300; i++) {
            /* A third of the scales anywhere in f32, where sums have hundreds of bits. */
            choice c = i % 3 ? choose(i, -40, 80) : choose(i + 60, -140, 260);
            const uint32_t dtype = dtypes[d];
            for (int64_t n = 0; n < NEAR; n++) {
                store(x, n, dtype, near_tie(&state, &c, dtype));
            }
            const qc_call call = call_of(&c, row_of(dtype, x, NEAR), i % 4 == 0);
            compare_paths(&call, &t);
        }
        report(qc_dtype_name(dtypes[d]), t);
    }
}

/* Scales and elements of any bits that are valid, f64 with f64: thousands of bits apart.
 */
static void extremes(void **unused)
{
    (void)unused;
    static double x[NEAR];
    static double scales[NEAR];
    static float zps[NEAR];
    static int32_t whole_zps[NEAR];
    uint64_t state = 7;
    tally t = {0};
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < NEAR; i++) {
            uint64_t bits = random_bits(&state) >> 1;
            bits = (bits >> 52) == 0x7ff || bits == 0 ? 1 : bits;
            scales[i] = f64_of_bits(i % 8 ? bits : bits & 0xfffff);
            scales[i] = scales[i] > 0 ? scales[i] : 0x1p-1074;
            bits = random_bits(&state);
            x[i] = i % 2 ? scales[i] * ((double)(bits >> 4 & 255) - 127.5)
                         : f64_of_bits(bits);
            zps[i] = f32_of_bits((uint32_t)(random_bits(&state) & 0xbfffffff));
            whole_zps[i] = (int32_t)(random_bits(&state) & 255) - 128;
        }
        const int is_float = round % 2;
        void *const zp = is_float ? (void *)zps : (void *)whole_zps;
        const qc_tensor scale = row_of(QC_F64, scales, NEAR);
        const qc_tensor zero_point = row_of(is_float ? QC_F32 : QC_S32, zp, NEAR);
        const qc_tensor element = row_of(QC_F64, x, NEAR);
        qc_call call = round % 4 == 2 ? fake_quantize_call(element, scale, zero_point)
                                      : quantize_call(element, scale, zero_point, QC_S8);
        call.attrs.axis = -1;
        call.attrs.scale_form =
            round > 5 && call.op == QC_OP_quantize ? QC_SCALE_FORM_multiply : 0;
        compare_paths(&call, &t);
    }
    report("f64, any exponents, one scale per element", t);
}

/* All codes under scales of every exponent, near the midpoints of narrow dtypes too. */
static void all_codes(void **unused)
{
    (void)unused;
    static const uint32_t dtypes[] = {QC_F32, QC_F64, QC_F16, QC_BF16};
    uint8_t codes[256];
    uint64_t state = 3;
    tally t = {0};
    for (int i = 0; i < 256; i++) {
        codes[i] = (uint8_t)i;
    }
    for (int i = 0; i < 1200; i++) {
        const uint32_t y = dtypes[i % 4];
        const uint32_t scale_dtype = i / 4 % 2 ? QC_F64 : QC_F32;
        const uint32_t zp_dtype = i % 3 ? QC_S32 : i % 2 ? QC_F32 : QC_S64;
        const uint32_t code = i / 8 % 2 ? QC_U8 : QC_S8;
        const int reach = scale_dtype == QC_F64 && i % 5 == 0 ? 1070
                          : y == QC_F16                       ? 28
                                                              : 148;
        const int top = scale_dtype == QC_F64 ? 1023 : 126;
        int exponent = (int)(random_bits(&state) % (unsigned)(2 * reach)) - reach;
        exponent = exponent < top ? exponent : top;
        const double mantissa =
            1 + (double)(random_bits(&state) >> (i % 6 ? 12 : 52)) * 0x1p-52;
        parameter scale = parameter_of(ldexp(mantissa, exponent));
        scale.f32 = scale.f32 > 0 ? scale.f32 : 0x1p-149f;
        const int32_t whole = (int32_t)(random_bits(&state) & 127);
        parameter zp = parameter_of(whole);
        zp.f32 = i % 4 == 1 ? f32_of_bits((uint32_t)(random_bits(&state) & 0xbfffffff))
                            : (float)whole + (float)(i % 100) / 100;
        const qc_call call =
            dequantize_call(row_of(code, codes, 256), scalar_of(scale_dtype, &scale),
                            scalar_of(zp_dtype, &zp), y);
        compare_paths(&call, &t);
    }
    report("dequantize, all codes, 1200 sets", t);
}

/* Float zero points of every exponent, scales of any or few bits: few make true ties and
   midpoints, which a zero point far below them then breaks, or does not. */
typedef struct far_choice {
    parameter scale;
    parameter zp;
    uint32_t scale_dtype;
    int multiply;
} far_choice;

static double few_or_many_bits(uint64_t *state)
{
    const uint64_t r = random_bits(state);
    return r % 2 ? 1 + (double)(r >> 60) / 16 : 1 + (double)(r >> 12) * 0x1p-52;
}

/* Now and then anywhere in the dtype, or among its subnormals. */
static int scale_exponent(uint64_t i, uint64_t r, int is_f64)
{
    switch (i % 7) {
    case 0: return is_f64 ? (int)(r % 2090) - 1074 : (int)(r % 270) - 149;
    case 1: return (int)(r % 50) - (is_f64 ? 1074 : 149);
    default: return (int)(r % 18) - 9;
    }
}

static far_choice choose_far(uint64_t i, uint64_t *state, int lowest_zp, int highest_zp)
{
    far_choice c = {.scale_dtype = i % 2 ? QC_F64 : QC_F32, .multiply = i / 2 % 3 == 2};
    const int zp_exponent =
        lowest_zp + (int)(random_bits(state) % (unsigned)(highest_zp - lowest_zp + 1));
    const double zp = ldexp(few_or_many_bits(state), zp_exponent);
    const int exponent = scale_exponent(i, random_bits(state), i % 2);
    const double scale = ldexp(few_or_many_bits(state), exponent);
    c.scale = parameter_of(scale > 0 ? scale : 0x1p-1074);
    c.scale.f32 = c.scale.f32 > 0 ? c.scale.f32 : 0x1p-149f;
    c.zp = parameter_of(random_bits(state) % 2 ? -zp : zp);
    c.zp.f32 = i % 31 ? c.zp.f32 : (float)(i % 256) - 127.5f; /* 0 at a tie */
    return c;
}

static uint64_t near_far_tie(uint64_t *state, const far_choice *c, uint32_t dtype)
{
    const uint64_t r = random_bits(state);
    const double s = c->scale_dtype == QC_F32 ? (double)c->scale.f32 : c->scale.f64;
    const double tie = (double)(r >> 8 & 511) - 255.5 - (r & 1 ? (double)c->zp.f32 : 0);
    const double x = c->multiply ? tie / s : tie * s;
    const uint64_t off = (r >> 20 & 1) * ((r >> 21) % 5 - 2);
    if ((r >> 25) % 32 == 0) { /* tiny, of either sign */
        return dtype == QC_F64 ? (r >> 60) | r << 63 : (r >> 60) | (r << 31 & 0x80000000);
    }
    return dtype == QC_F64 ? bits_of_f64(x) + off
                           : (uint32_t)(bits_of_f32((float)x) + off);
}

static tally quantize_far(int lowest_zp, int highest_zp, uint64_t sets)
{
    static uint64_t x[NEAR];
    uint64_t state = 11;
    tally t = {0};
    for (uint64_t i = 0; i < sets; i++) {
        far_choice c = choose_far(i, &state, lowest_zp, highest_zp);
        const uint32_t dtype = i / 4 % 2 ? QC_F32 : QC_F64;
        for (int64_t n = 0; n < NEAR; n++) {
            store(x, n, dtype, near_far_tie(&state, &c, dtype));
        }
        qc_call call =
            quantize_call(row_of(dtype, x, NEAR), scalar_of(c.scale_dtype, &c.scale),
                          scalar_of(QC_F32, &c.zp), QC_S8);
        call.attrs.scale_form =
            c.multiply ? QC_SCALE_FORM_multiply : QC_SCALE_FORM_divide;
        compare_paths(&call, &t);
    }
    return t;
}

static void float_zps_in(void **unused)
{
    (void)unused;
    tally t = quantize_far(-149, 42, 400);
    report("quantize, float zero points below 2^43", t);
    assert_true(t.unknown == 0);
    t = quantize_far(-7, 6, 200);
    report("quantize, float zero points of some size", t);
    assert_true(t.unknown == 0);
    t = quantize_far(43, 127, 100);
    report("quantize, float zero points from 2^43 on", t);
}

static void float_zps_out(void **unused)
{
    (void)unused;
    static const uint32_t dtypes[] = {QC_F32, QC_F64, QC_F16, QC_BF16};
    uint8_t codes[256];
    uint64_t state = 13;
    tally t = {0};
    for (int i = 0; i < 256; i++) {
        codes[i] = (uint8_t)i;
    }
    for (uint64_t i = 0; i < 1600; i++) {
        far_choice c = choose_far(i / 4, &state, -149, 127);
        const qc_call call = dequantize_call(
            row_of(i / 8 % 2 ? QC_U8 : QC_S8, codes, 256),
            scalar_of(c.scale_dtype, &c.scale), scalar_of(QC_F32, &c.zp), dtypes[i % 4]);
        compare_paths(&call, &t);
    }
    report("dequantize, float zero points", t);
    assert_true(t.unknown == 0);
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
        cmocka_unit_test(whole_f16),    cmocka_unit_test(near_ties),
        cmocka_unit_test(extremes),     cmocka_unit_test(all_codes),
        cmocka_unit_test(float_zps_in), cmocka_unit_test(float_zps_out),
        cmocka_unit_test(no_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
