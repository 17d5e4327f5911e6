/* SPDX-License-Identifier: Apache-2.0 */
/* What a mutant is made of: the reference, and a twist of one op. */
#ifndef QC_MUTANT_H
#define QC_MUTANT_H

#include "quantcert/backend.h"

/* Both see calls of the twisted op only. NULL: as the reference. */
typedef struct qc_twist {
    qc_status (*prepare)(const qc_call *call, qc_message *message);
    /* `runs`: of this plan, this one included */
    qc_status (*run)(const qc_call *call, int runs, qc_message *message);
} qc_twist;

extern const qc_twist qc_mutant_twist;

/* The call under its row's own steps, or under a rival's where it has that rival. */
qc_status qc_honest(const qc_call *call, qc_message *message);
qc_status qc_rival_run(const qc_call *call, const char *rival, qc_message *message);

/* The i-th element in row-major order, and its value. */
unsigned char *qc_address(const qc_tensor *tensor, int64_t i);
double qc_value(const qc_tensor *tensor, int64_t i);

/* 1 for f32, f32, s32 -> s8 per tensor on the whole grid, dividing: a group among hundreds,
   for twists that cost the suite a child each time. */
int qc_is_common(const qc_call *call);

#endif
