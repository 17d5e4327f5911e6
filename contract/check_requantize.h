/* SPDX-License-Identifier: Apache-2.0 */
/* Rule U4, of requantize, for check.c. */
#ifndef QC_CONTRACT_CHECK_REQUANTIZE_H
#define QC_CONTRACT_CHECK_REQUANTIZE_H

#include "quantcert/ops.h"

/* The arguments' dtypes and layouts have been found sound, each by itself. */
qc_status qc_check_requantize(const qc_call *call, qc_message *message);

#endif
