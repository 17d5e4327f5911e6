/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

const qc_oracle_op qc_oracle_quantize = {
    .engines = QC_ELEMENTWISE_ENGINES,
    .element = QC_ARG_OF(quantize, x),
    .scale = QC_ARG_OF(quantize, scale),
    .zero_point = QC_ARG_OF(quantize, zero_point),
    .real = QC_ARG_OF(quantize, x),
    .roles = {[QC_ARG_OF(quantize, q)] = QC_ROLE_CODE},
    .steps = QC_STEPS_TO_CODE,
};
