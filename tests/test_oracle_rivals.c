/* SPDX-License-Identifier: Apache-2.0 */
/* Every rival that a call is said to tell apart has an element that does, found by the
   families of semantics.md part L; and every row of rivals.def is met by some call. */
#include "oracle_calls.h"

#include <stdlib.h>

#include "quantcert/half.h"

enum { MOST_X = 1024 };

static const char *const names[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) #rival,
#include "rivals.def"
#undef QC_RIVAL
};
static const char *const lemmas[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) lemma,
#include "rivals.def"
#undef QC_RIVAL
};
enum { NAMES = sizeof names / sizeof names[0] };

static const char *const replaced[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) from,
#include "rivals.def"
#undef QC_RIVAL
};

typedef struct witnesses {
    union {
        double f64[MOST_X];
        float f32[MOST_X];
        uint16_t half[MOST_X];
        uint8_t code[MOST_X];
    } x;
    uint32_t dtype;
    int64_t count;
} witnesses;

static void put(witnesses *w, double x)
{
    const int64_t i = w->count++;
    assert_true(i < MOST_X);
    switch (w->dtype) {
    case QC_F64: w->x.f64[i] = x; break;
    case QC_F32: w->x.f32[i] = (float)x; break;
    case QC_F16: w->x.half[i] = qc_f64_to_f16(x); break;
    default: w->x.half[i] = qc_f64_to_bf16(x);
    }
}

/* Elements for one scale: L1 (odd multiples of powers of two), L3 and L4 (odd multiples
   of small odd numbers), ties and their neighbours (L2, L4, L6, L12), L8. */
static void fill(witnesses *w, double s, int multiply)
{
    w->count = 0;
    for (int j = 1; j < 86; j += 2) {
        put(w, j);
        put(w, -0.125 * j);
    }
    for (int d = 3; d < 8; d += 2) {
        for (int k = 1; k < 62; k += 2) {
            put(w, d * k);
        }
    }
    for (int k = -140; k < 140; k++) {
        const double tie = multiply ? (k + 0.5) / s : (k + 0.5) * s;
        put(w, tie);
        put(w, nextafter(tie, k % 2 ? INFINITY : -INFINITY));
    }
    put(w,
        147); /* 3 * 49: with s = 98 the one tie of bf16 that an f64 reciprocal misses */
    const double outside[] = {INFINITY, -INFINITY, 3e9,     -3e9,
                              1e30,     -1e30,     300 * s, -300 * s};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        put(w, outside[i]);
    }
}

static void expect_list(const qc_call *call, const qc_steps *list, uint32_t arg,
                        int64_t count, qc_expected *expected_ret)
{
    qc_message message = {{0}};
    qc_oracle *oracle;
    if (qc_oracle_open(call, list, QC_ORACLE_MPFR, &oracle, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
    qc_oracle_expect(oracle, arg, 0, count, expected_ret);
    qc_oracle_close(oracle);
}

static int differ(const qc_call *call, const qc_steps *rival, uint32_t arg, int64_t count,
                  const qc_expected *ideal)
{
    static qc_expected other[MOST_X];
    expect_list(call, rival, arg, count, other);
    for (int64_t i = 0; i < count; i++) {
        if (ideal[i].kind == QC_EXPECT_VALUE && other[i].kind == QC_EXPECT_VALUE &&
            ideal[i].bits != other[i].bits) {
            return 1;
        }
    }
    return 0;
}

/* Which rivals of a call were told apart so far, by position in the call's own list. */
typedef struct progress {
    int told[QC_MAX_RIVALS];
    qc_rival rivals[QC_MAX_RIVALS];
    size_t count;
    int met[NAMES]; /* over all calls */
} progress;

static void begin(progress *p, const qc_call *call)
{
    qc_steps steps;
    assert_int_equal(qc_steps_parse(qc_profile_find(call)->steps_text, &steps, NULL),
                     QC_OK);
    memset(p->told, 0, sizeof p->told);
    p->count = qc_rivals_of(call, &steps, p->rivals);
}

static int is_done(const progress *p)
{
    size_t done = 0;
    while (done < p->count && p->told[done]) {
        done++;
    }
    return done == p->count;
}

static void advance(progress *p, const qc_call *call, int64_t count)
{
    static qc_expected ideal[MOST_X];
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t arg = 0; arg < info->arg_count && !is_done(p); arg++) {
        if (!info->args[arg].is_output) {
            continue;
        }
        expect_list(call, NULL, arg, count, ideal);
        for (size_t r = 0; r < p->count; r++) {
            p->told[r] =
                p->told[r] || differ(call, &p->rivals[r].steps, arg, count, ideal);
        }
    }
}

static void finish(progress *p, const qc_call *call)
{
    for (size_t r = 0; r < p->count; r++) {
        if (!p->told[r]) {
            fail_msg("%s: no witness for %s: body %s, scale %s, zero point %s, form %d, "
                     "grid %d ... %d",
                     qc_op_get(call->op)->name, p->rivals[r].name,
                     qc_dtype_name(call->args[0].dtype),
                     qc_dtype_name(call->args[1].dtype),
                     qc_dtype_name(call->args[2].dtype), (int)call->attrs.scale_form,
                     (int)call->attrs.qmin, (int)call->attrs.qmax);
        }
        for (int n = 0; n < NAMES; n++) {
            p->met[n] |= !strcmp(names[n], p->rivals[r].name);
        }
    }
}

static const double scales[] = {1,       0.25,   6,        0x1p-130, 2.0 / 3,
                                1.0 / 6, 0.1,    1.0 / 10, 1.0 / 14, 0x1p-7 / 3,
                                0.7,     0.0123, 98};
enum { LISTED = sizeof scales / sizeof scales[0], SCALES = LISTED + 12 };

/* L11: a third of the n-th midpoint above 1 of a narrow dtype. */
static double third_of_midpoint(uint32_t dtype, int n)
{
    const double unit = dtype == QC_BF16 ? 0x1p-8 : dtype == QC_F16 ? 0x1p-11 : 0x1p-24;
    return (1 + unit * (1 + 2 * n)) / 3;
}

/* Zero points: odd, even, at the ends of the grid; float ones with a fraction or next to
 * 0. */
static double zero_point(int n, int is_float, int32_t qmin, int32_t qmax)
{
    const double middle = qmin + (qmax - qmin) / 2;
    const double whole[] = {middle, middle + 1, qmin, qmax};
    const double real[] = {0x1p-60, middle, middle + 0.3, qmin + 0.5};
    return is_float ? real[n] : whole[n];
}

static void to_codes(progress *p, qc_call call, uint32_t scale_dtype, int is_float)
{
    static witnesses w;
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(&call, &qmin, &qmax);
    w.dtype = call.args[0].dtype;
    for (int n = 0; n < SCALES * 4 && (n == 0 || !is_done(p)); n++) {
        const int listed = n / 4 < LISTED;
        parameter scale = parameter_of(
            listed ? scales[n / 4] : third_of_midpoint(w.dtype, n / 4 - LISTED));
        parameter zp = parameter_of(zero_point(n % 4, is_float, qmin, qmax));
        const double s = scale_dtype == QC_F32 ? (double)scale.f32 : scale.f64;
        call.args[1] = scalar_of(scale_dtype, &scale);
        call.args[2] = scalar_of(is_float ? QC_F32 : QC_S32, &zp);
        fill(&w, s, call.attrs.scale_form == QC_SCALE_FORM_multiply);
        call.args[0] = row_of(w.dtype, &w.x, w.count);
        for (uint32_t arg = 3; arg < qc_op_get(call.op)->arg_count; arg++) {
            call.args[arg].dims[0] = w.count;
        }
        if (n == 0) {
            begin(p, &call);
        }
        advance(p, &call, w.count);
    }
    finish(p, &call);
}

static const uint32_t floats[] = {QC_F32, QC_F64, QC_F16, QC_BF16};

static void rivals_of_quantize(progress *p)
{
    const qc_tensor none = {0};
    for (int i = 0; i < 128; i++) {
        const uint32_t code = i / 4 % 2 ? QC_U8 : QC_S8;
        qc_call call =
            quantize_call(row_of(floats[i % 4], output_stand_in, 1), none, none, code);
        if (i / 8 % 2) {
            call.attrs.qmin = code == QC_U8 ? 10 : -100;
            call.attrs.qmax = 90;
        }
        call.attrs.scale_form =
            i / 16 % 2 ? QC_SCALE_FORM_multiply : QC_SCALE_FORM_divide;
        to_codes(p, call, i / 32 % 2 ? QC_F64 : QC_F32, i / 64);
    }
}

static void rivals_of_fake_quantize(progress *p)
{
    static const int32_t grids[4][2] = {{-128, 127}, {0, 255}, {-100, 90}, {3, 200}};
    const qc_tensor none = {0};
    for (int i = 0; i < 64; i++) {
        qc_call call =
            fake_quantize_call(row_of(floats[i % 4], output_stand_in, 1), none, none);
        call.attrs.qmin = grids[i / 4 % 4][0];
        call.attrs.qmax = grids[i / 4 % 4][1];
        to_codes(p, call, i / 16 % 2 ? QC_F64 : QC_F32, i / 32);
    }
}

/* L11: a third of midpoints of the narrow dtypes; L10: all codes and odd scales. */
static void rivals_of_dequantize(progress *p)
{
    static uint8_t codes[256];
    for (int i = 0; i < 256; i++) {
        codes[i] = (uint8_t)i;
    }
    for (int i = 0; i < 32; i++) {
        const uint32_t y = floats[i % 4];
        const uint32_t code = i / 4 % 2 ? QC_U8 : QC_S8;
        const uint32_t scale_dtype = i / 8 % 2 ? QC_F64 : QC_F32;
        const int is_float = i / 16;
        qc_call call;
        for (int n = 0; n < 400 && (n == 0 || !is_done(p)); n++) {
            parameter scale = parameter_of(third_of_midpoint(y, n / 4));
            parameter zp = parameter_of(zero_point(
                n % 4, is_float, code == QC_U8 ? 0 : -128, code == QC_U8 ? 255 : 127));
            call =
                dequantize_call(row_of(code, codes, 256), scalar_of(scale_dtype, &scale),
                                scalar_of(is_float ? QC_F32 : QC_S32, &zp), y);
            if (n == 0) {
                begin(p, &call);
            }
            advance(p, &call, 256);
        }
        finish(p, &call);
    }
}

/* Rivals of ranges have no call here: runs count theirs (harness/discriminate.c). */
static int is_of_ranges(const char *lemma)
{
    const int number = atoi(lemma + 1);
    return number >= 30 && number <= 38;
}

static void every_rival_has_a_witness(void **unused)
{
    (void)unused;
    static progress p;
    rivals_of_quantize(&p);
    rivals_of_fake_quantize(&p);
    rivals_of_dequantize(&p);
    for (int n = 0; n < NAMES; n++) {
        const int is_mask = strstr(replaced[n], "mask(") || strstr(replaced[n], "pass(");
        const int is_requantize = lemmas[n][0] == 'U';
        /* lemmas L20 to L26: runs count the rivals of linear, 8 + 8 hits each */
        const int is_linear = strlen(lemmas[n]) == 3 && !strncmp(lemmas[n], "L2", 2);
        if (!p.met[n] && !is_mask && !is_requantize && !is_linear &&
            !is_of_ranges(lemmas[n])) { /* theirs have tests of their own */
            fail_msg("no call has the rival %s", names[n]);
        }
    }
    assert_int_equal(qc_oracle_faults(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rival_has_a_witness)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
