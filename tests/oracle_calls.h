/* SPDX-License-Identifier: Apache-2.0 */
/* Calls made by hand for the tests of the oracles: contiguous, rank 1. */
#ifndef QUANTCERT_TEST_ORACLE_CALLS_H
#define QUANTCERT_TEST_ORACLE_CALLS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracles/oracles.h"

/* Values of one parameter in every type, so that a call can point at the one it needs. */
typedef struct parameter {
    float f32;
    double f64;
    int32_t s32;
    int64_t s64;
} parameter;

static inline parameter parameter_of(double value)
{
    const int is_whole = fabs(value) < 1e9;
    return (parameter){(float)value, value, is_whole ? (int32_t)value : 0,
                       is_whole ? (int64_t)value : 0};
}

static inline void *parameter_at(parameter *p, uint32_t dtype)
{
    switch (dtype) {
    case QC_F32: return &p->f32;
    case QC_F64: return &p->f64;
    case QC_S32: return &p->s32;
    default: return &p->s64;
    }
}

static inline qc_tensor row_of(uint32_t dtype, void *data, int64_t elems)
{
    return (qc_tensor){
        .dtype = dtype, .rank = 1, .dims = {elems}, .strides = {1}, .data = data};
}

static inline qc_tensor scalar_of(uint32_t dtype, parameter *p)
{
    return (qc_tensor){.dtype = dtype, .data = parameter_at(p, dtype)};
}

/* Outputs are declared only; oracles do not touch them. Any address serves. */
static char output_stand_in[8];

static inline qc_call quantize_call(qc_tensor x, qc_tensor scale, qc_tensor zp,
                                    uint32_t q)
{
    qc_call call;
    qc_call_init(&call, QC_OP_quantize);
    call.args[QC_ARG_OF(quantize, x)] = x;
    call.args[QC_ARG_OF(quantize, scale)] = scale;
    call.args[QC_ARG_OF(quantize, zero_point)] = zp;
    call.args[QC_ARG_OF(quantize, q)] = row_of(q, output_stand_in, x.dims[0]);
    return call;
}

static inline qc_call dequantize_call(qc_tensor q, qc_tensor scale, qc_tensor zp,
                                      uint32_t y)
{
    qc_call call;
    qc_call_init(&call, QC_OP_dequantize);
    call.args[QC_ARG_OF(dequantize, q)] = q;
    call.args[QC_ARG_OF(dequantize, scale)] = scale;
    call.args[QC_ARG_OF(dequantize, zero_point)] = zp;
    call.args[QC_ARG_OF(dequantize, y)] = row_of(y, output_stand_in, q.dims[0]);
    return call;
}

static inline qc_call fake_quantize_call(qc_tensor x, qc_tensor scale, qc_tensor zp)
{
    qc_call call;
    qc_call_init(&call, QC_OP_fake_quantize);
    call.args[QC_ARG_OF(fake_quantize, x)] = x;
    call.args[QC_ARG_OF(fake_quantize, scale)] = scale;
    call.args[QC_ARG_OF(fake_quantize, zero_point)] = zp;
    call.args[QC_ARG_OF(fake_quantize, y)] = row_of(x.dtype, output_stand_in, x.dims[0]);
    call.args[QC_ARG_OF(fake_quantize, mask)] = row_of(QC_U8, output_stand_in, x.dims[0]);
    return call;
}

static inline qc_oracle *open_oracle(const qc_call *call, const char *list,
                                     qc_oracle_path path)
{
    qc_oracle *oracle = NULL;
    qc_message message = {{0}};
    qc_steps steps;
    if (list && qc_steps_parse(list, &steps, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
    if (qc_oracle_open(call, list ? &steps : NULL, path, &oracle, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
    return oracle;
}

/* The first element of an output under a list, or under the call's own row. */
static inline qc_expected expect_first(const qc_call *call, const char *list,
                                       uint32_t arg)
{
    qc_expected expected;
    qc_oracle *const oracle = open_oracle(call, list, QC_ORACLE_MPFR);
    qc_oracle_expect(oracle, arg, 0, 1, &expected);
    qc_oracle_close(oracle);
    return expected;
}

static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
