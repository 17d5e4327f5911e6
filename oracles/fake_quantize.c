/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

const qc_oracle_op qc_oracle_fake_quantize = {
    .engines = QC_ELEMENTWISE_ENGINES,
    .element = QC_ARG_OF(fake_quantize, x),
    .scale = QC_ARG_OF(fake_quantize, scale),
    .zero_point = QC_ARG_OF(fake_quantize, zero_point),
    .real = QC_ARG_OF(fake_quantize, x),
    .roles = {[QC_ARG_OF(fake_quantize, y)] = QC_ROLE_VALUE,
              [QC_ARG_OF(fake_quantize, mask)] = QC_ROLE_MASK},
    .steps = QC_STEPS_TO_CODE | QC_STEPS_TO_REAL | QC_STEP_BIT(mask),
};
