/* SPDX-License-Identifier: Apache-2.0 */
/* One backend in a child process of its own. Calls travel through shared memory: inputs
   read-only and flush against inaccessible pages, outputs poisoned and guarded. Whatever the
   backend does becomes a verdict; the suite goes on with a fresh child. */
#ifndef QUANTCERT_ISOLATE_H
#define QUANTCERT_ISOLATE_H

#include "quantcert/backend.h"
#include "quantcert/case.h"
#include "quantcert/verdict.h"

typedef struct qc_isolate qc_isolate;

/* Where tensors stand between their guard pages. */
typedef enum qc_placement {
    QC_PLACE_END,  /* last byte touches the guard behind */
    QC_PLACE_FRONT /* first byte touches the guard in front */
} qc_placement;

typedef struct qc_isolate_options {
    int timeout_ms;       /* of one call; 0: 10,000 */
    int start_timeout_ms; /* of loading and describe; 0: 10,000 */
    int64_t max_bytes;    /* room for one tensor; 0: 64 MiB */
} qc_isolate_options;

/* Starts the child and asks `describe`. `given` is a name of a built-in backend, or a path
   (contains `/` or ends in .so). QC_INVALID: no such name (usage). QC_FAULT: cannot be
   loaded, is no plugin, or has another ABI version; the message says which. */
qc_status qc_isolate_open(const char *given, const qc_isolate_options *options,
                          qc_isolate **isolate_ret, qc_message *message);
void qc_isolate_close(qc_isolate *isolate);

/* A copy of the backend's description in this process; lives as long as the isolate. */
const qc_description *qc_isolate_description(const qc_isolate *isolate);

/* What one exchange came to. `outputs[arg]` holds the output in row-major order, valid until
   the next call on this isolate; NULL where it is no output or nothing came back. */
typedef struct qc_exchange {
    uint32_t verdict; /* QC_VERDICT_PASS: the backend answered; else what went wrong */
    qc_status status; /* what prepare or run returned, when it answered */
    int64_t where;    /* first element concerned of output `arg`, or -1 */
    uint32_t arg;
    qc_message message;
    const void *outputs[QC_MAX_ARGS];
} qc_exchange;

/* Runs a case three times with one plan each time it is placed: twice at the end (the second
   time with other poison), once at the front, and compares. Never fails: every trouble is a
   verdict, and the child is replaced when it died. */
void qc_isolate_call(qc_isolate *isolate, const qc_case *item, qc_exchange *exchange_ret);

/* " impl reference ...": the built-in backends, each behind a space. */
const char *qc_builtin_names(void);

#endif
