/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: scalar C that follows the step list of the profile that a call names, in
   native arithmetic. Slow, and meant to be read. */
#ifndef QUANTCERT_REFERENCE_H
#define QUANTCERT_REFERENCE_H

#include "quantcert/backend.h"
#include "quantcert/profile.h"

const qc_backend *qc_reference_backend(void);

/* One call under a list of the caller's own instead of its profile's row (rivals,
   probing). QC_INVALID: the call; QC_UNSUPPORTED: an op or a step that the reference
   does not have. */
qc_status qc_reference_run(const qc_call *call, const qc_steps *steps,
                           qc_message *message);

#endif
