/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

const qc_oracle_op qc_oracle_dequantize = {
    .engines = QC_ELEMENTWISE_ENGINES,
    .element = QC_ARG_OF(dequantize, q),
    .scale = QC_ARG_OF(dequantize, scale),
    .zero_point = QC_ARG_OF(dequantize, zero_point),
    .real = QC_ARG_OF(dequantize, y),
    .roles = {[QC_ARG_OF(dequantize, y)] = QC_ROLE_VALUE},
    .steps = QC_STEPS_TO_REAL,
};
