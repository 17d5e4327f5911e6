/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a case line in their order: the common ones, the attributes, the arguments. */
#ifndef QC_CASES_KEYS_H
#define QC_CASES_KEYS_H

#include "quantcert/case.h"

typedef enum qc_slot {
    QC_SLOT_profile,
    QC_SLOT_align,
    QC_SLOT_threads,
    QC_SLOT_repeat,
    QC_SLOT_ATTRS,                                /* + qc_attr */
    QC_SLOT_ARGS = QC_SLOT_ATTRS + QC_ATTR_COUNT, /* + argument index */
    QC_SLOT_COUNT = QC_SLOT_ARGS + QC_MAX_ARGS
} qc_slot;

/* NULL when the op has no such key. */
const char *qc_slot_name(uint32_t op, int slot);

/* QC_SLOT_COUNT when the op has no key of that name. */
int qc_slot_find(uint32_t op, const char *name, size_t length);

/* 1 when the attribute is a double. */
int qc_attr_is_real(uint32_t attr);

#endif
