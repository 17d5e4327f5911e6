/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a group's i-th case: everything but its data. */
#ifndef QC_CASES_GROUPS_H
#define QC_CASES_GROUPS_H

#include "cases.h"

typedef enum qc_layout {
    QC_LAYOUT_PLAIN,
    QC_LAYOUT_OFFSET,
    QC_LAYOUT_GAPS,     /* every stride doubled */
    QC_LAYOUT_PADDED,   /* rows further apart than they are long */
    QC_LAYOUT_REVERSED, /* strides permuted: the first dim is the innermost */
    QC_LAYOUT_CHANNELS_LAST,
    QC_LAYOUT_SHARED, /* stride 0 on one dim: inputs only */
    QC_LAYOUT_COUNT
} qc_layout;

typedef struct qc_plan_of_case {
    qc_tensor body; /* rank and dims; dtype and strides unset */
    int32_t axis;   /* as the call takes it; QC_AXIS_NONE per tensor */
    qc_layout in;
    qc_layout out;
    const char *generator; /* of the body; its arguments follow from group and index */
    const char *scales;    /* generators of the parameters, likewise */
    const char *zero_points;
} qc_plan_of_case;

/* Cases that every level has: each length from 1 to 65, then each kind of shape. */
#define QC_EDGE_CASES 96

void qc_plan_case(const qc_group *group, int64_t i, qc_plan_of_case *plan_ret);

/* Strides and offset of a layout for the dims that stand in the tensor. */
void qc_layout_apply(qc_layout layout, qc_tensor *tensor);

#endif
