/* SPDX-License-Identifier: Apache-2.0 */
/* One element through oneDNN's reorder, without quantcert: confirms a finding by calling the
   library itself.

     onednn_direct s8|u8 SCALE ZERO_POINT X ...      x * scale + zero point, one code per X

   Numbers are decimal or C hexfloats; each X is sent alone, scale and zero point fixed. */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                  \
    do {                                                                             \
        const dnnl_status_t status = (call);                                         \
        if (status != dnnl_success) {                                                \
            fprintf(stderr, "onednn_direct: status %d of %s\n", (int)status, #call); \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

static int reorder(dnnl_data_type_t codes, float scale, int32_t zero_point, float x)
{
    const dnnl_dims_t one = {1};
    unsigned char code = 0;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t from;
    dnnl_memory_desc_t to;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, NULL}, {DNNL_ARG_TO, NULL}};
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_init_by_tag(&from, 1, one, dnnl_f32, dnnl_x));
    CHECK(dnnl_memory_desc_init_by_tag(&to, 1, one, codes, dnnl_x));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_output_scales(attr, 1, 0, &scale));
    CHECK(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_TO, 1, 0, &zero_point));
    CHECK(dnnl_reorder_primitive_desc_create(&desc, &from, engine, &to, engine, attr));
    CHECK(dnnl_primitive_create(&primitive, desc));
    CHECK(dnnl_memory_create(&args[0].memory, &from, engine, &x));
    CHECK(dnnl_memory_create(&args[1].memory, &to, engine, &code));
    CHECK(dnnl_primitive_execute(primitive, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    dnnl_memory_destroy(args[0].memory);
    dnnl_memory_destroy(args[1].memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
    dnnl_primitive_attr_destroy(attr);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return codes == dnnl_s8 ? (signed char)code : code;
}

int main(int argc, char **argv)
{
    if (argc < 5 || (strcmp(argv[1], "s8") && strcmp(argv[1], "u8"))) {
        fprintf(stderr, "onednn_direct: expected s8|u8 SCALE ZERO_POINT X ...\n");
        return 2;
    }
    const dnnl_version_t *version = dnnl_version();
    const float scale = strtof(argv[2], NULL);
    const int32_t zero_point = (int32_t)strtol(argv[3], NULL, 10);
    printf("oneDNN %d.%d.%d\n", version->major, version->minor, version->patch);
    for (int i = 4; i < argc; i++) {
        const float x = strtof(argv[i], NULL);
        printf("x=%a scale=%a zero_point=%d -> %s %d\n", (double)x, (double)scale,
               zero_point, argv[1],
               reorder(argv[1][0] == 's' ? dnnl_s8 : dnnl_u8, scale, zero_point, x));
    }
    return 0;
}
