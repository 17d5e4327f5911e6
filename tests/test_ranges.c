/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: the three oracle paths, the reference and the kernels on generated cases, the
   rivals' witnesses, and the observer module. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "cases/cases.h"
#include "harness/full.h"
#include "oracles/oracles.h"
#include "quantcert/kernels.h"

enum { MOST = 512 };

typedef struct progress {
    int64_t compared;
    int64_t unknown;
} progress;

static void path_compare(const qc_call *call, uint32_t arg, qc_oracle *exact,
                         qc_oracle_path path, progress *p)
{
    static qc_expected want[MOST];
    static qc_expected other[MOST];
    const int64_t elems = qc_tensor_elems(&call->args[arg]);
    const int64_t count = elems < MOST ? elems : MOST;
    qc_oracle *oracle;
    const qc_status status = qc_oracle_open(call, NULL, path, &oracle, NULL);
    if (status == QC_UNSUPPORTED && path == QC_ORACLE_GMP) {
        return; /* tensorplay-doc's list: MPFR and the filter */
    }
    assert_int_equal(status, QC_OK);
    qc_oracle_expect(exact, arg, 0, count, want);
    qc_oracle_expect(oracle, arg, 0, count, other);
    for (int64_t i = 0; i < count; i++) {
        if (other[i].kind == QC_EXPECT_UNKNOWN) {
            p->unknown++;
            continue;
        }
        assert_int_equal(other[i].kind, want[i].kind);
        if (want[i].kind == QC_EXPECT_VALUE && want[i].bits != other[i].bits) {
            fail_msg("element %lld of output %u: %llx, MPFR %llx", (long long)i, arg,
                     (unsigned long long)other[i].bits, (unsigned long long)want[i].bits);
        }
        p->compared++;
    }
    qc_oracle_close(oracle);
}

static void paths_agree_under(const char *profile)
{
    static const qc_op ops[] = {QC_OP_choose_qparams, QC_OP_observe};
    for (int n = 0; n < 2; n++) {
        size_t count;
        progress p[2] = {{0}};
        qc_group *const groups = qc_full_groups(1u << ops[n], profile, &count);
        assert_true(count > 0);
        for (size_t g = 0; g < count; g++) {
            for (int64_t i = 0; i < 110; i += 3) {
                qc_case item;
                qc_oracle *exact;
                assert_int_equal(qc_group_case(&groups[g], 11, i, &item), QC_OK);
                assert_int_equal(
                    qc_oracle_open(&item.call, NULL, QC_ORACLE_MPFR, &exact, NULL),
                    QC_OK);
                const qc_op_info *const info = qc_op_get(ops[n]);
                for (uint32_t a = 0; a < info->arg_count; a++) {
                    if (info->args[a].is_output) {
                        path_compare(&item.call, a, exact, QC_ORACLE_GMP, &p[0]);
                        path_compare(&item.call, a, exact, QC_ORACLE_FILTER, &p[1]);
                    }
                }
                qc_oracle_close(exact);
                qc_case_free(&item);
            }
        }
        free(groups);
        printf("%s, %s: GMP %lld, filter %lld and %lld unknown, 0 disagree\n",
               qc_op_get(ops[n])->name, profile, (long long)p[0].compared,
               (long long)p[1].compared, (long long)p[1].unknown);
        assert_true(p[0].compared > 5000 || ops[n] == QC_OP_observe);
        assert_true(p[0].compared > 500 && p[1].unknown < p[1].compared);
    }
    assert_int_equal(qc_oracle_faults(NULL), 0);
}

static void paths_agree(void **unused)
{
    (void)unused;
    paths_agree_under("ideal");
    paths_agree_under("tensorplay-doc");
}

static qc_tensor row_of(uint32_t dtype, void *data, int64_t elems)
{
    return (qc_tensor){
        .dtype = dtype, .rank = 1, .dims = {elems}, .strides = {1}, .data = data};
}

/* A14 on both scale dtypes, by the public function. */
static void known_ranges(void **unused)
{
    (void)unused;
    float min[6] = {-1, -3, -0.1f, -0.07f, -0.01f, 0};
    float max[6] = {1, 3, 0.1f, 0.27f, 0.09f, 0};
    float scale[6];
    int32_t zp[6];
    const int32_t on_s8[6] = {-1, -1, 0, -75, -103, -128};
    const qc_tensor lo = row_of(QC_F32, min, 6);
    const qc_tensor hi = row_of(QC_F32, max, 6);
    const qc_tensor s = row_of(QC_F32, scale, 6);
    const qc_tensor z = row_of(QC_S32, zp, 6);
    qc_message message = {""};
    assert_int_equal(
        qc_choose_qparams(&lo, &hi, QC_SCHEME_affine, &s, &z, NULL, &message), QC_OK);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(zp[i], on_s8[i]);
    }
    assert_true(scale[5] == 1);
    max[2] = NAN;
    zp[0] = 77;
    assert_int_equal(
        qc_choose_qparams(&lo, &hi, QC_SCHEME_affine, &s, &z, NULL, &message),
        QC_INVALID);
    assert_non_null(strstr(message.text, "max[2]"));
    assert_int_equal(zp[0], 77);
    assert_int_equal(qc_choose_qparams(&lo, &hi, 7, &s, &z, NULL, &message), QC_INVALID);
}

static void module_per_tensor(void **unused)
{
    (void)unused;
    qc_range_observer *observer;
    qc_message message = {""};
    double scale = -1;
    int64_t zp = -1;
    const qc_tensor s = {.dtype = QC_F64, .data = &scale};
    const qc_tensor z = {.dtype = QC_S64, .data = &zp};
    float x[4] = {NAN, NAN, NAN, NAN};
    qc_tensor batch = row_of(QC_F32, x, 4);
    assert_int_equal(qc_range_observer_open(NULL, &observer, &message), QC_OK);
    assert_int_equal(qc_range_observer_calculate(observer, &s, &z, &message), QC_INVALID);
    assert_non_null(strstr(message.text, "nothing was observed"));
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_OK);
    assert_int_equal(qc_range_observer_calculate(observer, &s, &z, &message), QC_INVALID);
    x[1] = -1;
    x[3] = 1;
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_OK);
    x[1] = NAN;
    x[3] = NAN;
    batch.dims[0] = 0;
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_OK);
    assert_int_equal(qc_range_observer_calculate(observer, &s, &z, &message), QC_OK);
    assert_true(scale == 2.0 / 255);
    assert_int_equal(zp, 0);
    batch.dtype = QC_F64;
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_INVALID);
    batch.dtype = QC_F32;
    batch.dims[0] = 4;
    x[0] = INFINITY;
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_OK);
    assert_int_equal(qc_range_observer_calculate(observer, &s, &z, &message), QC_INVALID);
    qc_range_observer_reset(observer);
    assert_int_equal(qc_range_observer_calculate(observer, &s, &z, &message), QC_INVALID);
    qc_range_observer_close(observer);
}

static void module_per_channel(void **unused)
{
    (void)unused;
    const qc_range_observer_options options = {.observer = QC_OBSERVER_moving_average,
                                               .scheme = QC_SCHEME_symmetric,
                                               .averaging = 0.5,
                                               .per_channel = 1,
                                               .axis = -1};
    qc_range_observer *observer;
    qc_message message = {""};
    float x[4] = {-127, 254, 1, 0};
    float scale[2];
    int32_t zp[2];
    const qc_tensor batch = {
        .dtype = QC_F32, .rank = 2, .dims = {2, 2}, .strides = {2, 1}, .data = x};
    const qc_tensor s = row_of(QC_F32, scale, 2);
    const qc_tensor z = row_of(QC_S32, zp, 2);
    assert_int_equal(qc_range_observer_open(&options, &observer, &message), QC_OK);
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_OK);
    x[0] = -381;
    x[1] = 508;
    assert_int_equal(qc_range_observer_record(observer, &batch, &message), QC_OK);
    assert_int_equal(qc_range_observer_calculate(observer, &s, &z, &message), QC_OK);
    assert_true(scale[0] == 2 && scale[1] == 3);
    assert_true(zp[0] == 0 && zp[1] == 0);
    qc_range_observer_close(observer);
    qc_range_observer_options bad = options;
    bad.averaging = 0;
    assert_int_equal(qc_range_observer_open(&bad, &observer, &message), QC_INVALID);
    assert_null(observer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree),
        cmocka_unit_test(known_ranges),
        cmocka_unit_test(module_per_tensor),
        cmocka_unit_test(module_per_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
