/* SPDX-License-Identifier: Apache-2.0 */
/* Elements through XNNPACK's f32 -> qs8 convert, without quantcert: xnnpack_direct SCALE X ... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xnnpack.h>

enum { MOST = 64 };

int main(int argc, char **argv)
{
    static float x[MOST + XNN_EXTRA_BYTES];
    static int8_t q[MOST];
    xnn_operator_t op = NULL;
    const size_t count = argc > 2 ? (size_t)argc - 2 : 0;
    if (count == 0 || count > MOST) {
        fprintf(stderr, "xnnpack_direct: expected SCALE X ...\n");
        return 2;
    }
    const float scale = strtof(argv[1], NULL);
    for (size_t i = 0; i < count; i++) {
        x[i] = strtof(argv[i + 2], NULL);
    }
    if (xnn_initialize(NULL) != xnn_status_success ||
        xnn_create_convert_nc_f32_qs8(count, count, count, scale, 0, INT8_MIN, INT8_MAX,
                                      0, &op) != xnn_status_success ||
        xnn_setup_convert_nc_f32_qs8(op, 1, x, q, NULL) != xnn_status_success ||
        xnn_run_operator(op, NULL) != xnn_status_success) {
        printf("XNNPACK refuses\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        printf("%a / %a = %g -> %d\n", (double)x[i], (double)scale,
               (double)x[i] / (double)scale, q[i]);
    }
    return 0;
}
