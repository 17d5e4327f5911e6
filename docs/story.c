/* SPDX-License-Identifier: Apache-2.0 */
/* A linear layer on its way to int8: calibrate, fake-quantize, backward, freeze, convert, run.
   Build: cc -std=c11 story.c $(pkg-config --cflags --libs quantcert) */
#include <quantcert/modules.h>
#include <inttypes.h>
#include <stdio.h>

#define TENSOR(type, ranks, length, at)                    \
    {                                                      \
        .dtype = type, .rank = ranks, .dims = {length, 3}, \
        .strides = {ranks == 2 ? 3 : 1, 1}, .data = at     \
    }
#define SHOW(name, format, values, count) \
    for (int i = 0; i < (count); i++)     \
    printf("%s" format "%s", i ? "," : name "=", (values)[i], i + 1 < (count) ? "" : "\n")

int main(void)
{
    float x[9] = {-1.25, 2, 0.3, -0.7, 0.9, 1.5, -0.1, 0.6, 1}, y[9], dx[9];
    float w[9] = {0.5, -0.25, 1, 0.1, -1, 1, 0.3, 0.7, 0.2}, bias[3] = {0.2, -3, 0};
    float seen[2] = {-5.5, 2}; /* lowest and highest output of the float layer */
    double s;
    int64_t z;
    int8_t x_q[9], q[9];
    const qc_tensor tx = TENSOR(QC_F32, 2, 3, x), ty = TENSOR(QC_F32, 2, 3, y);
    const qc_tensor tw = TENSOR(QC_F32, 2, 3, w), tdx = TENSOR(QC_F32, 2, 3, dx);
    const qc_tensor tx_q = TENSOR(QC_S8, 2, 3, x_q), tq = TENSOR(QC_S8, 2, 3, q);
    const qc_tensor ts = TENSOR(QC_F64, 0, 0, &s), tz = TENSOR(QC_S64, 0, 0, &z);
    const qc_tensor tb = TENSOR(QC_F32, 1, 3, bias), tseen = TENSOR(QC_F32, 1, 2, seen);
    qc_linear_float layer = {&tw, &tb, .x_scale = &ts, .x_zero_point = &tz};
    qc_fake_quantizer *f;
    qc_linear_module *m;
    qc_message error;
    if (qc_fake_quantizer_open(NULL, &f, &error) ||
        qc_fake_quantizer_record(f, &tx, &error) ||
        qc_fake_quantizer_forward(f, &tx, &ty, NULL, &error) ||
        qc_fake_quantizer_backward(f, &ty, &tx, &tdx, &error) ||
        qc_fake_quantizer_freeze(f, &error) ||
        qc_fake_quantizer_calculate_qparams(f, &ts, &tz, &error) ||
        qc_range_observer_open(NULL, &layer.out_observer, &error) ||
        qc_range_observer_record(layer.out_observer, &tseen, &error) ||
        qc_linear_module_from_float(&layer, NULL, &m, &error) ||
        qc_quantize(&tx, &ts, &tz, &tx_q, NULL, &error) ||
        qc_linear_module_run(m, &tx_q, &ts, &tz, &tq, &error))
        return puts(error.text) >= 0; /* 1 */
    const qc_linear_args *const a = qc_linear_module_args(m);
    printf("x_scale=%a\nx_zero_point=%" PRId64 "\n", s, z);
    SHOW("y", "%a", y, 9);
    SHOW("dx", "%a", dx, 9);
    SHOW("x_q", "%d", x_q, 9);
    SHOW("w_scale", "%a", (float *)a->w_scale->data, 3);
    SHOW("w_zero_point", "%" PRId64, (int64_t *)a->w_zero_point->data, 3);
    SHOW("w_q", "%d", (int8_t *)a->w_q->data, 9);
    SHOW("out_scale", "%a", (double *)a->out_scale->data, 1);
    SHOW("out_zero_point", "%" PRId64, (int64_t *)a->out_zero_point->data, 1);
    SHOW("q", "%d", q, 9);
    qc_linear_module_close(m);
    qc_range_observer_close(layer.out_observer);
    qc_fake_quantizer_close(f);
}
