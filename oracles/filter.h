/* SPDX-License-Identifier: Apache-2.0 */
/* The filtered path: binary64 where a proof says that it cannot err, 128-bit integers
   where it might, and UNKNOWN where neither answers. */
#ifndef QUANTCERT_ORACLE_FILTER_H
#define QUANTCERT_ORACLE_FILTER_H

#include <stdint.h>

#include "engine.h"

__extension__ typedef unsigned __int128 qc_u128;

/* Rounded quotients are held within this, far outside every grid; beyond it, two marks.
 */
#define QC_FILTER_BOUND (1 << 20)
#define QC_FILTER_NAN INT32_MIN
#define QC_FILTER_UNKNOWN INT32_MAX

typedef struct qc_filter {
    const qc_oracle *oracle;
    qc_ideal ideal;
    int is_narrow; /* x and s have at most 24 bits */
    double scale;
    double unit_scale; /* the scale over a power of two, in [1, 2) */
    double to_unit[2]; /* whose product is that power's inverse, maybe out of range */
    double zp;
    int32_t shift;   /* z where it is added after rounding, else 0 */
    int64_t channel; /* -1: none */
} qc_filter;

/* |value| as whole * 2^exponent, value finite. */
uint64_t qc_filter_split(double value, int *exponent_ret);

/* Elements as doubles, exactly. */
void qc_filter_widen(uint32_t dtype, const uint64_t *bits, int64_t count, double *x_ret);

/* RNE(v) of each x, within the bound, or a mark. filter_code.c has the proofs. */
void qc_filter_round(const qc_filter *filter, const double *x, int64_t count,
                     int32_t *rounded_ret);

/* Sign of v + z - h near the tie h, |z| < 2^44. filter_tie.c has the proofs. */
int qc_filter_side(const qc_filter *filter, double x, double h);

/* 1 where x lies within real bounds (M2). filter_mask.c has the proofs. */
void qc_filter_real_masks(const qc_filter *filter, const double *x, int64_t count,
                          qc_expected *expected_ret);

/* The same by bounds in a type (S8). filter_bounds.c has the proofs. */
void qc_filter_typed_masks(const qc_filter *filter, const double *x, int64_t count,
                           qc_expected *expected_ret);

/* Sets unit_scale and to_unit from the scale. */
void qc_filter_set_unit(qc_filter *filter);

/* Expected bits of RN_T((code - z) * s). filter_value.c has the proofs. */
void qc_filter_values(const qc_filter *filter, const int32_t *codes, int64_t count,
                      qc_expected *expected_ret);

#endif
