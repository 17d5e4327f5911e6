/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

const qc_oracle_op qc_oracle_requantize = {
    .engines = {&qc_engine_mpfr, &qc_engine_gmp, &qc_engine_filter_acc},
    .element = QC_ARG_OF(requantize, acc),
    .scale = QC_ARG_OF(requantize, multiplier),
    .zero_point = QC_ARG_OF(requantize, zero_point),
    .shift = QC_ARG_OF(requantize, shift),
    .real = QC_ARG_OF(requantize, multiplier),
    .roles = {[QC_ARG_OF(requantize, q)] = QC_ROLE_CODE},
    .steps = QC_STEP_BIT(narrow) | QC_STEP_BIT(mul) | QC_STEP_BIT(highmul) |
             QC_STEP_BIT(left) | QC_STEP_BIT(shift) | QC_STEP_BIT(add_half_floor) |
             QC_STEP_BIT(rint) | QC_STEP_BIT(limit) | QC_STEP_BIT(cast) |
             QC_STEP_BIT(addzp) | QC_STEP_BIT(clamp) | QC_STEP_BIT(code),
};
