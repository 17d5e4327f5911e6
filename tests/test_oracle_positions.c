/* SPDX-License-Identifier: Apache-2.0 */
/* Where elements lie: positions among ties, deviations of codes, codes of values, views. */
#include "oracle_calls.h"

static qc_position position_of(float x, float s, int32_t z)
{
    parameter scale = parameter_of((double)s);
    parameter zp = parameter_of(z);
    const qc_call call = quantize_call(row_of(QC_F32, &x, 1), scalar_of(QC_F32, &scale),
                                       scalar_of(QC_S32, &zp), QC_S8);
    qc_position position;
    qc_oracle *const oracle = open_oracle(&call, NULL, QC_ORACLE_MPFR);
    qc_oracle_position(oracle, 0, &position);
    qc_oracle_close(oracle);
    return position;
}

static void positions(void **unused)
{
    (void)unused;
    static const struct {
        float x;
        int32_t z;
        qc_position want;
    } rows[] = {
        {0.5f, 0, {0, 0, 0, 1}},
        {0.75f, 0, {0, 1, 0.25, 1}},
        {0.25f, 0, {0, -1, 0.25, 1}},
        {1, 0, {0, 1, 0.5, 1}},
        {-1, 0, {-2, 1, 0.5, 1}},
        {-0.25f, 0, {-1, 1, 0.25, 1}},
        {127, 0, {126, 1, 0.5, 1}},
        {128, 0, {127, 1, 0.5, 1}},
        {200, 0, {127, 1, 72.5, 1}},
        {200, 27, {100, 1, 99.5, 1}},
        {-200, 0, {-129, -1, 71.5, 1}},
        {-129, 0, {-129, -1, 0.5, 1}},
        {INFINITY, 0, {127, 1, INFINITY, 1}},
        {-INFINITY, 2, {-131, -1, INFINITY, 1}},
        {0.49999997f, 0, {0, -1, 0x1p-25, 1}},
        {0x1p-149f, 0, {0, -1, 0.5 - 0x1p-54, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const qc_position got = position_of(rows[i].x, 1, rows[i].z);
        const qc_position want = rows[i].want;
        if (got.tie != want.tie || got.side != want.side ||
            got.distance != want.distance || got.defined != want.defined) {
            fail_msg("row %zu: tie %d side %d distance %a", i, got.tie, got.side,
                     got.distance);
        }
    }
    assert_int_equal(position_of(NAN, 1, 0).defined, 0);
    const qc_position close = position_of(0x1.cac084p-9f, 0.001f, 0);
    assert_int_equal(close.tie, 3);
    assert_int_equal(close.side, -1);
    assert_true(close.distance > 0 && close.distance < 0x1p-23);
}

static void deviations(void **unused)
{
    (void)unused;
    static const struct {
        float x;
        double z;
        uint32_t zp_dtype;
        int32_t code;
        int clamped;
        qc_deviation want;
    } rows[] = {
        {2.5f, 0, QC_S32, 3, 1, {0, 2.5, 2.5}},
        {2.5f, 1, QC_S32, 5, 1, {1, 2.5, 3.5}},
        {-2.75f, 1, QC_S32, -3, 1, {0.75, 2.75, 1.75}},
        {200, 0, QC_S32, 127, 1, {-0.5, 200, 200}},
        {200.25f, 0, QC_S32, 127, 1, {-0.25, 200.25, 200.25}},
        {200, 0, QC_S32, 127, 0, {72.5, 200, 200}},
        {200, 0, QC_S32, -128, 1, {327.5, 200, 200}},
        {200, 0, QC_S32, 300, 0, {99.5, 200, 200}},
        {1.5f, 0.25, QC_F32, 3, 1, {0.75, 1.5, 1.75}},
        {INFINITY, 0, QC_S32, -128, 1, {INFINITY, 0, 0}},
        {NAN, 0, QC_S32, 0, 1, {INFINITY, 0, 0}},
        {0, 0, QC_S32, 1, 1, {0.5, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float x = rows[i].x;
        parameter scale = parameter_of(1);
        parameter zp = parameter_of(rows[i].z);
        const qc_call call =
            quantize_call(row_of(QC_F32, &x, 1), scalar_of(QC_F32, &scale),
                          scalar_of(rows[i].zp_dtype, &zp), QC_S8);
        qc_deviation got;
        qc_oracle *const oracle = open_oracle(&call, NULL, QC_ORACLE_MPFR);
        qc_oracle_deviation(oracle, 0, rows[i].code, rows[i].clamped, &got);
        qc_oracle_close(oracle);
        if (got.excess != rows[i].want.excess ||
            got.magnitude != rows[i].want.magnitude || got.sum != rows[i].want.sum) {
            fail_msg("row %zu: excess %a magnitude %a sum %a", i, got.excess,
                     got.magnitude, got.sum);
        }
    }
}

static void codes_of_values(void **unused)
{
    (void)unused;
    float x = 0;
    parameter scale = parameter_of(0.5);
    parameter zp = parameter_of(1);
    const qc_call call = fake_quantize_call(
        row_of(QC_F32, &x, 1), scalar_of(QC_F32, &scale), scalar_of(QC_S32, &zp));
    int32_t low;
    int32_t high;
    qc_oracle *oracle = open_oracle(&call, NULL, QC_ORACLE_MPFR);
    assert_true(qc_oracle_codes_of(oracle, 0, bits_of_f32(1.5f), &low, &high));
    assert_int_equal(low, 4);
    assert_int_equal(high, 4);
    assert_false(qc_oracle_codes_of(oracle, 0, bits_of_f32(1.25f), &low, &high));
    qc_oracle_close(oracle);
    /* One code in four keeps a value of its own where f16 underflows. */
    uint16_t half = 0;
    scale = parameter_of(0x1p-26);
    zp = parameter_of(0);
    const qc_call narrow = fake_quantize_call(
        row_of(QC_F16, &half, 1), scalar_of(QC_F32, &scale), scalar_of(QC_S32, &zp));
    oracle = open_oracle(&narrow, NULL, QC_ORACLE_MPFR);
    assert_true(qc_oracle_codes_of(oracle, 0, 1, &low, &high));
    assert_int_equal(low, 3);
    assert_int_equal(high, 5);
    assert_true(qc_oracle_codes_of(oracle, 0, 0, &low, &high));
    assert_int_equal(low, 0);
    assert_int_equal(high, 2);
    qc_oracle_close(oracle);
}

/* Every code's run, found by comparing its value with all others'. */
static void check_runs(uint32_t dtype, double scale_value, float zp_value)
{
    uint64_t x = 0;
    uint8_t codes[256];
    qc_expected values[256];
    parameter scale = parameter_of(scale_value);
    parameter zp = {.f32 = zp_value};
    for (int i = 0; i < 256; i++) {
        codes[i] = (uint8_t)(i - 128);
    }
    const qc_tensor s = scalar_of(QC_F32, &scale);
    const qc_tensor z = scalar_of(QC_F32, &zp);
    const qc_call back = dequantize_call(row_of(QC_S8, codes, 256), s, z, dtype);
    const qc_call call = fake_quantize_call(row_of(dtype, &x, 1), s, z);
    qc_oracle *oracle = open_oracle(&back, NULL, QC_ORACLE_GMP);
    qc_oracle_expect(oracle, QC_ARG_OF(dequantize, y), 0, 256, values);
    qc_oracle_close(oracle);
    oracle = open_oracle(&call, NULL, QC_ORACLE_MPFR);
    for (int32_t i = 0; i < 256; i++) {
        int32_t low = i;
        int32_t high = i;
        int32_t found[2];
        while (low > 0 && values[low - 1].bits == values[i].bits) {
            low--;
        }
        while (high < 255 && values[high + 1].bits == values[i].bits) {
            high++;
        }
        assert_true(qc_oracle_codes_of(oracle, 0, values[i].bits, &found[0], &found[1]));
        assert_int_equal(found[0], low - 128);
        assert_int_equal(found[1], high - 128);
    }
    qc_oracle_close(oracle);
}

/* Plain scales; underflow, overflow and few bits, where codes share values; zero points
   that lose the codes wholly, or leave binary64 no good guess. */
static void codes_of_runs(void **unused)
{
    (void)unused;
    static const uint32_t dtypes[] = {QC_F32, QC_F64, QC_F16, QC_BF16};
    static const double scales[] = {0.1, 0x1p-26, 1000.0, 3e38, 0x1p-149, 0x1p-140, 0.7};
    static const float zps[] = {0, 0.3f, -300, 1e30f, 1e-40f, 400.5f, 5000, 0x1p56f};
    for (int d = 0; d < 4; d++) {
        for (int s = 0; s < 7; s++) {
            for (int z = 0; z < 8; z++) {
                check_runs(dtypes[d], scales[s], zps[z]);
            }
        }
    }
}

/* One channel, rows that step unlike each other, from the middle of one on. */
static void rows_of_one_channel(void **unused)
{
    (void)unused;
    static const int64_t shape[3][3] = {{2, 2, 3}, {1, 11, 3}, {6, 3, 1}};
    const uint32_t q = QC_ARG_OF(quantize, q);
    float x[24];
    for (int i = 0; i < 24; i++) {
        x[i] = (float)i;
    }
    parameter one = parameter_of(1);
    parameter zero = parameter_of(0);
    qc_call call = quantize_call(row_of(QC_F32, x, 12), scalar_of(QC_F32, &one),
                                 scalar_of(QC_S32, &zero), QC_S8);
    call.args[0].rank = call.args[q].rank = 3;
    call.args[0].offset = 2;
    for (int d = 0; d < 3; d++) {
        call.args[0].dims[d] = call.args[q].dims[d] = shape[0][d];
        call.args[0].strides[d] = shape[1][d];
        call.args[q].strides[d] = shape[2][d];
    }
    for (int path = 0; path < 3; path++) {
        qc_expected got[12];
        qc_oracle *const oracle = open_oracle(&call, NULL, (qc_oracle_path)path);
        qc_oracle_expect(oracle, q, 1, 11, got + 1);
        qc_oracle_close(oracle);
        for (int i = 1; i < 12; i++) {
            assert_int_equal(got[i].bits, 2 + i / 6 + i / 3 % 2 * 11 + i % 3 * 3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),           cmocka_unit_test(deviations),
        cmocka_unit_test(codes_of_values),     cmocka_unit_test(codes_of_runs),
        cmocka_unit_test(rows_of_one_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
