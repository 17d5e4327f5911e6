/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors made by hand for the tests of the modules. */
#ifndef QUANTCERT_TEST_MODULE_CALLS_H
#define QUANTCERT_TEST_MODULE_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "quantcert/modules.h"

static inline qc_tensor scalar(uint32_t dtype, void *data)
{
    return (qc_tensor){.dtype = dtype, .data = data};
}

static inline qc_tensor row(uint32_t dtype, void *data, int64_t elems)
{
    return (qc_tensor){
        .dtype = dtype, .rank = 1, .dims = {elems}, .strides = {1}, .data = data};
}

static inline qc_tensor matrix(uint32_t dtype, void *data, int64_t rows, int64_t columns)
{
    return (qc_tensor){.dtype = dtype,
                       .rank = 2,
                       .dims = {rows, columns},
                       .strides = {columns, 1},
                       .data = data};
}

/* A call that must be refused so, its message naming what is wrong. */
#define REFUSED(status, call, words)                               \
    do {                                                           \
        qc_message message = {""};                                 \
        assert_int_equal(call, status);                            \
        if (!strstr(message.text, words)) {                        \
            fail_msg("'%s' does not say %s", message.text, words); \
        }                                                          \
    } while (0)

#define TAKEN(call)                       \
    do {                                  \
        qc_message message = {""};        \
        if ((call) != QC_OK) {            \
            fail_msg("%s", message.text); \
        }                                 \
    } while (0)

#endif
