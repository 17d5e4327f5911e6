/* SPDX-License-Identifier: Apache-2.0 */
/* The child as a process: starting it, asking it, ending it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/isolate/shared.h"

#define CHILD_CHANNEL 3 /* first descriptor after the standard ones */

/* In the child: nothing of the parent's but the channel and stderr stays open. */
static void settle(int channel, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    setpgid(0, 0);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (channel != CHILD_CHANNEL) {
        dup2(channel, CHILD_CHANNEL);
    }
    close_range(CHILD_CHANNEL + 1, ~0u, 0);
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM};
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        signal(caught[i], SIG_DFL);
    }
    sigset_t all;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

qc_status qc_process_start(const qc_region *region, const char *given,
                           qc_process *process_ret, qc_message *message)
{
    int ends[2] = {-1, -1};
    const pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        return qc_fail(QC_NO_MEMORY, message, "no channel to a child: %s",
                       strerror(errno));
    }
    fflush(NULL); /* else the child could print what stands in our buffers */
    const pid_t pid = fork();
    if (pid == 0) {
        settle(ends[1], parent);
        qc_child_main(region, CHILD_CHANNEL, given);
    }
    const int failed = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return qc_fail(QC_NO_MEMORY, message, "no child process: %s", strerror(failed));
    }
    setpgid(pid, pid);
    process_ret->pid = pid;
    process_ret->channel = ends[0];
    process_ret->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    process_ret->exit_status = 0;
    return QC_OK;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* CPU time of the child and all its threads; 0 when it is gone. */
static int64_t cpu_ms(pid_t pid)
{
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        return 0;
    }
    return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Polls for the answer or the end, ms at most: as poll. */
static int answer_poll(const qc_process *process, int ms)
{
    struct pollfd polled[2] = {{.fd = process->channel, .events = POLLIN},
                               {.fd = process->pidfd, .events = POLLIN}};
    const int64_t deadline = now_ms() + ms;
    int ready;
    do {
        const int64_t left = deadline - now_ms();
        ready = poll(polled, 2, left > 0 ? (int)left : 0);
    } while (ready < 0 && errno == EINTR);
    return ready;
}

/* On a busy machine a child may get a part of the processor only: while it computes, its own
   time is what counts, up to MOST_WAITS times the timeout. One that does nothing is given up
   after the first. */
qc_wait qc_process_await(qc_process *process, int timeout_ms)
{
    enum { MOST_WAITS = 8, LEAST_PART = 100 };
    const int64_t cpu_start = cpu_ms(process->pid);
    int64_t cpu_before = cpu_start;
    int ready = answer_poll(process, timeout_ms);
    for (int waits = 1; ready == 0; waits++) {
        const int64_t cpu = cpu_ms(process->pid);
        if (waits == MOST_WAITS || cpu - cpu_start >= timeout_ms ||
            (cpu - cpu_before) * LEAST_PART < timeout_ms) {
            return QC_WAIT_TIMEOUT;
        }
        cpu_before = cpu;
        ready = answer_poll(process, timeout_ms);
    }
    if (ready < 0) {
        return QC_WAIT_DIED;
    }
    char byte = 0;
    return recv(process->channel, &byte, 1, MSG_DONTWAIT) == 1 ? QC_WAIT_ANSWERED
                                                               : QC_WAIT_DIED;
}

qc_wait qc_process_ask(qc_process *process, int timeout_ms)
{
    const char byte = 0;
    ssize_t sent = 0;
    do {
        sent = send(process->channel, &byte, 1, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == 1 ? qc_process_await(process, timeout_ms) : QC_WAIT_DIED;
}

/* The group goes first: while its leader is unreaped the number cannot be another's. A child
   that is dying keeps the status that it died with. */
void qc_process_end(qc_process *process)
{
    if (!process->pid) {
        return;
    }
    kill(-process->pid, SIGKILL);
    while (waitpid(process->pid, &process->exit_status, 0) < 0 && errno == EINTR) {
    }
    close(process->channel);
    if (process->pidfd >= 0) {
        close(process->pidfd);
    }
    process->pid = 0;
}
