/* SPDX-License-Identifier: Apache-2.0 */
/* Rules V11 to V14, of the three ops of linear, for check.c. */
#ifndef QC_CONTRACT_CHECK_LINEAR_H
#define QC_CONTRACT_CHECK_LINEAR_H

#include "quantcert/ops.h"

/* The arguments' dtypes and layouts have been found sound, each by itself. */
qc_status qc_check_linear(const qc_call *call, qc_message *message);

#endif
