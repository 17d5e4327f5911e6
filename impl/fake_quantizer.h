/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QC_IMPL_FAKE_QUANTIZER_H
#define QC_IMPL_FAKE_QUANTIZER_H

#include "quantcert/modules.h"

struct qc_fake_quantizer {
    qc_range_observer *observer;
    qc_kernel_options
        kernel; /* profile, granularity, axis, grid, mask form of backward */
    int8_t records;
    int8_t is_frozen;
    int8_t is_derived; /* scale and zero_point hold parameters */
    qc_tensor scale; /* contiguous, rank 0 or 1, data allocated; dtype set when opened */
    qc_tensor zero_point;
};

/* Derives the parameters of what was recorded, unless they are fixed. */
qc_status qc_fake_quantizer_derive(qc_fake_quantizer *quantizer, qc_message *message);

#endif
