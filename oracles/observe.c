/* SPDX-License-Identifier: Apache-2.0 */
#include "ranges.h"

const qc_oracle_op qc_oracle_observe = {
    .engines = {&qc_engine_observe_mpfr, &qc_engine_observe_gmp,
                &qc_engine_observe_filter},
    .element = QC_ARG_OF(observe, x),
    .scale = QC_ARG_OF(observe, x), /* it has neither scale nor zero point */
    .zero_point = QC_ARG_OF(observe, x),
    .real = QC_ARG_OF(observe, x),
    .steps = QC_STEP_BIT(extremes) | QC_STEP_BIT(start) | QC_STEP_BIT(join) |
             QC_STEP_BIT(average) | QC_STEP_BIT(out),
};
