/* SPDX-License-Identifier: Apache-2.0 */
/* The plumbing between the public calls and the derivations: which argument is what,
   blocks of input bits, one channel's parameters. It reads memory and decides nothing. */
#ifndef QUANTCERT_ORACLE_ENGINE_H
#define QUANTCERT_ORACLE_ENGINE_H

#include "oracles.h"

/* One derivation of one family of ops. `open` sets oracle->state, which `close` frees. */
typedef struct qc_engine {
    qc_status (*open)(qc_oracle *oracle, qc_message *message);
    void (*close)(qc_oracle *oracle);
    void (*expect)(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                   qc_expected *expected_ret);
} qc_engine;

typedef enum qc_role { QC_ROLE_NONE, QC_ROLE_CODE, QC_ROLE_VALUE, QC_ROLE_MASK } qc_role;

/* What an op's arguments mean: the one row that oracles/<op>.c holds. */
typedef struct qc_oracle_op {
    const qc_engine *engines[3]; /* by qc_oracle_path */
    uint32_t element;            /* argument index of the element: x, or the code */
    uint32_t scale;
    uint32_t zero_point;
    uint32_t shift;              /* s is scale * 2^shift; 0: the op has none */
    uint32_t real;               /* the float argument, whose dtype is `own` */
    uint32_t roles[QC_MAX_ARGS]; /* qc_role of each argument */
    uint64_t steps;              /* set of 1 << qc_step_kind that make sense for the op */
    /* Sets the MPFR machine's v to what is rounded, for positions; NULL: x/s or x * s. */
    void (*value)(qc_oracle *oracle, int64_t i);
    /* Turns what an engine expects into what the op gives; NULL: they are the same. */
    void (*finish)(const qc_oracle *oracle, int64_t first, int64_t count,
                   qc_expected *expected);
} qc_oracle_op;

#define QC_STEP_BIT(step) (UINT64_C(1) << QC_STEP_##step)
/* Steps from a real to a code, and from a code to a real. */
#define QC_STEPS_TO_CODE                                                               \
    (QC_STEP_BIT(nan) | QC_STEP_BIT(narrow) | QC_STEP_BIT(recip) | QC_STEP_BIT(div) |  \
     QC_STEP_BIT(mul) | QC_STEP_BIT(fma) | QC_STEP_BIT(add_half_floor) |               \
     QC_STEP_BIT(rint) | QC_STEP_BIT(limit) | QC_STEP_BIT(cast) | QC_STEP_BIT(addzp) | \
     QC_STEP_BIT(clamp) | QC_STEP_BIT(code))
#define QC_STEPS_TO_REAL                                                              \
    (QC_STEP_BIT(narrow) | QC_STEP_BIT(recip) | QC_STEP_BIT(mul) | QC_STEP_BIT(fma) | \
     QC_STEP_BIT(fma_premul) | QC_STEP_BIT(subzp) | QC_STEP_BIT(out))

struct qc_oracle {
    const qc_call *call;
    const qc_oracle_op *op;
    qc_steps steps;
    uint32_t path;     /* qc_oracle_path */
    uint32_t own;      /* qc_dtype */
    uint32_t code;     /* qc_dtype of codes: the argument's, or what holds the grid */
    uint32_t float_zp; /* 1: the zero point is a float */
    int32_t qmin;
    int32_t qmax;
    int64_t inner; /* elements in a row that share a channel; 0: all do */
    void *state;   /* the engine's */
};

#define QC_BLOCK_ELEMS 256

/* Neighbouring elements of one channel, as raw bits in the low end. */
typedef struct qc_block {
    int64_t channel;
    int64_t count;
    uint64_t bits[QC_BLOCK_ELEMS];
} qc_block;

/* Loads element `first` and up to count-1 more that share its channel. */
void qc_block_load(const qc_oracle *oracle, int64_t first, int64_t count,
                   qc_block *block);

/* Raw bits of an argument's i-th element, and of an integer one its value. */
uint64_t qc_arg_bits(const qc_tensor *tensor, int64_t i);
int64_t qc_arg_integer(const qc_tensor *tensor, int64_t i);

/* What a list of ideal's form asks for: real -> code, code -> real, or both. */
typedef struct qc_ideal {
    int to_code;
    int to_real;
    int multiply;    /* x * m, not x / s */
    int zp_first;    /* the zero point is added before rounding, or to real bounds */
    int real_bounds; /* the mask is that of x/s or x * m within real bounds (M2) */
    uint32_t
        bounds; /* the word of a mask by bounds in a type, which is not ideal's; or 0 */
    uint32_t type; /* that type, a dtype */
} qc_ideal;

/* 1 when the list is one that `ideal` could hold for the oracle's op and zero point. */
int qc_ideal_match(const qc_oracle *oracle, qc_ideal *ideal_ret);

/* 1 when the call's scale multiplies x. */
int qc_oracle_multiplies(const qc_oracle *oracle);
/* Rule U4 of a requantize call whose arguments are sound by themselves. */
qc_status qc_validate_requantize(const qc_call *call, qc_message *message);

/* Counts a run-time check that failed. */
void qc_oracle_fault(const char *what);

extern const qc_engine qc_engine_mpfr;
extern const qc_engine qc_engine_gmp;
extern const qc_engine qc_engine_filter;
extern const qc_engine qc_engine_filter_acc; /* integers times a multiplier */

#define QC_ELEMENTWISE_ENGINES                             \
    {                                                      \
        &qc_engine_mpfr, &qc_engine_gmp, &qc_engine_filter \
    }

extern const qc_engine qc_engine_linear_mpfr;
extern const qc_engine qc_engine_linear_gmp;
extern const qc_engine qc_engine_linear_filter;

#define QC_LINEAR_ENGINES                                                       \
    {                                                                           \
        &qc_engine_linear_mpfr, &qc_engine_linear_gmp, &qc_engine_linear_filter \
    }
#define QC_STEPS_LINEAR                                                                  \
    (QC_STEP_BIT(wzp) | QC_STEP_BIT(pair) | QC_STEP_BIT(acc) | QC_STEP_BIT(multiplier) | \
     QC_STEP_BIT(bias))
/* The power of two that a channel's scale is multiplied by: 0 where there is none. */
int32_t qc_channel_shift(const qc_oracle *oracle, int64_t channel);

#define QC_ORACLE_OP(name) extern const qc_oracle_op qc_oracle_##name;
#include "oracle_ops.inc"
#undef QC_ORACLE_OP

#endif
