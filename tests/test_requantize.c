/* SPDX-License-Identifier: Apache-2.0 */
/* requantize: what each rival of part R gives on a witness, and whole domains as runs.
   `test_requantize full` sweeps all 2^32 accumulators of each multiplier. */
#include "oracle_calls.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "quantcert/kernels.h"
#include "reference/reference.h"

typedef struct problem {
    uint32_t acc_dtype;
    double multiplier; /* of an s32 one: the integer */
    int32_t shift;     /* of an s32 one */
    uint32_t multiplier_dtype;
    int32_t zp;
} problem;

/* What a call points at. */
typedef struct memory {
    parameter multiplier;
    parameter zp;
    int8_t shift;
} memory;

static qc_call call_of(const problem *p, memory *m, void *acc, void *q, int64_t elems)
{
    qc_call call;
    *m = (memory){parameter_of(p->multiplier), parameter_of(p->zp), (int8_t)p->shift};
    m->multiplier.s32 = (int32_t)fmin(p->multiplier, INT32_MAX);
    qc_call_init(&call, QC_OP_requantize);
    call.args[QC_ARG_OF(requantize, acc)] = row_of(p->acc_dtype, acc, elems);
    call.args[QC_ARG_OF(requantize, multiplier)] =
        scalar_of(p->multiplier_dtype, &m->multiplier);
    if (p->multiplier_dtype == QC_S32) {
        call.attrs.params = QC_PARAMS_fixed;
        call.args[QC_ARG_OF(requantize, shift)] =
            (qc_tensor){.dtype = QC_S8, .data = &m->shift};
    }
    call.args[QC_ARG_OF(requantize, zero_point)] = scalar_of(QC_S32, &m->zp);
    call.args[QC_ARG_OF(requantize, q)] = row_of(QC_S8, q, elems);
    return call;
}

typedef struct witness {
    const char *rival; /* NULL: the row alone */
    problem p;
    int64_t acc;
    int8_t row;
    int8_t rivals;
} witness;

#define REAL(dtype, m, z)           \
    {                               \
        QC_##dtype, m, 0, QC_F32, z \
    }
#define FIXED(m, shift, z)          \
    {                               \
        QC_S32, m, shift, QC_S32, z \
    }

static const witness witnesses[] = {
    {"requantize_f32", REAL(S32, 0x1p-18, 0), 16908289, 65, 64},
    {"accumulator_f32", REAL(S32, 0x1p-18, 0), 16908289, 65, 64},
    {"requantize_multiplier_f32", FIXED(0x7fffffff, -32, 0), 1, 0,
     0}, /* 1/2 - 2^-32 is 1/2 */
    {"requantize_multiplier_f32", FIXED(0x7fffffff, -32, 0), 3, 1, 2},
    {"requantize_f64", REAL(S32, 9110917 * 0x1p-55, 0), 1977232205, 1, 0},
    {"requantize_f64", FIXED(1117667411, -62, 0), 2063085124, 1, 0},
    {"narrowed_s32", REAL(S32, 4, 0), 1 << 30, 127, 0},
    {"double_rounding", FIXED(1 << 30, -32, 0), 1, 0, 1},
    {"double_rounding", FIXED(1 << 30, -32, 0), 5, 1, 2},
    {"double_rounding", FIXED(1 << 30, -32, 0), -2, 0, -1},
    {"double_rounding", FIXED(1 << 30, -32, 0), -6, -2, -2},
    {"single_rounding", FIXED(1 << 30, -32, 0), -6, -2, -1},
    {"single_rounding", FIXED(1 << 30, -31, 0), 1, 0, 1},
    {"single_rounding", FIXED(1 << 30, -32, 0), 5, 1, 1},
    {"zp_before_rounding", REAL(S32, 0.5, 1), 1, 1, 2},
    {"zp_before_rounding", FIXED(1, -1, 1), 1, 1, 2},
    {"ties_away", REAL(S32, 0.5, 0), -5, -2, -3},
    {NULL, FIXED(0, 127, 7), INT32_MIN, 7, 0},
    {NULL, FIXED(0x7fffffff, 127, -1), -1, -128, 0},
    {NULL, FIXED(0x7fffffff, -128, 5), INT32_MIN, 5, 0},
    {NULL, FIXED(1, -31, 0), INT32_MIN, -1, 0},
    {NULL, REAL(S64, 0x1p-62, 0), INT64_MIN, -2, 0},
    {NULL, REAL(S64, 0x1p-62, 0), (INT64_C(3) << 61) - 1, 1, 0}, /* below 3/2 by 2^-62 */
    {NULL, REAL(S64, 0x1p-62, 0), INT64_C(3) << 61, 2, 0},
    {NULL, REAL(S64, 0x1p-149, 3), INT64_MAX, 3, 0},
    {NULL, REAL(S64, 0x1p127, 3), INT64_MIN, -128, 0},
};

static void expect(const witness *w, qc_call *call, const char *name,
                   const qc_steps *steps, int8_t want)
{
    static const qc_oracle_path paths[] = {QC_ORACLE_MPFR, QC_ORACLE_GMP,
                                           QC_ORACLE_FILTER};
    int8_t *const q = call->args[QC_ARG_OF(requantize, q)].data;
    qc_message message;
    assert_int_equal(qc_reference_run(call, steps, &message), QC_OK);
    if (*q != want) {
        fail_msg("reference, %s, acc %lld: %d, expected %d", name, (long long)w->acc, *q,
                 want);
    }
    for (int p = 0; p < (strcmp(name, "row") ? 1 : 3); p++) {
        qc_oracle *oracle;
        qc_expected expected;
        assert_int_equal(qc_oracle_open(call, steps, paths[p], &oracle, &message), QC_OK);
        qc_oracle_expect(oracle, QC_ARG_OF(requantize, q), 0, 1, &expected);
        qc_oracle_close(oracle);
        if (expected.kind != QC_EXPECT_VALUE || (int8_t)expected.bits != want) {
            fail_msg("path %d, %s, acc %lld: %d, expected %d", p, name, (long long)w->acc,
                     (int8_t)expected.bits, want);
        }
    }
}

static void expect_kernel(const qc_call *call, int8_t want)
{
    const qc_tensor *const a = call->args;
    qc_message message;
    assert_int_equal(qc_requantize(&a[QC_ARG_OF(requantize, acc)],
                                   &a[QC_ARG_OF(requantize, multiplier)],
                                   &a[QC_ARG_OF(requantize, shift)],
                                   &a[QC_ARG_OF(requantize, zero_point)],
                                   &a[QC_ARG_OF(requantize, q)], NULL, &message),
                     QC_OK);
    assert_int_equal(*(int8_t *)a[QC_ARG_OF(requantize, q)].data, want);
}

static void rivals_part_from_the_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof witnesses / sizeof witnesses[0]; i++) {
        const witness *const w = &witnesses[i];
        static qc_rival rivals[QC_MAX_RIVALS];
        int64_t acc = w->acc;
        int32_t acc_s32 = (int32_t)w->acc;
        int8_t q = 0;
        memory m;
        qc_steps steps;
        qc_call call =
            call_of(&w->p, &m, w->p.acc_dtype == QC_S32 ? (void *)&acc_s32 : &acc, &q, 1);
        assert_int_equal(qc_steps_parse(qc_profile_find(&call)->steps_text, &steps, NULL),
                         QC_OK);
        expect(w, &call, "row", &steps, w->row);
        expect_kernel(&call, w->row);
        size_t n = 0;
        const size_t count = qc_rivals_of(&call, &steps, rivals);
        while (w->rival && n < count && strcmp(rivals[n].name, w->rival) != 0) {
            n++;
        }
        if (w->rival) {
            assert_true(n < count);
            expect(w, &call, w->rival, &rivals[n].steps, w->rivals);
        }
    }
    assert_int_equal(qc_oracle_faults(NULL), 0);
}

static void every_rival_of_part_r_has_a_witness(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *lemma;
    } rows[] = {
#define QC_RIVAL(rival, fault, needs, from, to, lemma) {#rival, lemma},
#include "rivals.def"
#undef QC_RIVAL
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int told = rows[r].lemma[0] != 'U';
        for (size_t i = 0; i < sizeof witnesses / sizeof witnesses[0]; i++) {
            const witness *const w = &witnesses[i];
            told |= w->rival && !strcmp(w->rival, rows[r].name) && w->row != w->rivals;
        }
        if (!told) {
            fail_msg("no witness for rival %s", rows[r].name);
        }
    }
}

/* Ties, products of 55 and of 62 bits, a grid that ends inside the domain, and one multiplier
   for which the whole domain is one code but for its ends. */
static const problem sweeps[] = {
    REAL(S32, 0x1p-23, 3),
    REAL(S32, 9110917 * 0x1p-55, -5),
    {QC_S32, 0.00031234567890123, 0, QC_F64, 0},
    FIXED(1117667411, -55, 17),
};

enum { CHUNK = 1 << 14, SWEEPS = sizeof sweeps / sizeof sweeps[0] };

static int8_t code_by(qc_oracle *oracle, int32_t *place, int32_t acc)
{
    qc_expected expected;
    *place = acc;
    qc_oracle_expect(oracle, QC_ARG_OF(requantize, q), 0, 1, &expected);
    assert_int_equal(expected.kind, QC_EXPECT_VALUE);
    return (int8_t)expected.bits;
}

/* starts_ret[c + 128]: the lowest accumulator whose code is c or more, by one exact path;
   beyond the domain: INT32_MAX + 1. */
static void runs_find(const problem *p, qc_oracle_path path, int64_t starts_ret[257])
{
    int32_t place = 0;
    int8_t q;
    memory m;
    const qc_call call = call_of(p, &m, &place, &q, 1);
    qc_oracle *const oracle = open_oracle(&call, NULL, path);
    starts_ret[0] = INT32_MIN;
    for (int code = -127; code <= 128; code++) {
        int64_t low = starts_ret[code + 127];
        int64_t high = (int64_t)INT32_MAX + 1;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (code_by(oracle, &place, (int32_t)middle) >= code) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        starts_ret[code + 128] = low;
    }
    qc_oracle_close(oracle);
}

/* One chunk of consecutive accumulators by the filter and by the kernel, against the runs. */
static void chunk_check(qc_call *call, qc_oracle *filter, int64_t first, int64_t count,
                        const int64_t starts[257])
{
    static qc_expected expected[CHUNK];
    int32_t *const acc = call->args[QC_ARG_OF(requantize, acc)].data;
    const int8_t *const q = call->args[QC_ARG_OF(requantize, q)].data;
    const qc_tensor *const a = call->args;
    int code = -128;
    for (int64_t i = 0; i < count; i++) {
        acc[i] = (int32_t)(first + i);
    }
    qc_oracle_expect(filter, QC_ARG_OF(requantize, q), 0, count, expected);
    assert_int_equal(qc_requantize(&a[0], &a[1], &a[2], &a[3], &a[4], NULL, NULL), QC_OK);
    for (int64_t i = 0; i < count; i++) {
        while (starts[code + 129] <= first + i) {
            code++;
        }
        if (expected[i].kind != QC_EXPECT_VALUE || (int8_t)expected[i].bits != code ||
            q[i] != code) {
            fail_msg("acc %lld: runs %d, filter %d, kernel %d", (long long)(first + i),
                     code, (int8_t)expected[i].bits, q[i]);
        }
    }
}

/* Every stride-th chunk, and those around each start of a run. Returns elements checked. */
static int64_t sweep(const problem *p, int64_t stride)
{
    static int32_t acc[CHUNK];
    static int8_t q[CHUNK];
    static int64_t starts[257];
    static int64_t again[257];
    int64_t elems = 0;
    memory m;
    qc_call call = call_of(p, &m, acc, q, CHUNK);
    qc_oracle *const filter = open_oracle(&call, NULL, QC_ORACLE_FILTER);
    runs_find(p, QC_ORACLE_MPFR, starts);
    runs_find(p, QC_ORACLE_GMP, again);
    assert_memory_equal(starts, again, sizeof starts);
    for (int64_t first = INT32_MIN; first <= INT32_MAX; first += CHUNK * stride) {
        chunk_check(&call, filter, first, CHUNK, starts);
        elems += CHUNK;
    }
    for (int c = 1; c < 256 && stride > 1; c++) {
        const int64_t at = starts[c] - CHUNK / 2;
        if (at >= INT32_MIN && at + CHUNK <= INT32_MAX) {
            chunk_check(&call, filter, at, CHUNK, starts);
            elems += CHUNK;
        }
    }
    qc_oracle_close(filter);
    return elems;
}

static void domains_are_their_runs(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPS; s++) {
        assert_true(sweep(&sweeps[s], 4096) > 1000000);
    }
    assert_int_equal(qc_oracle_faults(NULL), 0);
}

/* Two processes, each every other multiplier. */
static int sweep_all(void)
{
    const int is_parent = fork() != 0;
    int status = 0;
    for (int s = is_parent; s < SWEEPS; s += 2) {
        const clock_t start = clock();
        const int64_t elems = sweep(&sweeps[s], 1);
        printf("multiplier %d: %lld accumulators are their runs, %.1f s\n", s,
               (long long)elems, (double)(clock() - start) / CLOCKS_PER_SEC);
        fflush(stdout);
    }
    if (!is_parent) {
        _exit(0);
    }
    return wait(&status) < 0 || status != 0;
}

static void invalid_arguments_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *names;
        problem p;
        uint32_t params;
    } rows[] = {
        {"multiplier", REAL(S32, 0, 0), QC_PARAMS_real},
        {"multiplier", REAL(S32, -1, 0), QC_PARAMS_real},
        {"multiplier", REAL(S32, INFINITY, 0), QC_PARAMS_real},
        {"multiplier", FIXED(-1, 0, 0), QC_PARAMS_fixed},
        {"zero_point", REAL(S32, 1, 128), QC_PARAMS_real},
        {"multiplier", REAL(S32, 1, 0), QC_PARAMS_fixed},
        {"multiplier", FIXED(1, 0, 0), QC_PARAMS_real},
        {"params", REAL(S32, 1, 0), QC_PARAMS_scales},
        {"params", FIXED(1, 0, 0), QC_PARAMS_multiplier},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t acc = 1;
        int8_t q = 0;
        memory m;
        qc_message message = {""};
        qc_call call = call_of(&rows[i].p, &m, &acc, &q, 1);
        call.attrs.params = (int32_t)rows[i].params;
        assert_int_equal(qc_call_check(&call, &message), QC_INVALID);
        assert_non_null(strstr(message.text, rows[i].names));
        assert_int_equal(qc_oracle_validate(&call, NULL), QC_INVALID);
    }
}

static void shifts_belong_to_fixed_multipliers(void **state)
{
    (void)state;
    int32_t acc = 1;
    int8_t q = 90;
    memory m;
    qc_message message = {""};
    const problem fixed = FIXED(1, 0, 0);
    const problem real = REAL(S32, 1, 0);
    qc_call call = call_of(&fixed, &m, &acc, &q, 1);
    const qc_tensor shift = call.args[2];
    const qc_tensor *const a = call.args;
    assert_int_equal(qc_requantize(&a[0], &a[1], NULL, &a[3], &a[4], NULL, &message),
                     QC_INVALID);
    assert_non_null(strstr(message.text, "shift: missing"));
    call = call_of(&real, &m, &acc, &q, 1);
    assert_int_equal(qc_requantize(&a[0], &a[1], &shift, &a[3], &a[4], NULL, &message),
                     QC_INVALID);
    assert_non_null(strstr(message.text, "shift: none"));
    assert_int_equal(q, 90);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rivals_part_from_the_row),
        cmocka_unit_test(every_rival_of_part_r_has_a_witness),
        cmocka_unit_test(domains_are_their_runs),
        cmocka_unit_test(invalid_arguments_are_refused),
        cmocka_unit_test(shifts_belong_to_fixed_multipliers),
    };
    return count > 1 && !strcmp(words[1], "full")
               ? sweep_all()
               : cmocka_run_group_tests(tests, NULL, NULL);
}
