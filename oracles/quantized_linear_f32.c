/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_machine.h"

const qc_oracle_op qc_oracle_quantized_linear_f32 = {
    .engines = QC_LINEAR_ENGINES,
    .element = QC_ARG_OF(quantized_linear_f32, y),
    .zero_point = QC_ARG_OF(quantized_linear_f32, x_zero_point),
    .real = QC_ARG_OF(quantized_linear_f32, y),
    .roles = {[QC_ARG_OF(quantized_linear_f32, y)] = QC_ROLE_VALUE},
    .steps = QC_STEPS_LINEAR | QC_STEP_BIT(narrow) | QC_STEP_BIT(out),
};
