/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's description: read here, judged like any other backend's afterwards. */
#include <stdlib.h>
#include <string.h>

#include "harness/isolate/worker.h"

/* A string of at most QC_NAME_BYTES - 1 bytes, none of them NUL. */
static void read_name(qc_worker *worker, qc_reading *body, const char *what,
                      char name_ret[QC_NAME_BYTES])
{
    const uint32_t bytes = qc_read_u32(body);
    const unsigned char *text = qc_read_bytes(body, bytes);
    if (body->is_short || bytes >= QC_NAME_BYTES || memchr(text, '\0', bytes)) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "describe: %s: expected a string of at most %u bytes", what,
                         QC_NAME_BYTES - 1);
    }
    memcpy(name_ret, text, bytes);
    name_ret[bytes] = '\0';
}

static void read_claims(qc_worker *worker, qc_reading *body, uint32_t index)
{
    const uint32_t count = qc_read_u32(body);
    if (count >= QC_MAX_CLAIMS) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "describe: capabilities[%u] has %u claims, at most %d expected",
                         index, count, QC_MAX_CLAIMS - 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        char *claim = worker->claims[index][i];
        read_name(worker, body, "a claim", claim);
        worker->capabilities[index].claims[i] = claim;
    }
}

static void read_capability(qc_worker *worker, qc_reading *body, uint32_t index)
{
    qc_capability *c = &worker->capabilities[index];
    c->op = qc_read_u32(body);
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        c->arg_dtypes[arg] = qc_read_u32(body);
    }
    uint32_t *const fields[] = {&c->granularities, &c->scale_forms, &c->grids,
                                &c->min_rank,      &c->max_rank,    &c->strided,
                                &c->nonfinite,     &c->max_threads, &c->alignment_bytes,
                                &c->choices};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        *fields[i] = qc_read_u32(body);
    }
    c->max_elems = (int64_t)qc_read_u64(body);
    c->scale_low = qc_read_f64(body);
    c->scale_high = qc_read_f64(body);
    c->zero_points = qc_read_u32(body);
    c->shift_low = (int32_t)qc_read_u32(body);
    c->shift_high = (int32_t)qc_read_u32(body);
    c->min_terms = (int64_t)qc_read_u64(body);
    c->max_terms = (int64_t)qc_read_u64(body);
    c->multiplier_low = qc_read_f64(body);
    c->multiplier_high = qc_read_f64(body);
    read_claims(worker, body, index);
}

void qc_worker_read_description(qc_worker *worker, qc_reading *body)
{
    read_name(worker, body, "name", worker->name);
    read_name(worker, body, "version", worker->version);
    const uint32_t count = qc_read_u32(body);
    if (count > QC_MAX_CAPABILITIES) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "describe: %u capabilities, at most %u expected", count,
                         QC_MAX_CAPABILITIES);
    }
    worker->capabilities = calloc(count + 1, sizeof *worker->capabilities);
    if (!worker->capabilities) {
        qc_worker_accuse(worker, QC_VERDICT_RESOURCE, "no memory for a description");
    }
    for (uint32_t i = 0; i < count; i++) {
        read_capability(worker, body, i);
    }
    if (body->is_short || body->left) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "describe: the answer %s its %u capabilities",
                         body->is_short ? "ends within" : "goes on behind", count);
    }
    worker->description = (qc_description){.size_bytes = sizeof worker->description,
                                           .capability_count = count,
                                           .capabilities = worker->capabilities,
                                           .name = worker->name,
                                           .version = worker->version};
}
