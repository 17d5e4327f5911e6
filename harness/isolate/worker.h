/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's side of the worker protocol (docs/worker-protocol.md): a program behind
   stdin and stdout as a backend. It runs in the isolated child, whose own child the worker is.
   Whatever the worker does wrong is noted where the parent reads it, and ends the child: a
   stream that has lied once is never read again. */
#ifndef QUANTCERT_ISOLATE_WORKER_H
#define QUANTCERT_ISOLATE_WORKER_H

#include <sys/types.h>

#include "harness/isolate/shared.h"

#define QC_WORKER_VERSION 1u
#define QC_WORKER_CHECKED 1u /* flag of hello: calls are checked before they are sent */
#define QC_WORKER_MAGIC "qcw\x01"

#define QC_FRAME_HEADER_BYTES 16u
#define QC_FRAME_ANSWER 0x80u /* added to the kind that is answered */
#define QC_TENSOR_RECORD_BYTES 128u
#define QC_WORKER_TEXT_BYTES 4096u       /* longest message of an answer */
#define QC_WORKER_ABOUT_BYTES (1u << 20) /* longest description */

typedef enum qc_frame_kind {
    QC_KIND_HELLO = 1,
    QC_KIND_DESCRIBE,
    QC_KIND_RUN,
    QC_KIND_CLOSE
} qc_frame_kind;

/* Bytes of one frame: what is written, or what has been read so far. */
typedef struct qc_wire {
    unsigned char *bytes;
    size_t used;
    size_t room;
} qc_wire;

void qc_wire_begin(qc_wire *wire, uint32_t kind, uint32_t sequence);
void qc_wire_u32(qc_wire *wire, uint32_t value);
void qc_wire_u64(qc_wire *wire, uint64_t value);
void qc_wire_f64(qc_wire *wire, double value);
void qc_wire_zeros(qc_wire *wire, size_t bytes);
/* Elements of `size` bytes in this machine's order. */
void qc_wire_elems(qc_wire *wire, const void *from, size_t bytes, size_t size);
void qc_wire_end(qc_wire *wire);
/* At least that much room behind `used`; ends the process when there is none. */
void qc_wire_reserve(qc_wire *wire, size_t bytes);

/* An answer's payload under way. Reading past the end sets `is_short` and gives zeros. */
typedef struct qc_reading {
    const unsigned char *at;
    size_t left;
    int is_short;
} qc_reading;

uint32_t qc_read_u32(qc_reading *reading);
uint64_t qc_read_u64(qc_reading *reading);
double qc_read_f64(qc_reading *reading);
const unsigned char *qc_read_bytes(qc_reading *reading, size_t bytes);
/* Between this machine's order and little endian; `to` may not overlap `from`. */
void qc_copy_elems(void *to, const void *from, size_t bytes, size_t size);

typedef struct qc_worker {
    const char *command;
    qc_trouble *trouble;
    pid_t pid;
    int to;   /* its stdin */
    int from; /* its stdout */
    uint32_t sequence;
    uint32_t flags;
    qc_wire request;
    qc_wire answer;
    qc_description description;
    qc_capability *capabilities;
    char name[QC_NAME_BYTES];
    char version[QC_NAME_BYTES];
    char claims[QC_MAX_CAPABILITIES][QC_MAX_CLAIMS][QC_NAME_BYTES];
} qc_worker;

/* Notes what the worker did, kills it, and ends this process. */
__attribute__((format(printf, 3, 4))) _Noreturn void qc_worker_accuse(qc_worker *worker,
                                                                      uint32_t verdict,
                                                                      const char *format,
                                                                      ...);

void qc_worker_start(qc_worker *worker);
/* Sends the request that stands, `close`, and gives the worker a moment to end. */
void qc_worker_close(qc_worker *worker);

/* Sends worker->request and gives the payload of its answer, of at most `most_bytes`, behind
   the status and message that every answer has. */
qc_status qc_worker_ask(qc_worker *worker, size_t most_bytes, qc_reading *body_ret,
                        qc_message *message);

/* QC_OK, or a description that cannot be taken over. */
void qc_worker_read_description(qc_worker *worker, qc_reading *body);

/* The worker of this command as a backend; one per process. */
const qc_backend *qc_worker_backend(const char *command, qc_trouble *trouble);

#endif
