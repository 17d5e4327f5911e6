/* SPDX-License-Identifier: Apache-2.0 */
#include "ranges.h"

const qc_oracle_op qc_oracle_choose_qparams = {
    .engines = {&qc_engine_qparams_mpfr, &qc_engine_qparams_gmp,
                &qc_engine_qparams_filter},
    .element = QC_ARG_OF(choose_qparams, min),
    .scale = QC_ARG_OF(choose_qparams, scale),
    .zero_point = QC_ARG_OF(choose_qparams, zero_point),
    .real = QC_ARG_OF(choose_qparams, scale),
    .steps = QC_STEP_BIT(span) | QC_STEP_BIT(reach) | QC_STEP_BIT(steps) |
             QC_STEP_BIT(cutoff) | QC_STEP_BIT(anchor) | QC_STEP_BIT(zero_point) |
             QC_STEP_BIT(narrow),
};
