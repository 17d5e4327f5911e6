/* SPDX-License-Identifier: Apache-2.0 */
/* Generators: element i of an argument from (version, name, args, arg, i) and the scales,
   zero points and grid that stand in the case. */
#ifndef QC_CASES_GENERATE_H
#define QC_CASES_GENERATE_H

#include "cases.h"
#include "random.h"
#include "value.h"

/* Parameters of one channel, for any case: absent or unusable ones read as 1 and 0. */
typedef struct qc_channel {
    double scale;
    double unit; /* x of one code: the scale, or 1 / scale in the multiply form; finite */
    double zero_point;
    int32_t whole; /* the integer nearest to zero_point, within +-2^20 */
} qc_channel;

typedef struct qc_generation {
    const qc_case *item;
    const qc_tensor *target;
    size_t bytes;           /* of one element of the target */
    qc_float_layout layout; /* of the target */
    uint32_t x_dtype; /* of the op's float body or output: what scales are made for */
    uint32_t y_dtype; /* of its float output, or QC_NONE */
    uint64_t key;
    uint64_t shared_key; /* the same for all arguments of a case */
    uint64_t stream;
    int nonfinite;
    double largest; /* finite value of the target's dtype, 0 for integers */
    int multiply;
    int32_t qmin;
    int32_t qmax;
    qc_channel *channels;
} qc_generation;

/* One element as bits. */
typedef uint64_t (*qc_element)(const qc_generation *g, const qc_channel *channel,
                               int64_t i);

uint64_t qc_element_edges(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_dense(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_random(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_codes(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_code_edges(const qc_generation *g, const qc_channel *channel,
                               int64_t i);
uint64_t qc_element_row_ends(const qc_generation *g, const qc_channel *channel,
                             int64_t i);
uint64_t qc_element_column_codes(const qc_generation *g, const qc_channel *channel,
                                 int64_t i);
uint64_t qc_element_scales(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_zero_points(const qc_generation *g, const qc_channel *channel,
                                int64_t i);
uint64_t qc_element_odd_scales(const qc_generation *g, const qc_channel *channel,
                               int64_t i);
uint64_t qc_element_even_zero_points(const qc_generation *g, const qc_channel *channel,
                                     int64_t i);

uint64_t qc_element_mask_edges(const qc_generation *g, const qc_channel *channel,
                               int64_t i);
uint64_t qc_element_mask_scales(const qc_generation *g, const qc_channel *channel,
                                int64_t i);
uint64_t qc_element_mask_zero_points(const qc_generation *g, const qc_channel *channel,
                                     int64_t i);
uint64_t qc_element_gradients(const qc_generation *g, const qc_channel *channel,
                              int64_t i);

/* Shared by the generators of floats: infinities and NaNs; a value, some ulps from zero. */
uint64_t qc_bits_nonfinite(const qc_generation *g, uint64_t r);
uint64_t qc_bits_beside(const qc_generation *g, double value, int64_t ulps);
/* requantize.c */
uint64_t qc_element_multipliers(const qc_generation *g, const qc_channel *channel,
                                int64_t i);
uint64_t qc_element_shifts(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_acc_edges(const qc_generation *g, const qc_channel *channel,
                              int64_t i);
uint64_t qc_element_accs(const qc_generation *g, const qc_channel *channel, int64_t i);

/* Position of the argument of that name, or QC_MAX_ARGS. */
uint32_t qc_arg_find(uint32_t op, const char *name);

#endif
