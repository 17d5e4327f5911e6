/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses for linear: as harness/guess.h, per output. */
#ifndef QUANTCERT_GUESS_LINEAR_H
#define QUANTCERT_GUESS_LINEAR_H

#include "harness/guess.h"

/* The value of output i behind the steps of linear that the list begins with; *next_ret: the
   step after those. */
double qc_guess_linear(const qc_call *call, int64_t i, const qc_steps *steps,
                       uint32_t *next_ret);

#endif
