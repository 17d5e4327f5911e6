/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of choose_qparams and observe. */
#ifndef QC_CASES_RANGES_H
#define QC_CASES_RANGES_H

#include "generate.h"
#include "groups.h"
#include "negatives.h"

int qc_cases_of_ranges(uint32_t op);

/* Elements of ranges and states: the max is made for the min that stands in the case. */
uint64_t qc_element_range_min(const qc_generation *g, const qc_channel *channel,
                              int64_t i);
uint64_t qc_element_range_max(const qc_generation *g, const qc_channel *channel,
                              int64_t i);
uint64_t qc_element_batch(const qc_generation *g, const qc_channel *channel, int64_t i);
uint64_t qc_element_state_min(const qc_generation *g, const qc_channel *channel,
                              int64_t i);
uint64_t qc_element_state_max(const qc_generation *g, const qc_channel *channel,
                              int64_t i);

/* Dtypes that belong together (V30, V33). */
int qc_range_dtypes_fit(const qc_group *group);

/* Without a state, a batch must have elements (V35). */
void qc_range_plan(const qc_group *group, qc_plan_of_case *plan);

/* Attributes and data of a case whose tensors stand. */
qc_status qc_range_fill(const qc_group *group, uint64_t seed, int64_t i, qc_case *item);

/* Breakers of rules V30 to V35: range_negatives.c. */
extern qc_breaker *const qc_range_breakers[];
extern const int qc_range_breaker_count;

#endif
