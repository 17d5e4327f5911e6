/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of kernels.h from four threads at once, on inputs that they share: each thread
   must get what one alone gets. Built with -fsanitize=thread too (./dev test), which sees a
   race even where the bytes come out right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "quantcert/kernels.h"

#define THREADS 4
#define ROUNDS 64
#define ROWS 3
#define COLUMNS 1031 /* vector bodies and a tail */
#define ELEMS (ROWS * COLUMNS)

/* Read by all, written by none. */
static float x[ELEMS];
static const float scale[ROWS] = {0x1.99999ap-4f, 0x1p-7f, 3};
static const int32_t zero_point[ROWS] = {-3, 0, 100};

/* What one thread makes. */
typedef struct outputs {
    int8_t q[ELEMS];
    float y[ELEMS];
    float fake[ELEMS];
    uint8_t mask[ELEMS];
    char refusal[sizeof((qc_message *)NULL)->text];
} outputs;

typedef struct job {
    pthread_barrier_t *start;
    const outputs *expected;
    outputs own;
    int differing; /* calls that failed, and rounds that were not as expected */
} job;

static qc_tensor tensor_of(qc_dtype dtype, const void *data, uint32_t rank)
{
    qc_tensor tensor = {.dtype = (uint32_t)dtype, .rank = rank, .dims = {ROWS, COLUMNS}};
    memcpy(&tensor.data, &data, sizeof data); /* tensors of inputs are not written */
    qc_tensor_contiguous(&tensor);
    return tensor;
}

/* All functions once; the number of calls that did not return what they must. */
static int run(outputs *own)
{
    const qc_kernel_options options = {.per_channel = 1};
    const qc_kernel_options wrong = {.per_channel = 1, .axis = 2};
    const qc_tensor in = tensor_of(QC_F32, x, 2);
    const qc_tensor scales = tensor_of(QC_F32, scale, 1);
    const qc_tensor zero_points = tensor_of(QC_S32, zero_point, 1);
    const qc_tensor q = tensor_of(QC_S8, own->q, 2);
    const qc_tensor y = tensor_of(QC_F32, own->y, 2);
    const qc_tensor fake = tensor_of(QC_F32, own->fake, 2);
    const qc_tensor mask = tensor_of(QC_U8, own->mask, 2);
    qc_message message = {""};
    int failed = qc_quantize(&in, &scales, &zero_points, &q, &options, &message) != QC_OK;
    failed += qc_dequantize(&q, &scales, &zero_points, &y, &options, &message) != QC_OK;
    failed += qc_fake_quantize(&in, &scales, &zero_points, &fake, &mask, &options,
                               &message) != QC_OK;
    failed += qc_quantize(&in, &scales, &zero_points, &q, &wrong, &message) != QC_INVALID;
    memcpy(own->refusal, message.text, sizeof own->refusal);
    return failed;
}

static void *work(void *argument)
{
    job *mine = argument;
    pthread_barrier_wait(mine->start);
    for (int round = 0; round < ROUNDS; round++) {
        memset(&mine->own, 0x55, sizeof mine->own);
        mine->differing += run(&mine->own);
        mine->differing += memcmp(&mine->own, mine->expected, sizeof mine->own) != 0;
    }
    return NULL;
}

static void each_thread_gets_what_one_alone_gets(void **state)
{
    static outputs expected;
    static job jobs[THREADS];
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < ELEMS; i++) {
        x[i] = (float)(i * 37 % 4001 - 2000) * 0x1p-6f;
    }
    memset(&expected, 0x55, sizeof expected);
    assert_int_equal(run(&expected), 0);
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (job){.start = &start, .expected = &expected};
        assert_int_equal(pthread_create(&threads[t], NULL, work, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        assert_int_equal(jobs[t].differing, 0);
    }
    pthread_barrier_destroy(&start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_gets_what_one_alone_gets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
