/* SPDX-License-Identifier: Apache-2.0 */
/* One matmul of oneDNN beside exact sums, without quantcert's judgement: confirms a finding by
   calling the library itself.

     matmul_direct FROM TO M N K X_ZERO_POINT W_ZERO_POINT X,X,... W,W,...

   FROM: s8 or u8, of x; weights are s8. TO: s32 or f32. Fewer values than elements are taken in
   turn, again and again. No scales, no bias. Zero points are handed over only if one is not 0. */
#include "api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                           \
    do {                                                      \
        const dnnl_status_t status_ = (call);                 \
        if (status_ != dnnl_success) {                        \
            printf("status %d of %s\n", (int)status_, #call); \
            exit(1);                                          \
        }                                                     \
    } while (0)

enum { MOST = 1 << 20 };

typedef struct request {
    dnnl_data_type_t from;
    dnnl_data_type_t to;
    int64_t m;
    int64_t n;
    int64_t k;
    int32_t x_zp;
    int32_t w_zp;
} request;

static int read_values(const char *text, int64_t count, int values[])
{
    int64_t read = 0;
    for (const char *at = text; at && read < count; read++) {
        values[read] = atoi(at);
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    for (int64_t i = read; i < count; i++) {
        values[i] = values[i - read];
    }
    return read > 0 || count == 0;
}

static void multiply(const request *r, void *x, void *w, void *y)
{
    const int64_t x_dims[] = {r->m, r->k}, w_dims[] = {r->k, r->n},
                  y_dims[] = {r->m, r->n};
    const int64_t x_strides[] = {r->k, 1}, w_strides[] = {1, r->k},
                  y_strides[] = {r->n, 1};
    const int64_t one = 1;
    layout l[5];
    int32_t zps[2] = {r->x_zp, r->w_zp};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    const int given = r->x_zp || r->w_zp;
    dnnl_exec_arg_t args[5] = {{DNNL_ARG_SRC, NULL},
                               {DNNL_ARG_WEIGHTS, NULL},
                               {DNNL_ARG_DST, NULL},
                               {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, NULL},
                               {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, NULL}};
    void *const data[5] = {x, w, y, &zps[0], &zps[1]};
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(layout_make(&l[0], 2, x_dims, x_strides, r->from));
    CHECK(layout_make(&l[1], 2, w_dims, w_strides, dnnl_s8));
    CHECK(layout_make(&l[2], 2, y_dims, y_strides, r->to));
    CHECK(layout_make(&l[3], 1, &one, &one, dnnl_s32));
    CHECK(layout_make(&l[4], 1, &one, &one, dnnl_s32));
    CHECK(dnnl_primitive_attr_create(&attr));
    if (given) {
        CHECK(zero_point_add(attr, DNNL_ARG_SRC));
        CHECK(zero_point_add(attr, DNNL_ARG_WEIGHTS));
    }
    CHECK(matmul_make(&desc, engine, &l[0], &l[1], NULL, &l[2], attr));
    const char *name = "";
    dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, (void *)&name);
    printf("oneDNN %d.%d.%d %s\n", dnnl_version()->major, dnnl_version()->minor,
           dnnl_version()->patch, name);
    CHECK(dnnl_primitive_create(&primitive, desc));
    for (int i = 0; i < (given ? 5 : 3); i++) {
        CHECK(dnnl_memory_create(&args[i].memory, LAYOUT_OF(&l[i]), engine, data[i]));
    }
    CHECK(dnnl_primitive_execute(primitive, stream, given ? 5 : 3, args));
    CHECK(dnnl_stream_wait(stream));
}

int main(int argc, char **argv)
{
    static int x[MOST], w[MOST];
    static int8_t x_q[MOST], w_q[MOST];
    static union {
        int32_t s32;
        float f32;
    } y[MOST];
    if (argc != 10) {
        fprintf(stderr, "matmul_direct: expected FROM TO M N K X_ZP W_ZP X,... W,...\n");
        return 2;
    }
    const request r = {.from = strcmp(argv[1], "s8") ? dnnl_u8 : dnnl_s8,
                       .to = strcmp(argv[2], "f32") ? dnnl_s32 : dnnl_f32,
                       .m = atoi(argv[3]),
                       .n = atoi(argv[4]),
                       .k = atoi(argv[5]),
                       .x_zp = atoi(argv[6]),
                       .w_zp = atoi(argv[7])};
    if (r.m * r.k > MOST || r.n * r.k > MOST || r.m * r.n > MOST ||
        !read_values(argv[8], r.m * r.k, x) || !read_values(argv[9], r.n * r.k, w)) {
        fprintf(stderr, "matmul_direct: sizes beyond %d, or no values\n", MOST);
        return 2;
    }
    for (int64_t i = 0; i < r.m * r.k; i++) {
        x_q[i] = (int8_t)x[i];
    }
    for (int64_t i = 0; i < r.n * r.k; i++) {
        w_q[i] = (int8_t)w[i];
    }
    memset(y, 0x55, sizeof y); /* what is not written is seen */
    multiply(&r, x_q, w_q, y);
    int64_t wrong = 0;
    for (int64_t i = 0; i < r.m * r.n; i++) {
        int64_t exact = 0;
        for (int64_t k = 0; k < r.k; k++) {
            exact += (int64_t)(x[i / r.n * r.k + k] - r.x_zp) *
                     (w[i % r.n * r.k + k] - r.w_zp);
        }
        const double got = r.to == dnnl_s32 ? y[i].s32 : (double)y[i].f32;
        if (got != (double)exact && wrong++ < 4) {
            printf("[%" PRId64 ",%" PRId64 "] got %.0f, exact %" PRId64 "\n", i / r.n,
                   i % r.n, got, exact);
        }
    }
    printf("%" PRId64 " of %" PRId64 " differ\n", wrong, r.m * r.n);
    return wrong != 0;
}
