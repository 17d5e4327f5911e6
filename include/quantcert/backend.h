/* SPDX-License-Identifier: Apache-2.0 */
/* The backend ABI: what a shared library exports to be judged.

   A plugin exports one symbol, QC_BACKEND_SYMBOL, a function that returns a table. The suite
   loads it in a child process of its own, asks `describe` once, and then for each call runs
   prepare, run (once or more), release. Nothing outside the described capabilities is sent,
   but for negative tests: invalid calls that must be refused with QC_INVALID.

   Inputs stand in read-only memory between inaccessible pages; outputs are poisoned. A
   backend must write every output element, nothing else, and leave the floating-point
   environment as it found it. Two plans may run on two threads at once. */
#ifndef QUANTCERT_BACKEND_H
#define QUANTCERT_BACKEND_H

#include "quantcert/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QC_ABI_VERSION 1u
#define QC_BACKEND_SYMBOL "quantcert_backend"
#define QC_MAX_CLAIMS 8

/* Granularities, zero points and grids: sets of bits. */
#define QC_PER_TENSOR 1u
#define QC_PER_CHANNEL 2u
#define QC_FORM_DIVIDE 1u
#define QC_FORM_MULTIPLY 2u
#define QC_GRID_FULL 1u   /* qmin and qmax are the ends of the code dtype */
#define QC_GRID_NARROW 2u /* any qmin < qmax inside it */
#define QC_ZP_COMMON 1u   /* linear: one weight zero point for all rows (rank 0) */
#define QC_ZP_ZERO 2u     /* zero points (linear: of weights, rank 0) are 0 */

/* What one op offers; several may describe one op. Zero in a set means: none. */
typedef struct qc_capability {
    uint32_t op;                      /* qc_op */
    uint32_t arg_dtypes[QC_MAX_ARGS]; /* sets of QC_DTYPE_BIT; 0: not taken */
    uint32_t granularities;           /* QC_PER_TENSOR, QC_PER_CHANNEL */
    uint32_t scale_forms;             /* QC_FORM_*; divide where the op has no choice */
    uint32_t grids;                   /* QC_GRID_FULL, QC_GRID_NARROW */
    uint32_t min_rank;                /* 0 ... QC_MAX_RANK */
    uint32_t max_rank;
    uint32_t strided;         /* 0: contiguous, offset 0; 1: any strides */
    uint32_t nonfinite;       /* 0: NaN and infinities are not sent; 1: taken */
    uint32_t max_threads;     /* 0 and 1: one */
    uint32_t alignment_bytes; /* of the data; 0 and 1: of the element */
    uint32_t choices;         /* 1 << word of qc_op_choice; 0 and no choice: the first */
    int64_t max_elems;        /* 0: no limit */
    double scale_low;         /* smallest scale taken; 0: no limit */
    double scale_high;        /* largest scale taken; 0: no limit */
    uint32_t zero_points;     /* QC_ZP_*; 0: any that the op takes */
    int32_t shift_low;        /* fixed: smallest shift taken; 0, 0: no limit */
    int32_t shift_high;       /* fixed: largest shift taken */
    int64_t min_terms;        /* linear: smallest K taken */
    int64_t max_terms;        /* linear: largest K taken; 0: no limit */
    double multiplier_low;  /* linear: bounds of x_scale w_scale / out_scale, or of the */
    double multiplier_high; /* multiplier that stands for it; 0: no limit */
    const char *claims[QC_MAX_CLAIMS]; /* profiles, the default first; NULL ends */
} qc_capability;

typedef struct qc_description {
    uint32_t size_bytes;
    uint32_t capability_count;
    const qc_capability *capabilities; /* owned by the backend until close */
    const char *name;                  /* "onednn" */
    const char *version;               /* of the library under test: "2.6.3" */
} qc_description;

typedef struct qc_plan qc_plan; /* the backend's own */

typedef struct qc_backend {
    uint32_t abi_version; /* QC_ABI_VERSION */
    uint32_t size_bytes;  /* sizeof(qc_backend) */
    void *self;           /* handed back on every call; may be NULL */

    /* QC_OK, or QC_FAULT with a message. */
    qc_status (*describe)(void *self, qc_description *description_ret,
                          qc_message *message);

    /* Checks the call and readies it. QC_INVALID: not valid for the op. QC_UNSUPPORTED: not
       offered. Tensor data may be read, but may be other data at run: dims, strides, dtypes
       and attributes stay. */
    qc_status (*prepare)(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message);

    /* Computes the outputs. `call` has the plan's shapes; its data pointers may differ. */
    qc_status (*run)(void *self, qc_plan *plan, const qc_call *call, qc_message *message);

    void (*release)(void *self, qc_plan *plan); /* may be NULL when plans own nothing */
    void (*close)(void *self);                  /* may be NULL */
} qc_backend;

/* The type of the exported function. NULL is a refusal: the library cannot work here. */
typedef const qc_backend *(*qc_backend_entry)(void);

#if defined(_WIN32)
#define QC_EXPORT __declspec(dllexport)
#else
#define QC_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif
#endif
