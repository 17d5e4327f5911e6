/* SPDX-License-Identifier: Apache-2.0 */
/* The child's signal handler: leaves a record where the parent can read it, and ends. */
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness/isolate/shared.h"

#define STACK_BYTES 65536
#define PAGE_FAULT_WRITE 2 /* bit 1 of the x86 page fault error code */

/* A handler has no argument for these; both are the child's alone. */
static qc_fault_record *volatile fault_record;
static unsigned char stack[STACK_BYTES];

static void on_fault(int number, siginfo_t *info, void *context)
{
    qc_fault_record *record = fault_record;
    if (!record->signal) {
        record->is_sent = info->si_code <= 0;
        record->address = (uintptr_t)info->si_addr;
#if defined(__x86_64__)
        const ucontext_t *state = context;
        record->is_write = (state->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE) != 0;
#else
        (void)context;
#endif
        record->signal = number;
    }
    _exit(128 + number);
}

void qc_fault_catch(qc_fault_record *record)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    fault_record = record;
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL);
    }
}
