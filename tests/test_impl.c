/* SPDX-License-Identifier: Apache-2.0 */
/* The production kernels: every rung against every other and against the reference,
   bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "impl/impl.h"
#include "quantcert/half.h"
#include "quantcert/kernels.h"
#include "reference/reference.h"

#define ROOM (1 << 17) /* bytes of one tensor */
#define MARGIN 64      /* bytes behind a tensor that must stay untouched */
#define POISON 0xa5

typedef struct bench {
    qc_call call;
    _Alignas(64) unsigned char data[QC_MAX_ARGS][ROOM];
} bench;

static uint64_t random_state;

static uint64_t random_bits(void) /* splitmix64 */
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int32_t random_below(int32_t n)
{
    return (int32_t)(random_bits() % (uint64_t)n);
}

static void store(qc_tensor *t, int64_t i, double value)
{
    char *const at =
        (char *)t->data + qc_tensor_at(t, i) * (int64_t)qc_dtype_bytes(t->dtype);
    const float f32 = (float)value;
    uint16_t half;
    switch (t->dtype) {
    case QC_F32: memcpy(at, &f32, 4); break;
    case QC_F64: memcpy(at, &value, 8); break;
    case QC_F16:
        half = qc_f64_to_f16(value);
        memcpy(at, &half, 2);
        break;
    case QC_BF16:
        half = qc_f64_to_bf16(value);
        memcpy(at, &half, 2);
        break;
    case QC_S8: *(int8_t *)at = (int8_t)value; break;
    case QC_U8: *(uint8_t *)at = (uint8_t)value; break;
    case QC_S32: memcpy(at, &(int32_t){(int32_t)value}, 4); break;
    default: memcpy(at, &(int64_t){(int64_t)value}, 8);
    }
}

/* Argument a with the dtype and dims, contiguous. */
static qc_tensor *shape(bench *b, uint32_t a, qc_dtype dtype, uint32_t rank,
                        const int64_t *dims)
{
    qc_tensor *const t = &b->call.args[a];
    *t = (qc_tensor){.dtype = dtype, .rank = rank, .data = b->data[a]};
    for (uint32_t d = 0; d < rank; d++) {
        t->dims[d] = dims[d];
    }
    qc_tensor_contiguous(t);
    return t;
}

static uint32_t first_output(const qc_call *call)
{
    return call->op == QC_OP_fake_quantize ? QC_ARG_OF(fake_quantize, y)
                                           : QC_ARG_OF(quantize, q);
}

/* Bytes of argument a that a call may touch, and a margin. */
static size_t used_bytes(const bench *b, uint32_t a)
{
    int64_t low;
    int64_t high;
    qc_tensor_span(&b->call.args[a], &low, &high);
    const size_t bytes =
        (size_t)(high + 1) * qc_dtype_bytes(b->call.args[a].dtype) + MARGIN;
    assert_true(bytes <= ROOM);
    return bytes;
}

static void run_on(const qc_backend *backend, bench *b)
{
    qc_message message = {""};
    qc_plan *plan;
    for (uint32_t a = first_output(&b->call); a < 5; a++) {
        memset(b->data[a], POISON, used_bytes(b, a));
    }
    if (backend->prepare(backend->self, &b->call, &plan, &message) != QC_OK ||
        backend->run(backend->self, plan, &b->call, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
}

static void same_bytes(const bench *b, uint32_t a, const unsigned char *expected,
                       size_t k)
{
    for (size_t i = 0, n = used_bytes(b, a); i < n; i++) {
        if (b->data[a][i] != expected[i]) {
            fail_msg(
                "%s, backend %zu, argument %u: byte %zu is %02x, the reference has %02x "
                "(first scale %a)",
                qc_op_get(b->call.op)->name, k, a, i, b->data[a][i], expected[i],
                b->call.args[1].dtype == QC_F64 ? *(const double *)b->data[1]
                                                : *(const float *)b->data[1]);
        }
    }
}

/* All backends on one call. Gaps and margins are compared too: they must stay
   poisoned. */
static void agree(bench *b)
{
    static unsigned char expected[QC_MAX_ARGS][ROOM];
    const qc_backend *const others[] = {
        qc_impl_backend(NULL), qc_impl_backend("portable"), qc_impl_backend("avx2")};
    run_on(qc_reference_backend(), b);
    for (uint32_t a = first_output(&b->call); a < 5; a++) {
        memcpy(expected[a], b->data[a], used_bytes(b, a));
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (others[k]) {
            run_on(others[k], b);
            for (uint32_t a = first_output(&b->call); a < 5; a++) {
                same_bytes(b, a, expected[a], k);
            }
        }
    }
}

/* A vector of `count` elements, per tensor, f32 scale, s32 zero point. */
static void vector_call(bench *b, qc_op op, qc_dtype real, qc_dtype code, int64_t count)
{
    qc_call_init(&b->call, op);
    shape(b, 0, op == QC_OP_dequantize ? code : real, 1, &count);
    shape(b, 1, QC_F32, 0, &count);
    shape(b, 2, QC_S32, 0, &count);
    shape(b, 3, op == QC_OP_quantize ? code : real, 1, &count);
    if (op == QC_OP_fake_quantize) {
        shape(b, 4, QC_U8, 1, &count);
    }
    store(&b->call.args[1], 0, 0.1);
    store(&b->call.args[2], 0, 0);
}

static double random_scale(qc_dtype dtype)
{
    switch (random_below(8)) {
    case 0:
        return dtype == QC_F64 ? 0x1p-1074 * (1 + random_below(9))
                               : 0x1p-149 * (1 + random_below(9));
    case 1: return ldexp(1 + random_below(1 << 20) * 0x1p-20, random_below(250) - 125);
    case 2: return ldexp(1.0, random_below(20) - 10);
    case 3: return dtype == QC_F64 ? ldexp(1.5, 1020) : ldexp(1.5, 126);
    default: return ldexp((double)(1 + random_below(1 << 30)), random_below(8) - 34);
    }
}

/* Near a tie of the scale, in the element's own dtype, and what is far from all ties. */
static double random_element(double scale, double zp)
{
    const double tie = (random_below(520) - 260) + 0.5 - (random_below(2) ? zp : 0.0);
    double x = random_below(2) ? tie * scale : tie / scale;
    switch (random_below(12)) {
    case 0: return random_below(2) ? NAN : -NAN;
    case 1: return random_below(2) ? INFINITY : -INFINITY;
    case 2: return ldexp(1.0 + random_below(1000) * 1e-3, random_below(2000) - 1000);
    case 3: return random_below(2) ? 0.0 : -0.0;
    case 4: return x;
    case 5: return nextafter(x, INFINITY);
    case 6: return nextafter(x, -INFINITY);
    case 7: return nextafterf((float)x, INFINITY);
    case 8: return nextafterf((float)x, -INFINITY);
    default: return (random_below(600) - 300 + random_below(1000) * 1e-3) * scale;
    }
}

static double random_float_zp(void)
{
    switch (random_below(5)) {
    case 0: return random_below(100) - 50 + 0.5;
    case 1: return (random_below(2) ? -1 : 1) * ldexp(1.5, random_below(270) - 148);
    case 2: return 0x1p-149;
    case 3: return 0.0;
    default: return (random_below(20000) - 10000) * 0.01;
    }
}

/* Parameters into the channels, then elements that are hard for them. */
static void fill(bench *b)
{
    qc_call *const call = &b->call;
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    for (int64_t c = 0, n = qc_tensor_elems(&call->args[1]); c < n; c++) {
        store(&call->args[1], c, random_scale((qc_dtype)call->args[1].dtype));
        store(&call->args[2], c,
              call->args[2].dtype == QC_F32 ? random_float_zp()
                                            : qmin + random_below(qmax - qmin + 1));
    }
    for (int64_t i = 0, n = qc_tensor_elems(&call->args[0]); i < n; i++) {
        const int64_t c = qc_call_channel(call, i);
        const char *const s = (char *)call->args[1].data;
        const char *const z = (char *)call->args[2].data;
        const int64_t s_at = qc_tensor_at(&call->args[1], c);
        const int64_t z_at = qc_tensor_at(&call->args[2], c);
        const double scale =
            call->args[1].dtype == QC_F64 ? ((double *)s)[s_at] : ((float *)s)[s_at];
        const double zp = call->args[2].dtype == QC_F32 ? ((float *)z)[z_at] : 0.0;
        store(&call->args[0], i,
              call->op == QC_OP_dequantize ? qmin + random_below(256)
                                           : random_element(scale, zp));
    }
}

static const qc_dtype reals[] = {QC_F32, QC_F64, QC_F16, QC_BF16};
static const qc_dtype scales[] = {QC_F32, QC_F64};
static const qc_dtype zero_points[] = {QC_S32, QC_S64, QC_F32};
static const qc_dtype codes[] = {QC_S8, QC_U8};
static const qc_op ops[] = {QC_OP_quantize, QC_OP_dequantize, QC_OP_fake_quantize};

/* Strides with gaps, dims permuted in memory, an offset; inputs sometimes repeat
   (stride 0). */
static void stretch(qc_tensor *t, int may_repeat)
{
    int64_t stride = 1 + random_below(3);
    const int down = random_below(2);
    for (uint32_t k = 0; k < t->rank; k++) {
        const uint32_t d = down ? t->rank - 1 - k : k;
        t->strides[d] = stride;
        stride *= t->dims[d] > 0 ? t->dims[d] : 1;
        stride += random_below(2);
    }
    if (may_repeat && t->rank > 0 && random_below(4) == 0) {
        t->strides[random_below((int32_t)t->rank)] = 0;
    }
    t->offset = random_below(4);
}

static void random_grid(qc_call *call)
{
    const int is_unsigned = qc_call_code_dtype(call) == QC_U8;
    if (random_below(2)) {
        call->attrs.qmin = is_unsigned ? random_below(100) : -1 - random_below(128);
        call->attrs.qmax = call->attrs.qmin + 1 + random_below(100);
    }
}

static void random_call(bench *b, qc_op op, uint32_t rank, int with_axis)
{
    int64_t dims[QC_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) {
        dims[d] = random_below(40) == 0 ? 0 : 1 + random_below(rank > 3 ? 3 : 6);
    }
    if (rank > 0 && rank < 4 && random_below(4) == 0) {
        dims[rank - 1] = 30 + random_below(20);
    }
    const qc_dtype real = reals[random_below(4)];
    const qc_dtype code = codes[random_below(2)];
    qc_call_init(&b->call, op);
    const int32_t axis = with_axis && rank ? random_below((int32_t)rank) : 0;
    const uint32_t channel_rank = with_axis && rank;
    if (channel_rank) {
        b->call.attrs.axis = random_below(2) ? axis : axis - (int32_t)rank;
    }
    shape(b, 0, op == QC_OP_dequantize ? code : real, rank, dims);
    shape(b, 1, scales[random_below(2)], channel_rank, &dims[axis]);
    shape(b, 2, zero_points[random_below(3)], channel_rank, &dims[axis]);
    shape(b, 3, op == QC_OP_quantize ? code : real, rank, dims);
    if (op == QC_OP_fake_quantize && random_below(4)) {
        shape(b, 4, QC_U8, rank, dims);
    }
    if (op == QC_OP_quantize) {
        b->call.attrs.scale_form = random_below(2);
    }
    if (op != QC_OP_dequantize) {
        random_grid(&b->call);
    }
    for (uint32_t a = 0; a < 5 && random_below(2); a++) {
        if (b->call.args[a].dtype != QC_NONE) {
            stretch(&b->call.args[a], a < 3);
        }
    }
}

static bench the_bench;

static void every_shape_dtype_axis_and_form(void **state)
{
    (void)state;
    bench *const b = &the_bench;
    random_state = 1;
    for (int i = 0; i < 12000; i++) {
        random_call(b, ops[i % 3], (uint32_t)(i / 3 % (QC_MAX_RANK + 1)), i / 21 % 2);
        fill(b);
        agree(b);
    }
}

/* Every length, a special value in every lane. */
static void every_length_and_lane(void **state)
{
    (void)state;
    static const float special[] = {NAN,   INFINITY, -INFINITY, 0.5f,
                                    -1.5f, 1e30f,    -0.0f,     127.5f};
    bench *const b = &the_bench;
    for (int fake = 0; fake < 2; fake++) {
        for (int64_t length = 1; length <= 65; length++) {
            for (int64_t lane = 0; lane < length; lane++) {
                vector_call(b, fake ? QC_OP_fake_quantize : QC_OP_quantize, QC_F32, QC_S8,
                            length);
                store(&b->call.args[1], 0, 1.0);
                store(&b->call.args[2], 0, (double)(lane % 7) - 3);
                for (int64_t i = 0; i < length; i++) {
                    store(&b->call.args[0], i, (double)(i * 3 % 250) - 125.25);
                }
                store(&b->call.args[0], lane, special[(lane + length) % 8]);
                agree(b);
            }
        }
    }
}

static void every_f16_and_bf16(void **state)
{
    (void)state;
    bench *const b = &the_bench;
    random_state = 2;
    for (int i = 0; i < 96;
         i++) { /* a sixteenth of the domain each: six scales a dtype and op */
        const int part = i % 16;
        for (int kind = 0; kind < 4; kind++) {
            vector_call(b, kind & 1 ? QC_OP_fake_quantize : QC_OP_quantize,
                        kind & 2 ? QC_BF16 : QC_F16, QC_S8, 4096);
            store(&b->call.args[1], 0, random_scale(QC_F32));
            store(&b->call.args[2], 0, random_below(256) - 128);
            for (int64_t k = 0; k < 4096; k++) {
                ((uint16_t *)b->data[0])[k] = (uint16_t)(part * 4096 + k);
            }
            agree(b);
        }
    }
}

/* f32 within a few ulps of (k + 1/2) s, for every k: where the reciprocal goes wrong. */
static void f32_near_ties(void **state)
{
    (void)state;
    bench *const b = &the_bench;
    random_state = 3;
    for (int i = 0; i < 400; i++) {
        const float scale = (float)random_scale(QC_F32);
        vector_call(b, i & 1 ? QC_OP_fake_quantize : QC_OP_quantize, QC_F32, QC_S8, 1300);
        store(&b->call.args[1], 0, scale);
        store(&b->call.args[2], 0, random_below(256) - 128);
        for (int64_t k = 0; k < 1300; k++) {
            float x = (float)(((double)(k / 5) - 129.5) * (double)scale);
            for (int ulp = (int)(k % 5) - 2; ulp != 0; ulp += ulp < 0 ? 1 : -1) {
                x = nextafterf(x, ulp < 0 ? -INFINITY : INFINITY);
            }
            store(&b->call.args[0], k, x);
        }
        agree(b);
    }
}

static int8_t quantized_f32(float x, float scale)
{
    int8_t q = 0;
    int32_t zero = 0;
    const qc_tensor xt = {.dtype = QC_F32, .data = &x};
    const qc_tensor st = {.dtype = QC_F32, .data = &scale};
    const qc_tensor zt = {.dtype = QC_S32, .data = &zero};
    const qc_tensor qt = {.dtype = QC_S8, .data = &q};
    assert_int_equal(qc_quantize(&xt, &st, &zt, &qt, NULL, NULL), QC_OK);
    return q;
}

static void hand_values(void **state)
{
    (void)state;
    assert_int_equal(quantized_f32(2.5f, 1.0f), 2);
    assert_int_equal(quantized_f32(-3.5f, 1.0f), -4);
    assert_int_equal(quantized_f32(0x1.cac084p-9f, 0x1.0624dep-10f),
                     3); /* reciprocal: 4 */
    assert_int_equal(quantized_f32(INFINITY, 1.0f), 127);
    assert_int_equal(quantized_f32(-1e38f, 1.0f), -128);
    assert_int_equal(quantized_f32(NAN, 1.0f), 0);
    assert_int_equal(quantized_f32(0x1p-149f, 0x1p-149f), 1);
}

/* Subnormals whose f64 quotient is a tie while 2x - (2k+1) s is one unit of 2^-1074: the
   remainder x - (k + 1/2) s itself is half a unit and would be rounded away. */
static void remainders_below_the_last_subnormal(void **state)
{
    (void)state;
    bench *const b = &the_bench;
    const double scale = (0x1p48 + 1) * 0x1p-1074;
    vector_call(b, QC_OP_quantize, QC_F64, QC_S8, 2);
    shape(b, 1, QC_F64, 0, NULL);
    store(&b->call.args[1], 0, scale);
    store(&b->call.args[0], 0, (49 * (0x1p47) + 25) * 0x1p-1074); /* (49 s + 1) / 2 */
    store(&b->call.args[0], 1, (51 * (0x1p47) + 25) * 0x1p-1074); /* (51 s - 1) / 2 */
    run_on(qc_impl_backend("portable"), b);
    assert_int_equal((int8_t)b->data[3][0], 25); /* above 24.5 */
    assert_int_equal((int8_t)b->data[3][1], 25); /* below 25.5 */
    agree(b);
}

/* 3 s within an f64 unit of a middle of y's dtype, on either side: where f64 in between
   rounds twice. */
static void products_beside_a_middle(void **state)
{
    (void)state;
    static const struct {
        qc_dtype dtype;
        int precision;
    } types[] = {{QC_F32, 24}, {QC_F16, 11}, {QC_BF16, 8}};
    bench *const b = &the_bench;
    random_state = 4;
    for (int i = 0; i < 3000; i++) {
        const int precision = types[i % 3].precision;
        const double middle =
            1 + (2 * random_below(1 << (precision - 1)) + 1) * ldexp(1.0, -precision);
        vector_call(b, QC_OP_dequantize, types[i % 3].dtype, QC_S8, 1);
        shape(b, 1, QC_F64, 0, NULL);
        store(&b->call.args[1], 0, nextafter(middle / 3, i & 1 ? 0.0 : 1.0));
        store(&b->call.args[0], 0, 3);
        agree(b);
        store(&b->call.args[1], 0, middle / 3);
        agree(b);
    }
}

static void unknown_profiles_are_unsupported(void **state)
{
    (void)state;
    bench *const b = &the_bench;
    const qc_backend *const backends[] = {qc_impl_backend("portable"),
                                          qc_reference_backend()};
    qc_message message;
    qc_plan *plan;
    for (int k = 0; k < 2; k++) {
        vector_call(b, QC_OP_quantize, QC_F32, QC_S8, 3);
        b->call.profile = "nobody";
        assert_int_equal(
            backends[k]->prepare(backends[k]->self, &b->call, &plan, &message),
            QC_UNSUPPORTED);
        b->call.profile = "tensorplay-doc";
        assert_int_equal(
            backends[k]->prepare(backends[k]->self, &b->call, &plan, &message), QC_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_values),
        cmocka_unit_test(remainders_below_the_last_subnormal),
        cmocka_unit_test(products_beside_a_middle),
        cmocka_unit_test(every_length_and_lane),
        cmocka_unit_test(f32_near_ties),
        cmocka_unit_test(every_f16_and_bf16),
        cmocka_unit_test(every_shape_dtype_axis_and_form),
        cmocka_unit_test(unknown_profiles_are_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
