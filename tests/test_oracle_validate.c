/* SPDX-License-Identifier: Apache-2.0 */
/* Two readings of rules V1 to V9, the contract's and the oracles', against hand-made
   calls and against each other on random ones. */
#include "oracle_calls.h"

#include <stdlib.h>

enum { SPACE = 1024 };

typedef struct ground {
    double data[SPACE]; /* read as any dtype */
    float scales[SPACE];
    double wide_scales[SPACE];
    int32_t zps[SPACE];
    float real_zps[SPACE];
    int64_t wide_zps[SPACE];
} ground;

static void check(const qc_call *call, qc_status want, const char *what)
{
    qc_message message = {{0}};
    const qc_status ours = qc_oracle_validate(call, &message);
    const qc_status theirs = qc_call_check(call, NULL);
    if (ours != want || theirs != want) {
        fail_msg("%s: oracles %d (%s), contract %d, expected %d", what, ours,
                 message.text, theirs, want);
    }
    assert_true((ours == QC_OK) == (message.text[0] == 0));
}

static qc_call valid_call(ground *g)
{
    for (int i = 0; i < SPACE; i++) {
        g->scales[i] = 0.5f;
        g->wide_scales[i] = 0.5;
        g->zps[i] = 3;
        g->wide_zps[i] = 3;
        g->real_zps[i] = 0.25f;
    }
    qc_call call;
    qc_call_init(&call, QC_OP_quantize);
    call.attrs.axis = 1;
    call.args[0] =
        (qc_tensor){.dtype = QC_F32, .rank = 2, .dims = {2, 3}, .data = g->data};
    qc_tensor_contiguous(&call.args[0]);
    call.args[1] = row_of(QC_F32, g->scales, 3);
    call.args[2] = row_of(QC_S32, g->zps, 3);
    call.args[3] = call.args[0];
    call.args[3].dtype = QC_S8;
    return call;
}

#define BREAK(rule, change)                          \
    do {                                             \
        qc_call call = valid_call(&g);               \
        change;                                      \
        check(&call, QC_INVALID, rule ": " #change); \
    } while (0)
#define KEEP(change)                   \
    do {                               \
        qc_call call = valid_call(&g); \
        change;                        \
        check(&call, QC_OK, #change);  \
    } while (0)

static void each_rule(void **unused)
{
    (void)unused;
    static ground g;
    KEEP(call.attrs.axis = -1);
    KEEP(call.args[0].strides[0] = 0; call.args[0].strides[1] = 0);
    KEEP(call.args[3].strides[0] = 1; call.args[3].strides[1] = 2);
    KEEP(call.attrs.qmin = 3; call.attrs.qmax = 4);
    KEEP(call.args[0].dims[0] = 0; call.args[3].dims[0] = 0);
    KEEP(g.scales[0] = 0x1p-149f; g.scales[1] = 0x1.fffffep127f);
    KEEP(call.args[2] = row_of(QC_F32, g.real_zps, 3); g.real_zps[1] = -3e38f);
    BREAK("V1", call.args[1].dtype = QC_NONE);
    BREAK("V1", call.args[0].dtype = QC_S8);
    BREAK("V1", call.args[1].dtype = QC_F16);
    BREAK("V1", call.args[3].dtype = 77);
    BREAK("V2", call.args[0].rank = 7);
    BREAK("V2", call.args[0].dims[0] = -1);
    BREAK("V2", call.args[0].strides[1] = -1);
    BREAK("V2", call.args[0].offset = -1);
    BREAK("V2", call.args[0].strides[0] = INT64_MAX; call.args[0].offset = 9);
    BREAK("V2", call.args[0].data = NULL);
    BREAK("V3", call.args[3].dims[1] = 2);
    BREAK("V3", call.args[3].rank = 1);
    BREAK("V4", call.attrs.axis = 2);
    BREAK("V4", call.attrs.axis = -3);
    BREAK("V4", call.attrs.axis = 0);
    BREAK("V4", call.attrs.axis = QC_AXIS_NONE);
    BREAK("V4", call.args[1].rank = 0);
    BREAK("V4", call.args[2].dims[0] = 2);
}

static void each_rule_on_values(void **unused)
{
    (void)unused;
    static ground g;
    BREAK("V5", call.attrs.qmin = 5; call.attrs.qmax = 5);
    BREAK("V5", call.attrs.qmax = 128);
    BREAK("V5", call.attrs.qmin = -129);
    BREAK("V5", call.attrs.qmin = -1; call.args[3].dtype = QC_U8);
    BREAK("V6", g.scales[2] = 0);
    BREAK("V6", g.scales[2] = -0.0f);
    BREAK("V6", g.scales[2] = -1);
    BREAK("V6", g.scales[2] = NAN);
    BREAK("V6", g.scales[2] = INFINITY);
    BREAK("V6", call.args[1] = row_of(QC_F64, g.wide_scales, 3);
          g.wide_scales[0] = INFINITY);
    BREAK("V7", g.zps[2] = 128);
    BREAK("V7", call.attrs.qmax = 2);
    BREAK("V7", call.args[2] = row_of(QC_S64, g.wide_zps, 3);
          g.wide_zps[1] = INT64_C(1) << 32);
    BREAK("V7", call.args[2] = row_of(QC_F32, g.real_zps, 3); g.real_zps[1] = INFINITY);
    BREAK("V8", call.args[3].strides[1] = 0);
    BREAK("V8", call.args[3].strides[0] = 2);
}

static void agree(const qc_call *call, int64_t *valid)
{
    qc_message ours = {{0}};
    qc_message theirs = {{0}};
    const qc_status a = qc_oracle_validate(call, &ours);
    const qc_status b = qc_call_check(call, &theirs);
    if (a != b) {
        fail_msg("%s: oracles %d (%s), contract %d (%s)", qc_op_get(call->op)->name, a,
                 ours.text, b, theirs.text);
    }
    *valid += a == QC_OK;
}

/* Mostly sound calls of the three ops with a few things changed at random. */
static void random_calls(void **unused)
{
    (void)unused;
    static const uint32_t ops[] = {QC_OP_quantize, QC_OP_dequantize, QC_OP_fake_quantize};
    static const int32_t numbers[] = {-129, -128, -127, -3,  -2,  -1,  0,
                                      1,    2,    3,    127, 128, 255, 256};
    static ground g;
    uint64_t state = 11;
    int64_t valid = 0;
    enum { CALLS = 200000 };
    for (int n = 0; n < CALLS; n++) {
        qc_call call = valid_call(&g);
        call.op = ops[n % 3];
        const qc_tensor swapped = call.args[0];
        if (call.op == QC_OP_dequantize) {
            call.args[0] = call.args[3];
            call.args[3] = swapped;
        } else if (call.op == QC_OP_fake_quantize) {
            call.args[3].dtype = QC_F32;
            call.args[4] = call.args[3];
            call.args[4].dtype = QC_U8;
        }
        for (uint64_t changes = random_bits(&state) % 3; changes > 0; changes--) {
            const uint64_t r = random_bits(&state);
            const int32_t number = numbers[r % (sizeof numbers / sizeof numbers[0])];
            qc_tensor *const tensor = &call.args[r >> 8 & 3];
            const unsigned d = r >> 16 & 1;
            switch (r >> 24 & 15) {
            case 0: call.attrs.axis = number; break;
            case 1: call.attrs.qmin = number; break;
            case 2: call.attrs.qmax = number; break;
            case 3: tensor->dims[d] = number & 7; break;
            case 4: tensor->strides[d] = number & 7; break;
            case 5: tensor->offset = number; break;
            case 6: tensor->rank = r >> 32 & 7; break;
            case 7: tensor->dtype = (r >> 32) % (QC_DTYPE_COUNT + 1); break;
            case 8: g.zps[r >> 32 & 3] = number; break;
            case 9: g.scales[r >> 32 & 3] = f32_of_bits((uint32_t)(r >> 32)); break;
            case 10:
                call.attrs.axis = QC_AXIS_NONE;
                call.args[1].rank = call.args[2].rank = 0;
                break;
            case 11:
                call.args[3].dtype = call.args[3].dtype == QC_S8 ? QC_U8 : QC_F64;
                break;
            case 12: call.args[2] = row_of(QC_F32, g.real_zps, 3); break;
            case 13: call.args[2] = row_of(QC_S64, g.wide_zps, 3); break;
            case 14:
                /* Oracles also judge calls whose outputs have no storage yet: inputs only. */
                call.args[r >> 8 & 1].data = NULL;
                break;
            default: g.real_zps[d] = f32_of_bits((uint32_t)(r >> 32));
            }
        }
        agree(&call, &valid);
    }
    print_message("%d random calls, %d valid, both readings agree\n", CALLS, (int)valid);
    assert_in_range(valid, CALLS / 4, CALLS * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_rule),
                                       cmocka_unit_test(each_rule_on_values),
                                       cmocka_unit_test(random_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
