/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels are given and what they share. All kernels of an op give the same bits. */
#ifndef QC_IMPL_KERNEL_H
#define QC_IMPL_KERNEL_H

#include "quantcert/ops.h"

/* Elements in a line: pointers to the first of each body-shaped argument, strides in
   elements. Scale and zero point stay in the call; the channel is one, or goes up by
   one. */
typedef struct qc_run {
    int64_t count;
    int64_t channel;
    int64_t channel_step; /* 0 or 1 */
    char *data[QC_MAX_ARGS];
    int64_t stride[QC_MAX_ARGS];
} qc_run;

typedef void qc_kernel(const qc_call *call, const qc_run *run);

#define QC_KERNEL(op, rung, domain) qc_kernel qc_##op##_##rung;
#include "kernels.def"
#undef QC_KERNEL

/* Cuts a checked call into runs, as long as the strides allow. Ops whose outputs have other
   dims than their body get the call whole, with run NULL, and may walk by themselves. */
void qc_walk(const qc_call *call, qc_kernel *kernel);
void qc_walk_runs(const qc_call *call, qc_kernel *kernel);

/* The rungs of kernels.def, lowest first. */
typedef enum qc_rung {
#define QC_RUNG(rung, feature, summary) QC_RUNG_##rung,
#include "kernels.def"
#undef QC_RUNG
    QC_RUNG_COUNT
} qc_rung;

const char *qc_rung_name(uint32_t rung);
uint32_t qc_rung_find(const char *name); /* QC_RUNG_COUNT: no such rung */
int qc_rung_runs_here(uint32_t rung);

/* The highest that the CPU and QC_CPU_MASK allow. QC_FAULT: QC_CPU_MASK names no rung. */
qc_status qc_rung_top(uint32_t *rung_ret, qc_message *message);

/* The op's kernel on that rung or the nearest below; NULL when the op is not built. */
qc_kernel *qc_kernel_find(uint32_t op, uint32_t rung);

/* QC_UNSUPPORTED: the profile is none that the kernels compute. */
qc_status qc_profile_check(const qc_call *call, qc_message *message);

#endif
