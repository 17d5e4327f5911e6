/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of kernels.h and modules.h from four threads at once, on inputs, a packed module
   and a frozen quantizer that they share: each thread must get what one alone gets. Built with -fsanitize=thread too (./dev test), which sees a
   race even where the bytes come out right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "quantcert/modules.h"

#define THREADS 4
#define ROUNDS 64
#define ROWS 3
#define COLUMNS 1031 /* vector bodies and a tail */
#define ELEMS (ROWS * COLUMNS)
#define NEURONS 2

/* Read by all, written by none. */
static float x[ELEMS];
static const float scale[ROWS] = {0x1.99999ap-4f, 0x1p-7f, 3};
static const int32_t zero_point[ROWS] = {-3, 0, 100};
static qc_linear_module *shared_module;
static qc_fake_quantizer *shared_quantizer; /* frozen */

/* What one thread makes. */
typedef struct outputs {
    int8_t q[ELEMS];
    float y[ELEMS];
    float fake[ELEMS];
    uint8_t mask[ELEMS];
    float trained[2][ELEMS]; /* by the shared quantizer, and by one of the thread's own */
    float dx[2][ELEMS];
    int8_t neurons[ROWS * NEURONS];
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

/* Forward and backward of one quantizer: how many calls failed. */
static int quantizer_run(qc_fake_quantizer *quantizer, float *trained, float *dx)
{
    const qc_tensor in = tensor_of(QC_F32, x, 2);
    const qc_tensor y = tensor_of(QC_F32, trained, 2);
    const qc_tensor outgoing = tensor_of(QC_F32, dx, 2);
    double s;
    int64_t z;
    const qc_tensor scale_out = {.dtype = QC_F64, .data = &s};
    const qc_tensor zero_point_out = {.dtype = QC_S64, .data = &z};
    return (qc_fake_quantizer_record(quantizer, &in, NULL) != QC_OK) +
           (qc_fake_quantizer_forward(quantizer, &in, &y, NULL, NULL) != QC_OK) +
           (qc_fake_quantizer_freeze(quantizer, NULL) != QC_OK) +
           (qc_fake_quantizer_calculate_qparams(quantizer, &scale_out, &zero_point_out,
                                                NULL) != QC_OK) +
           (qc_fake_quantizer_backward(quantizer, &in, &in, &outgoing, NULL) != QC_OK);
}

static int modules_run(outputs *own)
{
    const qc_tensor codes = tensor_of(QC_S8, own->q, 2);
    qc_tensor neurons = tensor_of(QC_S8, own->neurons, 2);
    qc_fake_quantizer *quantizer;
    neurons.dims[1] = NEURONS;
    qc_tensor_contiguous(&neurons);
    int failed =
        qc_linear_module_run(shared_module, &codes, NULL, NULL, &neurons, NULL) != QC_OK;
    failed += quantizer_run(shared_quantizer, own->trained[0], own->dx[0]);
    if (qc_fake_quantizer_open(NULL, &quantizer, NULL) != QC_OK) {
        return failed + 1;
    }
    failed += quantizer_run(quantizer, own->trained[1], own->dx[1]);
    qc_fake_quantizer_close(quantizer);
    return failed;
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
    return failed + modules_run(own);
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

static void shared_make(void)
{
    static double one = 1;
    static int64_t none = 0;
    static float half = 0.5f;
    const qc_tensor s = {.dtype = QC_F64, .data = &one};
    const qc_tensor z = {.dtype = QC_S64, .data = &none};
    qc_tensor weight = tensor_of(QC_F32, x, 2);
    weight.dims[0] = NEURONS;
    const qc_linear_float layer = {.weight = &weight,
                                   .x_scale = &s,
                                   .x_zero_point = &z,
                                   .out_scale = &s,
                                   .out_zero_point = &z};
    const qc_tensor batch = {.dtype = QC_F32, .data = &half};
    assert_int_equal(qc_linear_module_from_float(&layer, NULL, &shared_module, NULL),
                     QC_OK);
    assert_int_equal(qc_fake_quantizer_open(NULL, &shared_quantizer, NULL), QC_OK);
    assert_int_equal(qc_fake_quantizer_record(shared_quantizer, &batch, NULL), QC_OK);
    assert_int_equal(qc_fake_quantizer_freeze(shared_quantizer, NULL), QC_OK);
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
    shared_make();
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
    qc_linear_module_close(shared_module);
    qc_fake_quantizer_close(shared_quantizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_gets_what_one_alone_gets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
