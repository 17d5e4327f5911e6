/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that misbehaves as it is told: in run by the call's profile, while loading and in
   describe by the environment variable QC_HOSTILE. It has one op, quantize f32 -> s8, and
   answers the sum of each element and the scale. */
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "quantcert/backend.h"

const qc_backend *quantcert_backend(void) __attribute__((visibility("default")));

/* Makes the pages of an input writable, and writes. */
static void unlock(volatile float *x)
{
    const uintptr_t page = (uintptr_t)x & ~(uintptr_t)4095;
    if (!mprotect((void *)page, 4096, PROT_READ | PROT_WRITE)) {
        x[0] += 1;
    }
}

static int told(const char *trick)
{
    const char *given = getenv("QC_HOSTILE");
    return given && !strcmp(given, trick);
}

static const char long_name[] =
    "0123456789012345678901234567890123456789012345678901234567890123456789";

static qc_status describe(void *self, qc_description *description_ret,
                          qc_message *message)
{
    (void)self;
    static qc_capability capability = {
        .op = QC_OP_quantize,
        .arg_dtypes = {QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_F32), QC_DTYPE_BIT(QC_S32),
                       QC_DTYPE_BIT(QC_S8)},
        .granularities = QC_PER_TENSOR,
        .scale_forms = QC_FORM_DIVIDE,
        .grids = QC_GRID_FULL,
        .max_rank = QC_MAX_RANK,
        .strided = 1,
        .nonfinite = 1,
        .claims = {"ideal"}};
    *description_ret = (qc_description){.size_bytes = sizeof *description_ret,
                                        .capability_count = 1,
                                        .capabilities = &capability,
                                        .name = "hostile",
                                        .version = "1"};
    if (told("refuse")) {
        return qc_fail(QC_FAULT, message, "no\nsuch\tdevice");
    } else if (told("crash")) {
        raise(SIGSEGV);
    } else if (told("hang")) {
        pause();
    } else if (told("exit")) {
        exit(3);
    } else if (told("no name")) {
        description_ret->name = NULL;
    } else if (told("long name")) {
        description_ret->name = long_name;
    } else if (told("wild name")) {
        description_ret->name = (const char *)(uintptr_t)64;
    } else if (told("no capabilities")) {
        description_ret->capabilities = NULL;
    } else if (told("count")) {
        description_ret->capability_count = 4000000000u;
    } else if (told("size")) {
        description_ret->size_bytes = 7;
    } else if (told("op")) {
        capability.op = 99;
    } else if (told("alignment")) {
        capability.alignment_bytes = 48;
    } else if (told("unknown claim")) {
        capability.claims[0] = "unheard-of";
    } else if (told("claims")) {
        for (int i = 0; i < QC_MAX_CLAIMS; i++) {
            capability.claims[i] = "ideal";
        }
    }
    return QC_OK;
}

static qc_status prepare(void *self, const qc_call *call, qc_plan **plan_ret,
                         qc_message *message)
{
    (void)self;
    static int runs;
    runs = 0;
    *plan_ret = (qc_plan *)(void *)&runs;
    if (!strcmp(call->profile, "refuse") || !strcmp(call->profile, "touch on error")) {
        if (call->profile[0] == 't') {
            *(int8_t *)call->args[3].data = 1;
        }
        return qc_fail(QC_INVALID, message, "scale: expected > 0");
    }
    return strcmp(call->profile, "bad status") ? QC_OK : (qc_status)77;
}

static void compute(const qc_call *call, int64_t first, int64_t count)
{
    const float *x = call->args[0].data;
    const float scale = *(const float *)call->args[1].data;
    int8_t *q = call->args[3].data;
    for (int64_t i = first; i < count; i++) {
        q[qc_tensor_at(&call->args[3], i)] =
            (int8_t)((int)x[qc_tensor_at(&call->args[0], i)] + (int)scale);
    }
}

/* X(name, statement): what goes wrong after the answer stands. */
/* clang-format off */
#define TRICKS(X)                                                                        \
    X("crash", *(volatile char *)NULL = 1)                                               \
    X("wild write", *(volatile char *)(uintptr_t)0x123456789000 = 1)                     \
    X("abort", abort())                                                                  \
    X("illegal", __builtin_trap())                                                       \
    X("divide", raise(SIGFPE))                                                           \
    X("kill", raise(SIGKILL))                                                            \
    X("exit", exit(0))                                                                   \
    X("_exit", _exit(9))                                                                 \
    X("hang", for (;;) pause())                                                          \
    X("stubborn", (signal(SIGTERM, SIG_IGN), fork() ? (void)0 : (void)pause()); pause()) \
    X("orphan", if (!fork()) for (;;) pause())                                           \
    X("close", (close(3), (void)0))                                                      \
    X("print", (puts("noise"), fflush(stdout)))                                          \
    X("read behind", sink = x[elems])                                                    \
    X("read in front", sink = x[-1])                                                     \
    X("write behind", q[elems] = 1)                                                      \
    X("write in front", q[-1] = 1)                                                       \
    X("write input", ((volatile float *)x)[0] = 1)                                       \
    X("unlock input", unlock((volatile float *)x))                                       \
    X("write gap", q[1] = 1)                                                             \
    X("unwritten", q[elems - 1] = untouched)                                             \
    X("accumulate", q[elems - 1] = (int8_t)(untouched + 1))                              \
    X("second", q[0] = (int8_t)(q[0] + (*runs > 1)))                                     \
    X("third", q[0] = (int8_t)(q[0] + (*runs > 2)))                                      \
    X("random", q[0] = (int8_t)(q[0] + plans))                                           \
    X("position", q[0] = (int8_t)(q[0] + ((uintptr_t)x % 4096 != 0)))                    \
    X("rounding", fesetround(FE_UPWARD))                                                 \
    X("fail in run", return qc_fail(QC_NO_MEMORY, message, "no scratch"))
/* clang-format on */

static qc_status run(void *self, qc_plan *plan, const qc_call *call, qc_message *message)
{
    (void)self;
    static int plans;
    volatile float sink = 0;
    const float *x = call->args[0].data;
    int8_t *q = call->args[3].data;
    int *runs = (int *)(void *)plan;
    const int64_t elems = qc_tensor_elems(&call->args[0]);
    const int8_t untouched = elems ? q[qc_tensor_at(&call->args[3], elems - 1)] : 0;
    plans += ++*runs == 1;
    if (strcmp(call->profile, "fail in run")) {
        compute(call, 0, elems);
    }
#define X(name, statement)              \
    if (!strcmp(call->profile, name)) { \
        statement;                      \
    }
    TRICKS(X)
#undef X
    (void)sink;
    return QC_OK;
}

static void close_self(void *self)
{
    (void)self;
    if (told("hang in close")) {
        pause();
    }
}

const qc_backend *quantcert_backend(void)
{
    static qc_backend table = {.abi_version = QC_ABI_VERSION,
                               .size_bytes = sizeof table,
                               .describe = describe,
                               .prepare = prepare,
                               .run = run,
                               .close = close_self};
    if (told("abi")) {
        table.abi_version = 9;
    } else if (told("table size")) {
        table.size_bytes = 8;
    } else if (told("no run")) {
        table.run = NULL;
    }
    return told("nothing") ? NULL : &table;
}
