/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_machine.h"

const qc_oracle_op qc_oracle_linear_s32 = {
    .engines = QC_LINEAR_ENGINES,
    .element = QC_ARG_OF(linear_s32, acc),
    .zero_point = QC_ARG_OF(linear_s32, x_zero_point),
    .real = QC_ARG_OF(linear_s32, acc),
    .roles = {[QC_ARG_OF(linear_s32, acc)] = QC_ROLE_NONE},
    .steps = QC_STEPS_LINEAR,
};
