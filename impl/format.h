/* SPDX-License-Identifier: Apache-2.0 */
/* The float dtypes as formats to round into. */
#ifndef QC_IMPL_FORMAT_H
#define QC_IMPL_FORMAT_H

#include "quantcert/types.h"

#include <float.h>

typedef struct qc_format {
    int precision; /* bits */
    int quantum;   /* exponent of the smallest subnormal */
    double max;
} qc_format;

static inline qc_format qc_format_of(uint32_t dtype)
{
    switch (dtype) {
    case QC_F16: return (qc_format){11, -24, 65504.0};
    case QC_BF16: return (qc_format){8, -133, 0x1.fep127};
    case QC_F32: return (qc_format){24, -149, FLT_MAX};
    default: return (qc_format){53, -1074, DBL_MAX};
    }
}

#endif
