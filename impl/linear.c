/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of linear, blocked. Proof of the accumulator: a code and its zero point lie in
   one range of 256 values (V12), so that a factor x_q - x_zp or w_q - w_zp lies in -255
   ... 255. K products sum to at most K times the largest of them in magnitude:

     product                       s32 holds K =                  but not K =
     255 255, zero points at ends   33,025 (2,147,450,625)         33,026 (2,147,515,650)
     255 128, one at its middle     65,793 (2,147,483,520)         65,794 (2,147,516,160)
     (-128) (-128), both there     131,071 (2,147,467,264)        131,072 (2^31)

   A block of K has 1,024 places, whatever the zero points: its sum fits s32. Blocks are
   added in s64, which K < 2^47 cannot overflow. No sum here ever wraps: that a wrapped
   s32 sum is right modulo 2^32 is not relied on. tests/test_linear.c holds both sides of
   each row. */
#include "linear.h"

#include <string.h>

enum { DEPTH = 1024, WIDTH = 64 };

_Static_assert(DEPTH <= 33025, "a block's sum fits s32");

enum {
    X = QC_ARG_OF(linear_s32, x_q),
    W = QC_ARG_OF(linear_s32, w_q),
    X_ZP = QC_ARG_OF(linear_s32, x_zero_point),
    W_ZP = QC_ARG_OF(linear_s32, w_zero_point)
};

static int32_t integer_at(const qc_tensor *t, int64_t n)
{
    const int64_t at = t->offset + (t->rank ? n * t->strides[0] : 0);
    int32_t s32;
    int64_t s64;
    if (t->dtype == QC_S64) {
        memcpy(&s64, (const char *)t->data + 8 * at, sizeof s64);
        return (int32_t)s64; /* inside the code dtype, V12 */
    }
    memcpy(&s32, (const char *)t->data + 4 * at, sizeof s32);
    return s32;
}

/* count codes of a row from place k on, less the zero point. */
static void unpack(const qc_tensor *t, int64_t row, int64_t k, int64_t count, int32_t zp,
                   int16_t *codes_ret)
{
    const uint8_t *const from =
        (const uint8_t *)t->data + t->offset + row * t->strides[0] + k * t->strides[1];
    const int64_t step = t->strides[1];
    if (t->dtype == QC_U8) {
        for (int64_t i = 0; i < count; i++) {
            codes_ret[i] = (int16_t)(from[i * step] - zp);
        }
    } else if (step == 1) {
        for (int64_t i = 0; i < count; i++) {
            codes_ret[i] = (int16_t)((int8_t)from[i] - zp);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            codes_ret[i] = (int16_t)((int8_t)from[i * step] - zp);
        }
    }
}

static int32_t dot(const int16_t *x, const int16_t *w, int64_t count)
{
    int32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] * w[i];
    }
    return sum;
}

/* Sums of row m with `columns` rows of the weights from n on. */
static void sums(const qc_call *call, int64_t m, int64_t n, int64_t columns,
                 int64_t *sums_ret)
{
    const int64_t depth = call->args[X].dims[1];
    int16_t x[DEPTH];
    int16_t w[DEPTH];
    memset(sums_ret, 0, (size_t)columns * sizeof *sums_ret);
    for (int64_t k = 0; k < depth; k += DEPTH) {
        const int64_t count = depth - k < DEPTH ? depth - k : DEPTH;
        unpack(&call->args[X], m, k, count, integer_at(&call->args[X_ZP], 0), x);
        for (int64_t c = 0; c < columns; c++) {
            unpack(&call->args[W], n + c, k, count, integer_at(&call->args[W_ZP], n + c),
                   w);
            sums_ret[c] += dot(x, w, count);
        }
    }
}

void qc_linear_run(const qc_call *call, qc_linear_store *store)
{
    const qc_tensor *const out = &call->args[qc_op_get(call->op)->arg_count - 1];
    const int64_t bytes = (int64_t)qc_dtype_bytes(out->dtype);
    const int64_t columns = out->dims[1];
    for (int64_t n = 0; n < columns; n += WIDTH) {
        const int64_t width = columns - n < WIDTH ? columns - n : WIDTH;
        qc_linear_row rows[WIDTH];
        int64_t block[WIDTH];
        for (int64_t c = 0; c < width && out->dims[0] > 0; c++) {
            rows[c] = qc_linear_row_load(call, n + c);
        }
        for (int64_t m = 0; m < out->dims[0]; m++) {
            sums(call, m, n, width, block);
            for (int64_t c = 0; c < width; c++) {
                const int64_t at =
                    out->offset + m * out->strides[0] + (n + c) * out->strides[1];
                store(call, &rows[c], (char *)out->data + at * bytes,
                      block[c] + rows[c].bias_whole);
            }
        }
    }
}
