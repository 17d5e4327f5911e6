/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QC_PLUGIN_ONEDNN_H
#define QC_PLUGIN_ONEDNN_H

#include "api.h"
#include "quantcert/backend.h"

#define MAX_SLOTS 10

/* One argument of the primitive: which of the call's it is, as the library sees it. */
typedef struct slot {
    int arg;          /* DNNL_ARG_... */
    uint32_t of;      /* position in qc_call.args */
    int is_parameter; /* scales and zero points: gathered without gaps */
    layout as;
} slot;

struct qc_plan {
    dnnl_primitive_t primitive;
    dnnl_primitive_attr_t attr;
    uint32_t slot_count;
    slot slots[MAX_SLOTS];
};

/* The capabilities of the version at hand (offers.c). */
extern const qc_capability onednn_capabilities[];
extern const uint32_t onednn_capability_count;

/* Readies slots, attributes and the primitive; the library's own status. */
dnnl_status_t onednn_plan(dnnl_engine_t engine, const qc_call *call, qc_plan *plan);

#endif
