/* SPDX-License-Identifier: Apache-2.0 */
/* What a child that did not answer came to. No address is told: none is the same twice. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/isolate/shared.h"

#define FIRST_PAGE 4096u

static const char *const stage_names[QC_STAGE_COUNT] = {
#define X(id, text) text,
    QC_STAGES(X)
#undef X
};

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGABRT: return "SIGABRT";
    case SIGKILL: return "SIGKILL";
    case SIGTERM: return "SIGTERM";
    default: return "a signal";
    }
}

/* A fault at an address of the region; 0 when it is none of a tensor's. */
static int explain_place(const qc_isolate *isolate, const qc_fault_record *fault,
                         const qc_call *call, const char *stage, qc_exchange *exchange)
{
    const qc_op_info *op = call ? qc_op_get(call->op) : NULL;
    uint32_t arg = 0;
    uint32_t frame = 0;
    const qc_place place = qc_region_find(&isolate->region, fault->address, &arg, &frame);
    if (!op || place == QC_PLACE_ELSEWHERE || arg >= op->arg_count) {
        return 0;
    }
    const char *name = op->args[arg].name;
    const int in_front =
        fault->address < (uintptr_t)qc_region_arena(&isolate->region, arg, frame);
    if (place == QC_PLACE_ARENA && !op->args[arg].is_output) {
        qc_raise(exchange, QC_VERDICT_INPUT_WRITE, arg, -1, "wrote to input %s, %s", name,
                 stage);
    } else if (place == QC_PLACE_GUARD) {
        qc_raise(exchange, fault->is_write ? QC_VERDICT_OOB_WRITE : QC_VERDICT_OOB_READ,
                 arg, -1, "%s %s %s, %s", fault->is_write ? "wrote" : "read",
                 in_front ? "in front of" : "behind", name, stage);
    }
    return exchange->verdict != QC_VERDICT_PASS;
}

void qc_post_mortem(qc_isolate *isolate, qc_wait wait, const qc_call *call,
                    qc_exchange *exchange)
{
    qc_process_end(&isolate->process);
    const qc_shared *shared = isolate->region.shared;
    const qc_fault_record fault = shared->fault;
    const int died = isolate->process.exit_status;
    const uint32_t at = shared->stage;
    const char *stage = at < QC_STAGE_COUNT ? stage_names[at] : "nowhere known";
    if (wait == QC_WAIT_TIMEOUT) {
        qc_raise(exchange, QC_VERDICT_TIMEOUT, 0, -1, "no answer within %d ms, %s",
                 call ? isolate->options.timeout_ms : isolate->options.start_timeout_ms,
                 stage);
    } else if (shared->trouble.verdict != QC_VERDICT_PASS) {
        qc_raise(exchange, shared->trouble.verdict, 0, -1, "%.200s, %s",
                 shared->trouble.message.text, stage);
    } else if ((fault.signal == SIGSEGV || fault.signal == SIGBUS) && !fault.is_sent) {
        if (!explain_place(isolate, &fault, call, stage, exchange)) {
            qc_raise(exchange, QC_VERDICT_CRASH, 0, -1, "%s: %s %s, %s",
                     signal_name(fault.signal), fault.is_write ? "wrote" : "read",
                     fault.address < FIRST_PAGE ? "near NULL"
                                                : "at an address of no tensor",
                     stage);
        }
    } else if (fault.signal || WIFSIGNALED(died)) {
        const int number = fault.signal ? fault.signal : WTERMSIG(died);
        qc_raise(exchange, QC_VERDICT_CRASH, 0, -1, "%s (%d), %s", signal_name(number),
                 number, stage);
    } else {
        qc_raise(exchange, QC_VERDICT_CRASH, 0, -1,
                 "ended its process with exit code %d, %s", WEXITSTATUS(died), stage);
    }
}
