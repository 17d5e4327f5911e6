/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar types, tensors and status codes: the vocabulary of every other header. */
#ifndef QUANTCERT_TYPES_H
#define QUANTCERT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QC_MAX_RANK 6

/* X(lower, UPPER, size in bytes). f16 is IEEE binary16, bf16 is bfloat16; both are held as
   uint16_t because no compiler that the fuzz engines need has the types. */
#define QC_DTYPES(X) \
    X(f32, F32, 4)   \
    X(f64, F64, 8)   \
    X(f16, F16, 2)   \
    X(bf16, BF16, 2) \
    X(s8, S8, 1)     \
    X(u8, U8, 1)     \
    X(s32, S32, 4)   \
    X(s64, S64, 8)

typedef enum qc_dtype {
    QC_NONE = 0, /* an argument that is absent */
#define X(lower, UPPER, bytes) QC_##UPPER,
    QC_DTYPES(X)
#undef X
        QC_DTYPE_COUNT
} qc_dtype;

/* A set of dtypes, one bit each. */
#define QC_DTYPE_BIT(dtype) (1u << (unsigned)(dtype))
#define QC_SET_FLOATS                                                     \
    (QC_DTYPE_BIT(QC_F32) | QC_DTYPE_BIT(QC_F64) | QC_DTYPE_BIT(QC_F16) | \
     QC_DTYPE_BIT(QC_BF16))
#define QC_SET_CODES (QC_DTYPE_BIT(QC_S8) | QC_DTYPE_BIT(QC_U8))
#define QC_SET_SCALES (QC_DTYPE_BIT(QC_F32) | QC_DTYPE_BIT(QC_F64))
#define QC_SET_INT_ZP (QC_DTYPE_BIT(QC_S32) | QC_DTYPE_BIT(QC_S64))
#define QC_SET_ZP (QC_SET_INT_ZP | QC_DTYPE_BIT(QC_F32))

typedef enum qc_status {
    QC_OK = 0,
    QC_INVALID, /* the caller's arguments; the message says which, what was expected */
    QC_UNSUPPORTED, /* a result, not an error: not offered here; outputs are untouched */
    QC_NO_MEMORY,
    QC_FAULT /* the callee's own fault */
} qc_status;

/* One line for a person: which argument, what was expected, what was found. */
typedef struct qc_message {
    char text[240];
} qc_message;

/* A strided view. Element (i0, i1, ...) lives at data + (offset + sum i_d * strides[d]) *
   size of dtype. Strides and offset count elements, not bytes. A stride may be 0 on inputs
   only. Rank 0 is a scalar. A tensor with a zero-sized dim has no elements. */
typedef struct qc_tensor {
    uint32_t dtype; /* qc_dtype; QC_NONE: the argument is absent */
    uint32_t rank;  /* 0 ... QC_MAX_RANK */
    int64_t dims[QC_MAX_RANK];
    int64_t strides[QC_MAX_RANK];
    int64_t offset;
    void *data;
} qc_tensor;

/* Lower-case name ("f32"), or "none"; never NULL. */
const char *qc_dtype_name(uint32_t dtype);

/* The dtype of that name of `length` characters, or QC_NONE. */
qc_dtype qc_dtype_find(const char *name, size_t length);

/* Size of one element in bytes; 0 for QC_NONE. */
size_t qc_dtype_bytes(uint32_t dtype);

/* The product of the dims (1 for rank 0), or -1 when it overflows or a dim is negative. */
int64_t qc_tensor_elems(const qc_tensor *tensor);

/* The element index (from `data`) of the i-th element in row-major order of the dims. */
int64_t qc_tensor_at(const qc_tensor *tensor, int64_t i);

/* The lowest and highest element index that the view touches; -1 when it has no elements. */
void qc_tensor_span(const qc_tensor *tensor, int64_t *low_ret, int64_t *high_ret);

/* Sets row-major strides and offset 0 for the dims that stand in the tensor. */
void qc_tensor_contiguous(qc_tensor *tensor);

/* 1 when strides are row-major without gaps (strides of dims of size 1 do not count). */
int qc_tensor_is_contiguous(const qc_tensor *tensor);

/* Formats into message->text (message may be NULL) and returns `status`. */
/* clang-format off */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
qc_status qc_fail(qc_status status, qc_message *message, const char *format, ...);
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
