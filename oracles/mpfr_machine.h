/* SPDX-License-Identifier: Apache-2.0 */
/* The MPFR path: a machine that takes one element through a step list.

   v is the ratio num/den of exact dyadics, den > 0; NaN and infinities stand in num with
   den = 1. So is s, whose denominator only recip(exact) changes. Every exact operation
   gives its result the precision that it needs, so that its ternary value must be 0; that
   is checked each time. Variables are allocated once and only ever change precision. */
#ifndef QUANTCERT_ORACLE_MPFR_MACHINE_H
#define QUANTCERT_ORACLE_MPFR_MACHINE_H

#include <stdint.h>

#include <gmp.h>

#include <mpfr.h>

#include "engine.h"

#define QC_MACHINE_SCRATCH 6

typedef struct qc_machine {
    const qc_oracle *oracle;
    mpfr_t x;
    mpfr_t s;
    mpfr_t s_den;
    mpfr_t z;
    mpfr_t num;
    mpfr_t den;
    mpfr_t channel_scale; /* what s is at the start of each element */
    mpfr_t scratch[QC_MACHINE_SCRATCH];
    mpz_t whole;
    int64_t channel; /* whose parameters stand in channel_scale and z; -1: none */
    int32_t z_code;  /* the zero point where it is an integer */
    int32_t shift;   /* the power of two inside channel_scale */
    int mask;        /* m; -1 before its step */
    int v_is_x;      /* v has not been computed yet: it still is the element */
    int den_is_one;  /* den = 1: spares the many multiplications and comparisons by it */
    int s_den_is_one;
    int s_is_changed;        /* a step changed s: it is set anew for the next element */
    int undefined;           /* the profile gives no value */
    int64_t values_channel;  /* whose codes' values stand below; -1: none */
    qc_expected values[256]; /* from qmin on; UNKNOWN: not derived yet */
} qc_machine;

/* Numbers: mpfr_number.c. T is a qc_dtype, QC_NONE where the step is exact. */
void qc_mp_decode(mpfr_t number, uint32_t dtype, uint64_t bits);
uint64_t qc_mp_encode(const mpfr_t number, uint32_t dtype);
void qc_mp_mul(mpfr_t product, const mpfr_t a, const mpfr_t b);
void qc_mp_add(mpfr_t sum, const mpfr_t a, const mpfr_t b);
void qc_mp_copy(mpfr_t copy, const mpfr_t a);
void qc_mp_int(mpfr_t number, long value);
void qc_mp_round(mpfr_t rounded, const mpfr_t num, const mpfr_t den, uint32_t T);

/* Registers: mpfr_machine.c. */
qc_status qc_machine_open(qc_machine *machine, const qc_oracle *oracle);
void qc_machine_close(qc_machine *machine);
void qc_machine_channel(qc_machine *machine, int64_t channel);
/* s := the scale of the call, whatever steps made of it. */
void qc_machine_scale(qc_machine *machine);
void qc_machine_load(qc_machine *machine, uint64_t bits);
void qc_machine_run(qc_machine *machine, uint32_t first_step, uint32_t role);
qc_expected qc_machine_result(qc_machine *machine, uint32_t role);
int qc_machine_is_special(const qc_machine *machine);
void qc_machine_settle(qc_machine *machine, uint32_t T);
void qc_machine_den_one(qc_machine *machine);
void qc_machine_set_int(qc_machine *machine, long value);
int qc_machine_compare(qc_machine *machine, long bound);

/* Steps that a list is made of: mpfr_steps.c, mpfr_integer.c, mpfr_mask.c. */
typedef void qc_machine_step(qc_machine *machine, const qc_step *step);
qc_machine_step qc_mpfr_step_narrow, qc_mpfr_step_recip, qc_mpfr_step_div,
    qc_mpfr_step_mul, qc_mpfr_step_fma;
qc_machine_step qc_mpfr_step_fma_premul, qc_mpfr_step_add_half_floor, qc_mpfr_step_rint,
    qc_mpfr_step_limit;
qc_machine_step qc_mpfr_step_cast, qc_mpfr_step_addzp, qc_mpfr_step_subzp,
    qc_mpfr_step_mask, qc_mpfr_step_clamp;
qc_machine_step qc_mpfr_step_code, qc_mpfr_step_out;
qc_machine_step qc_mpfr_step_wzp, qc_mpfr_step_pair, qc_mpfr_step_acc,
    qc_mpfr_step_multiplier, qc_mpfr_step_bias; /* of linear alone: linear_steps.c */
qc_machine_step qc_mpfr_step_rescale, qc_mpfr_step_highmul, qc_mpfr_step_shift,
    qc_mpfr_step_left; /* mpfr_fixed.c */

/* The type that a TYPE word names: QC_NONE for `exact`. */
uint32_t qc_machine_type(const qc_machine *machine, uint32_t token);

/* v += sign * z, rounded into T. */
void qc_machine_add_zp(qc_machine *machine, int sign, uint32_t T);

/* v := v rounded to an integer by the rule, a qc_token of class TIES; nothing: floor. */
void qc_machine_round(qc_machine *machine, uint32_t rule);

/* bound := code - z, exactly. It uses scratch 0 and 1. */
void qc_machine_code_less_zp(qc_machine *machine, long code, mpfr_t bound);

/* Masks by bounds of real numbers: mpfr_bounds.c. */
int qc_machine_mask_real(qc_machine *machine, const qc_step *step);

/* The step after the last that makes a code: where a code given from outside enters. */
uint32_t qc_machine_behind_code(const qc_oracle *oracle);

/* v as an integer modulo 2^64, its fraction cut off. v must be finite. */
uint64_t qc_machine_low_bits(qc_machine *machine);

#endif
