/* SPDX-License-Identifier: Apache-2.0 */
/* The production kernels behind the backend ABI, one backend per rung. */
#ifndef QUANTCERT_IMPL_H
#define QUANTCERT_IMPL_H

#include "quantcert/backend.h"

/* rung: "portable", "avx2"; NULL: the highest that the CPU and QC_CPU_MASK allow,
   where a mask that names no rung becomes a QC_FAULT of describe and prepare. NULL is
   returned for an unknown rung, or one that this CPU cannot run. */
const qc_backend *qc_impl_backend(const char *rung);

#endif
