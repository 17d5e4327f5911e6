/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

const qc_oracle_op qc_oracle_ste_mask = {
    .engines = QC_ELEMENTWISE_ENGINES,
    .element = QC_ARG_OF(ste_mask, x),
    .scale = QC_ARG_OF(ste_mask, scale),
    .zero_point = QC_ARG_OF(ste_mask, zero_point),
    .real = QC_ARG_OF(ste_mask, x),
    .roles = {[QC_ARG_OF(ste_mask, mask)] = QC_ROLE_MASK},
    .steps = QC_STEPS_TO_CODE | QC_STEP_BIT(mask),
};
