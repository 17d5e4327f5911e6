/* SPDX-License-Identifier: Apache-2.0 */
/* What modules ask of each other beside their public functions. */
#ifndef QC_IMPL_MODULES_H
#define QC_IMPL_MODULES_H

#include "quantcert/modules.h"

/* Defaults resolved; the profile lives as long as the observer. */
const qc_range_observer_options *qc_range_observer_settings(
    const qc_range_observer *observer);

/* -1: nothing was recorded. */
int64_t qc_range_observer_channels(const qc_range_observer *observer);

/* An element of a scale or a zero point of any dtype that these take, exactly but for s64
   beyond 2^53, which no rule here takes. */
double qc_number_load(const qc_tensor *tensor, int64_t i);

/* Puts "prefix: " before the message of a failure. */
qc_status qc_prefixed(qc_status status, qc_message *message, const char *prefix);

#endif
