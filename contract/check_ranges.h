/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QC_CONTRACT_CHECK_RANGES_H
#define QC_CONTRACT_CHECK_RANGES_H

#include "quantcert/ops.h"

/* Rules V30 to V35 of a call whose layouts are sound; QC_OK for other ops. */
qc_status qc_ranges_check(const qc_call *call, qc_message *message);

#endif
