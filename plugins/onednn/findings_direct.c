/* SPDX-License-Identifier: Apache-2.0 */
/* The findings on oneDNN, each by the library alone: no judgement of quantcert is asked. Every
   line: what was called, what came, what the exact value is. Runs in children: some die. */
#include "api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                         \
    do {                                                    \
        const dnnl_status_t status_ = (call);               \
        if (status_ != dnnl_success) {                      \
            printf("status %d of %s", (int)status_, #call); \
            return;                                         \
        }                                                   \
    } while (0)

static dnnl_engine_t engine;
static dnnl_stream_t stream;

/* One argument: where, rank 2 dims and strides, type, data. */
typedef struct given {
    int arg;
    int64_t dims[2];
    int64_t strides[2];
    dnnl_data_type_t type;
    void *data;
} given;

static dnnl_status_t execute(dnnl_primitive_desc_t desc, const layout *layouts,
                             const given *all, int count)
{
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[8];
    dnnl_status_t status = dnnl_primitive_create(&primitive, desc);
    for (int i = 0; i < count && status == dnnl_success; i++) {
        args[i].arg = all[i].arg;
        status = dnnl_memory_create(&args[i].memory, LAYOUT_OF(&layouts[i]), engine,
                                    all[i].data);
    }
    if (status == dnnl_success) {
        status = dnnl_primitive_execute(primitive, stream, count, args);
    }
    return status == dnnl_success ? dnnl_stream_wait(stream) : status;
}

/* x, w, y first, then a bias where there is one; the rest are scales and zero points. */
static void matmul(dnnl_primitive_attr_t attr, const given *all, int count)
{
    layout l[8];
    dnnl_primitive_desc_t desc;
    for (int i = 0; i < count; i++) {
        const int is_matrix = all[i].arg <= DNNL_ARG_DST || all[i].arg == DNNL_ARG_BIAS ||
                              all[i].arg == DNNL_ARG_WEIGHTS;
        CHECK(layout_make(&l[i], is_matrix ? 2 : 1, all[i].dims, all[i].strides,
                          all[i].type));
    }
    const int biased = count > 3 && all[3].arg == DNNL_ARG_BIAS;
    CHECK(matmul_make(&desc, engine, &l[0], &l[1], biased ? &l[3] : NULL, &l[2], attr));
    CHECK(execute(desc, l, all, count));
}

static dnnl_primitive_attr_t no_attr(void)
{
    dnnl_primitive_attr_t attr;
    dnnl_primitive_attr_create(&attr);
    return attr;
}

static void bias_strides(void)
{
    uint8_t x[] = {1, 2, 3, 4};
    int8_t w[] = {1, 0, 0, 1};
    float y[4] = {-1, -1, -1, -1}, bias[] = {10, 777, 20};
    const given all[] = {{DNNL_ARG_SRC, {2, 2}, {2, 1}, dnnl_u8, x},
                         {DNNL_ARG_WEIGHTS, {2, 2}, {2, 1}, dnnl_s8, w},
                         {DNNL_ARG_DST, {2, 2}, {2, 1}, dnnl_f32, y},
                         {DNNL_ARG_BIAS, {1, 2}, {4, 2}, dnnl_f32, bias}};
    matmul(no_attr(), all, 4);
    printf("got %g %g %g %g, exact 11 22 13 24", y[0], y[1], y[2], y[3]);
}

static void no_terms(void)
{
    uint8_t x[1] = {0};
    int8_t w[1] = {0};
    int32_t y[4] = {1234, 1234, 1234, 1234};
    const given all[] = {{DNNL_ARG_SRC, {2, 0}, {1, 1}, dnnl_u8, x},
                         {DNNL_ARG_WEIGHTS, {0, 2}, {1, 1}, dnnl_s8, w},
                         {DNNL_ARG_DST, {2, 2}, {2, 1}, dnnl_s32, y}};
    matmul(no_attr(), all, 3);
    printf("got %d %d %d %d, exact 0 0 0 0", y[0], y[1], y[2], y[3]);
}

static void one_row_tight(void)
{
    uint8_t x[] = {7};
    int8_t w[] = {1, 2, 3};
    int32_t y[3] = {1234, 1234, 1234};
    const given all[] = {{DNNL_ARG_SRC, {1, 1}, {1, 1}, dnnl_u8, x},
                         {DNNL_ARG_WEIGHTS, {1, 3}, {1, 1}, dnnl_s8, w},
                         {DNNL_ARG_DST, {1, 3}, {1, 1}, dnnl_s32, y}};
    matmul(no_attr(), all, 3);
    printf("got %d %d %d, exact 7 14 21", y[0], y[1], y[2]);
}

static void no_rows_scaled(void)
{
    uint8_t x[1] = {0};
    int8_t w[6] = {1, 0, 0, 1, 0, 0};
    uint8_t y[1] = {0};
    float scale[] = {1};
    dnnl_primitive_attr_t attr = no_attr();
    CHECK(scale_add(attr, DNNL_ARG_DST, 0));
    const given all[] = {{DNNL_ARG_SRC, {0, 3}, {3, 1}, dnnl_u8, x},
                         {DNNL_ARG_WEIGHTS, {3, 2}, {1, 3}, dnnl_s8, w},
                         {DNNL_ARG_DST, {0, 2}, {2, 1}, dnnl_u8, y},
                         {SCALE_ARGUMENT(DNNL_ARG_DST), {1, 1}, {1, 1}, dnnl_f32, scale}};
    matmul(attr, all, 4);
    printf("returned, exact: nothing to do");
}

static void s32_through_f32(void)
{
    enum { K = 1030 };
    static uint8_t x[K];
    static int8_t w[K];
    int32_t y[1] = {0}, x_zp[] = {255}, w_zp[] = {127};
    int64_t exact = 0;
    for (int k = 0; k < K; k++) {
        x[k] = (uint8_t)(k % 4);
        w[k] = (int8_t)(-125 - k % 3);
        exact += (int64_t)(x[k] - 255) * (w[k] - 127);
    }
    dnnl_primitive_attr_t attr = no_attr();
    CHECK(zero_point_add(attr, DNNL_ARG_SRC));
    CHECK(zero_point_add(attr, DNNL_ARG_WEIGHTS));
    const given all[] = {
        {DNNL_ARG_SRC, {1, K}, {K, 1}, dnnl_u8, x},
        {DNNL_ARG_WEIGHTS, {K, 1}, {1, K}, dnnl_s8, w},
        {DNNL_ARG_DST, {1, 1}, {1, 1}, dnnl_s32, y},
        {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, {1, 1}, {1, 1}, dnnl_s32, x_zp},
        {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, {1, 1}, {1, 1}, dnnl_s32, w_zp}};
    matmul(attr, all, 5);
    printf("got %d, exact %lld", y[0], (long long)exact);
}

/* from -> to, one scale that multiplies, or one per column; a zero point where not 0. */
static void reorder(const given *from, const given *to, float *scale, int mask,
                    int32_t zp, int side)
{
    layout l[4];
    int32_t zps[] = {zp};
    dnnl_primitive_desc_t desc;
    dnnl_primitive_attr_t attr = no_attr();
    const int64_t one = 1, count = mask ? from->dims[1] : 1;
    CHECK(layout_make(&l[0], 2, from->dims, from->strides, from->type));
    CHECK(layout_make(&l[1], 2, to->dims, to->strides, to->type));
    CHECK(layout_make(&l[2], 1, &count, &one, dnnl_f32));
    CHECK(layout_make(&l[3], 1, &one, &one, dnnl_s32));
    CHECK(scale_add(attr, DNNL_ARG_FROM, mask));
    if (zp) {
        CHECK(zero_point_add(attr, side));
    }
    const given all[] = {*from,
                         *to,
                         {.arg = SCALE_ARGUMENT(DNNL_ARG_FROM), .data = scale},
                         {.arg = DNNL_ARG_ATTR_ZERO_POINTS | side, .data = zps}};
    CHECK(dnnl_reorder_primitive_desc_create(&desc, LAYOUT_OF(&l[0]), engine,
                                             LAYOUT_OF(&l[1]), engine, attr));
    CHECK(execute(desc, l, all, zp ? 4 : 3));
}

static void strided_zero_point(void)
{
    enum { N = 21 };
    float x[N], scale[] = {1};
    int8_t q[2 * N] = {0};
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
    }
    reorder(&(given){DNNL_ARG_FROM, {1, N}, {N, 1}, dnnl_f32, x},
            &(given){DNNL_ARG_TO, {1, N}, {2 * N, 2}, dnnl_s8, q}, scale, 0, 100,
            DNNL_ARG_TO);
    printf("got %d %d ... %d, exact 100 101 ... 120", q[0], q[2], q[2 * N - 2]);
}

static void empty_per_channel(void)
{
    float x[1] = {0}, scale[1] = {1};
    int8_t q[1] = {0};
    reorder(&(given){DNNL_ARG_FROM, {3, 0}, {1, 1}, dnnl_f32, x},
            &(given){DNNL_ARG_TO, {3, 0}, {1, 1}, dnnl_s8, q}, scale, 1 << 1, 0,
            DNNL_ARG_TO);
    printf("returned, exact: nothing to do");
}

static void bf16_subnormal(void)
{
    int8_t q[1] = {1};
    uint16_t y[1] = {0x5555};
    float scale[] = {0x1p-130f};
    reorder(&(given){DNNL_ARG_FROM, {1, 1}, {1, 1}, dnnl_s8, q},
            &(given){DNNL_ARG_TO, {1, 1}, {1, 1}, dnnl_bf16, y}, scale, 0, 0,
            DNNL_ARG_FROM);
    printf("got bits 0x%04x, exact 0x0008", y[0]);
}

int main(void)
{
    static const struct {
        const char *what;
        void (*call)(void);
    } findings[] = {
        {"matmul u8 s8 -> f32, a bias of stride 2", bias_strides},
        {"matmul u8 s8 -> s32, K = 0", no_terms},
        {"matmul u8 s8 -> s32, one row, its stride 1", one_row_tight},
        {"matmul u8 s8 -> u8, M = 0, a scale", no_rows_scaled},
        {"matmul u8 s8 -> s32, sums beyond 2^24", s32_through_f32},
        {"reorder f32 -> s8, zero point 100, destination of stride 2",
         strided_zero_point},
        {"reorder f32 -> s8, a scale per channel, no elements", empty_per_channel},
        {"reorder s8 -> bf16, 1 * 2^-130", bf16_subnormal}};
    printf("oneDNN %d.%d.%d\n", dnnl_version()->major, dnnl_version()->minor,
           dnnl_version()->patch);
    for (size_t i = 0; i < sizeof findings / sizeof findings[0]; i++) {
        int state = 0;
        printf("%s: ", findings[i].what);
        fflush(stdout);
        if (fork() == 0) {
            dnnl_engine_create(&engine, dnnl_cpu, 0);
            dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
            findings[i].call();
            fflush(stdout);
            _exit(0);
        }
        wait(&state);
        if (WIFSIGNALED(state)) {
            printf("signal %d", WTERMSIG(state));
        }
        printf("\n");
    }
    return 0;
}
