/* SPDX-License-Identifier: Apache-2.0 */
/* Elements through oneDNN's reorder, without quantcert: confirms a finding by calling the
   library itself.

     onednn_direct FROM TO SCALE ZERO_POINT STRIDE X ...

   FROM and TO: f32, s8 or u8, one of them f32; the zero point belongs to the other. The X
   stand side by side, the answers STRIDE elements apart. Numbers: decimal or C hexfloats. */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMS 64
#define CHECK(call)                                                                  \
    do {                                                                             \
        const dnnl_status_t status = (call);                                         \
        if (status != dnnl_success) {                                                \
            fprintf(stderr, "onednn_direct: status %d of %s\n", (int)status, #call); \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

typedef struct request {
    dnnl_data_type_t from;
    dnnl_data_type_t to;
    float scale;
    int32_t zero_point;
    dnnl_dim_t stride;
    dnnl_dim_t elems;
} request;

static dnnl_data_type_t type_of(const char *name)
{
    return !strcmp(name, "f32") ? dnnl_f32 : !strcmp(name, "s8") ? dnnl_s8 : dnnl_u8;
}

static double read_value(dnnl_data_type_t type, const void *data, dnnl_dim_t at)
{
    return type == dnnl_f32  ? (double)((const float *)data)[at]
           : type == dnnl_s8 ? ((const signed char *)data)[at]
                             : ((const unsigned char *)data)[at];
}

static void reorder(const request *r, void *from, void *to)
{
    const dnnl_dims_t elems = {r->elems};
    const dnnl_dims_t one = {1};
    const dnnl_dims_t stride = {r->stride};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t from_desc;
    dnnl_memory_desc_t to_desc;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, NULL}, {DNNL_ARG_TO, NULL}};
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_init_by_strides(&from_desc, 1, elems, r->from, one));
    CHECK(dnnl_memory_desc_init_by_strides(&to_desc, 1, elems, r->to, stride));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_output_scales(attr, 1, 0, &r->scale));
    CHECK(dnnl_primitive_attr_set_zero_points(
        attr, r->from == dnnl_f32 ? DNNL_ARG_TO : DNNL_ARG_FROM, 1, 0, &r->zero_point));
    CHECK(dnnl_reorder_primitive_desc_create(&desc, &from_desc, engine, &to_desc, engine,
                                             attr));
    CHECK(dnnl_primitive_create(&primitive, desc));
    CHECK(dnnl_memory_create(&args[0].memory, &from_desc, engine, from));
    CHECK(dnnl_memory_create(&args[1].memory, &to_desc, engine, to));
    CHECK(dnnl_primitive_execute(primitive, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    dnnl_memory_destroy(args[0].memory);
    dnnl_memory_destroy(args[1].memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
    dnnl_primitive_attr_destroy(attr);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

int main(int argc, char **argv)
{
    static float from[MAX_ELEMS];
    if (argc < 7 || argc - 6 > MAX_ELEMS) {
        fprintf(stderr,
                "onednn_direct: expected FROM TO SCALE ZERO_POINT STRIDE X ...\n");
        return 2;
    }
    const request r = {.from = type_of(argv[1]),
                       .to = type_of(argv[2]),
                       .scale = strtof(argv[3], NULL),
                       .zero_point = (int32_t)strtol(argv[4], NULL, 10),
                       .stride = strtol(argv[5], NULL, 10),
                       .elems = argc - 6};
    float *to = calloc((size_t)(r.elems * r.stride), sizeof *to);
    if (!to || r.stride < 1) {
        fprintf(stderr, "onednn_direct: STRIDE: 1 or more expected\n");
        return 2;
    }
    for (dnnl_dim_t i = 0; i < r.elems; i++) {
        const float x = strtof(argv[6 + i], NULL);
        if (r.from == dnnl_f32) {
            from[i] = x;
        } else {
            ((unsigned char *)from)[i] = (unsigned char)(int)x;
        }
    }
    reorder(&r, from, to);
    printf("oneDNN %d.%d.%d\n", dnnl_version()->major, dnnl_version()->minor,
           dnnl_version()->patch);
    for (dnnl_dim_t i = 0; i < r.elems; i++) {
        const double y = read_value(r.to, to, i * r.stride);
        printf("%s -> %g (%a)\n", argv[6 + i], y, y);
    }
    free(to);
    return 0;
}
