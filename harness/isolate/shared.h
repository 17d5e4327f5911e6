/* SPDX-License-Identifier: Apache-2.0 */
/* What parent and child share: one region mapped before the fork, at one address in both.

     guard | page of struct qc_shared | guard | arena | guard | arena | ... | guard

   An argument has one arena per frame; a frame is one run's set of tensors. Inputs of frame
   1 are those of frame 0, so that arena 1 of an input stays empty. Guards are inaccessible,
   and wide, so that a stray index does not reach the next arena. Arenas are sparse: only
   pages that a call touches exist. */
#ifndef QUANTCERT_ISOLATE_SHARED_H
#define QUANTCERT_ISOLATE_SHARED_H

#include "harness/isolate.h"

#define QC_MAX_CAPABILITIES 256u
#define QC_GUARD_BYTES ((size_t)1 << 20)
#define QC_NAME_BYTES 64u

typedef enum qc_frame {
    QC_FRAME_END,   /* at the end, the plan's first run */
    QC_FRAME_AGAIN, /* at the end, the same plan, other poison */
    QC_FRAME_FRONT, /* in front, a plan of its own */
    QC_FRAME_COUNT
} qc_frame;

/* X(id, text): where the child stands. */
#define QC_STAGES(X)           \
    X(LOAD, "while loading")   \
    X(DESCRIBE, "in describe") \
    X(IDLE, "between calls")   \
    X(PREPARE, "in prepare")   \
    X(RUN, "in run")           \
    X(RELEASE, "in release")   \
    X(CLOSE, "in close")

typedef enum qc_stage {
#define X(id, text) QC_STAGE_##id,
    QC_STAGES(X)
#undef X
        QC_STAGE_COUNT
} qc_stage;

/* Where a tensor's bytes stand in an arena: [start, start + bytes). */
typedef struct qc_extent {
    unsigned char *start;
    size_t bytes;
    int64_t low; /* element index of the first byte, counted from `data` */
} qc_extent;

/* What the signal handler saw. */
typedef struct qc_fault_record {
    int32_t signal;  /* 0: none */
    int32_t is_sent; /* by raise or kill: no address */
    int32_t is_write;
    uintptr_t address;
} qc_fault_record;

typedef struct qc_answer_record {
    uint32_t status; /* qc_status, unchecked */
    uint32_t reserved;
    qc_message message;
} qc_answer_record;

/* What the suite's own code in the child says of a worker before it ends the child. */
typedef struct qc_trouble {
    uint32_t verdict; /* QC_VERDICT_PASS: nothing */
    qc_message message;
} qc_trouble;

/* A description without pointers. */
typedef struct qc_flat_description {
    uint32_t capability_count;
    char name[QC_NAME_BYTES];
    char version[QC_NAME_BYTES];
    qc_capability capabilities[QC_MAX_CAPABILITIES]; /* claims: unused */
    char claims[QC_MAX_CAPABILITIES][QC_MAX_CLAIMS][QC_NAME_BYTES];
} qc_flat_description;

typedef struct qc_shared {
    volatile uint32_t stage; /* qc_stage */
    volatile uint32_t frame; /* qc_frame */
    qc_fault_record fault;

    /* request */
    uint32_t closing;
    uint32_t with_front; /* 0: the frames at the end only */
    uint32_t outputs;    /* set of 1 << argument */
    int32_t runs;        /* of the plan at the end, 2 or more */
    char profile[QC_NAME_BYTES];
    qc_call calls[QC_FRAME_COUNT];
    qc_extent repeated[QC_MAX_ARGS]; /* outputs of frame QC_FRAME_AGAIN */

    /* answer */
    qc_answer_record answers[QC_FRAME_COUNT];
    uint32_t clobbered;       /* set of qc_env_part */
    uint32_t clobbered_stage; /* by which the first was changed */
    int32_t
        run_that_differs; /* a repeated run whose outputs were not the second's; 0: none */

    qc_trouble trouble;
    qc_answer_record loaded; /* what loading and describe came to */
    qc_flat_description description;
} qc_shared;

typedef struct qc_region {
    unsigned char *base;
    size_t bytes;
    size_t arena_bytes;
    qc_shared *shared;
} qc_region;

/* QC_NO_MEMORY when the addresses cannot be had. */
qc_status qc_region_open(size_t arena_bytes, qc_region *region_ret, qc_message *message);
void qc_region_close(qc_region *region);

/* The child's right to an argument's arenas: read only, or read and write. */
void qc_region_protect(const qc_region *region, uint32_t arg, int writable);

unsigned char *qc_region_arena(const qc_region *region, uint32_t arg, uint32_t frame);

/* What an address is: the argument and frame whose arena or guards hold it. */
typedef enum qc_place { QC_PLACE_ELSEWHERE, QC_PLACE_ARENA, QC_PLACE_GUARD } qc_place;
qc_place qc_region_find(const qc_region *region, uintptr_t address, uint32_t *arg_ret,
                        uint32_t *frame_ret);

/* Gives the pages of an argument's arenas back. */
void qc_region_trim(const qc_region *region, uint32_t arg);

/* Bytes of the tensor's span. 0: no elements, or no tensor that could be placed (invalid
   calls are sent as they are, with data that nobody may touch). */
size_t qc_span_bytes(const qc_tensor *tensor, int64_t *low_ret);

/* Sets tensor->data so that its span stands at `placement` of the arena. Alignment is that of
   `data` for align_bytes >= 1; a start modulo 64 where `modulo` is 0 ... 63. */
qc_extent qc_place_tensor(const qc_region *region, uint32_t arg, uint32_t frame,
                          qc_tensor *tensor, size_t align_bytes, int32_t modulo);

/* Bytes of the pages that an extent stands in, from *first_ret. */
size_t qc_extent_pages(const qc_extent *extent, unsigned char **first_ret);

unsigned char qc_poison(uint32_t frame);

/* Bytes of the elements alone. */
size_t qc_elems_bytes(const qc_tensor *tensor, const qc_extent *extent);

/* Copies the tensor's elements from its extent into row-major order. */
void qc_gather(const qc_tensor *tensor, const qc_extent *extent, void *elems_ret);

/* 1 when every byte of the extent's pages that is no element holds the frame's poison.
   Gather first: the elements of a strided tensor are overwritten with poison. */
int qc_poison_stands(const qc_tensor *tensor, const qc_extent *extent, uint32_t frame);

/* 1 when the whole extent holds the frame's poison: nothing was written. */
int qc_poison_untouched(const qc_extent *extent, uint32_t frame);

/* The parts of the floating-point environment that a backend must leave alone. */
typedef enum qc_env_part {
    QC_ENV_ROUNDING = 1,
    QC_ENV_FLUSH = 2,
    QC_ENV_OTHER = 4
} qc_env_part;
void qc_env_canonical(void);
uint32_t qc_env_changed(void);

/* The child's side. */
void qc_fault_catch(qc_fault_record *record);
const qc_backend *qc_builtin_find(const char *name); /* NULL: cannot work here */
int qc_builtin_is(const char *name);
int qc_backend_is_path(const char *given);
const char *qc_worker_command(const char *given); /* behind "worker:", or NULL */
void qc_flatten(const qc_description *description, qc_flat_description *flat_ret,
                qc_answer_record *answer);
_Noreturn void qc_child_main(const qc_region *region, int channel, const char *given);

/* The parent's side. */

/* QC_FAULT when a capability says what none can. The description points into `flat`. */
qc_status qc_unflatten(qc_flat_description *flat, qc_description *description_ret,
                       qc_message *message);

typedef struct qc_process {
    int pid;         /* 0: none */
    int channel;     /* one byte each way per request */
    int pidfd;       /* -1 where the kernel has none */
    int exit_status; /* of waitpid, once it died */
} qc_process;

typedef enum qc_wait { QC_WAIT_ANSWERED, QC_WAIT_DIED, QC_WAIT_TIMEOUT } qc_wait;

qc_status qc_process_start(const qc_region *region, const char *given,
                           qc_process *process_ret, qc_message *message);
qc_wait qc_process_await(qc_process *process, int timeout_ms);
qc_wait qc_process_ask(qc_process *process, int timeout_ms);
void qc_process_end(qc_process *process);

typedef struct qc_buffer {
    unsigned char *bytes;
    size_t room_bytes;
} qc_buffer;

struct qc_isolate {
    qc_region region;
    qc_process process;
    qc_isolate_options options;
    qc_description description;
    qc_flat_description *flat; /* what the description points into */
    char *given;
    qc_buffer outputs[QC_MAX_ARGS]; /* of frame QC_FRAME_END, in row-major order */
    qc_buffer kept[QC_MAX_ARGS];    /* the same of an earlier exchange */
    qc_buffer other;                /* one output of another frame */
};

qc_status qc_isolate_start(qc_isolate *isolate, qc_message *message);

/* Ends a dead or silent child and says what it came to. `call` is NULL in describe. */
void qc_post_mortem(qc_isolate *isolate, qc_wait wait, const qc_call *call,
                    qc_exchange *exchange);

/* A case as it stands in the region. */
typedef struct qc_placed {
    const qc_case *item;
    const qc_op_info *op;
    size_t align_bytes;
    qc_extent extents[QC_FRAME_COUNT][QC_MAX_ARGS];
    const unsigned char *sources[QC_MAX_ARGS]; /* of inputs; NULL: nothing to copy */
} qc_placed;

/* QC_NO_MEMORY: a tensor is too large. */
qc_status qc_place_case(qc_isolate *isolate, const qc_case *item, qc_placed *placed_ret,
                        qc_message *message);

/* Writes inputs and poison, and the request. */
void qc_fill(qc_isolate *isolate, const qc_placed *placed, int with_front);

/* Judges what stands in the region after an answer. */
void qc_inspect(qc_isolate *isolate, const qc_placed *placed, qc_exchange *exchange);

/* Ends the text, and makes it one line. */
void qc_message_clean(qc_message *message);

/* Keeps the higher of two verdicts. */
__attribute__((format(printf, 5, 6))) void qc_raise(qc_exchange *exchange,
                                                    uint32_t verdict, uint32_t arg,
                                                    int64_t where, const char *format,
                                                    ...);

#endif
