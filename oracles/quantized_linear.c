/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_machine.h"

const qc_oracle_op qc_oracle_quantized_linear = {
    .engines = QC_LINEAR_ENGINES,
    .element = QC_ARG_OF(quantized_linear, q),
    .zero_point = QC_ARG_OF(quantized_linear, out_zero_point),
    .real = QC_ARG_OF(quantized_linear, q),
    .roles = {[QC_ARG_OF(quantized_linear, q)] = QC_ROLE_CODE},
    .steps = QC_STEPS_LINEAR | QC_STEPS_TO_CODE | QC_STEP_BIT(highmul) |
             QC_STEP_BIT(shift) | QC_STEP_BIT(left) | QC_STEP_BIT(rescale),
    .value = qc_linear_value,
};
