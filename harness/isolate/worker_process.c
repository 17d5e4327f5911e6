/* SPDX-License-Identifier: Apache-2.0 */
/* The worker as a process, and one exchange of frames with it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/isolate/worker.h"

#define GRACE_MS 500 /* for a worker that has closed its stdout to end */

static const char *const kind_names[] = {"none", "hello", "describe", "run", "close"};

/* 1 when it ended within the grace; its status is then known. */
static int has_ended(qc_worker *worker, int *status_ret)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    for (int ms = 0; ms < GRACE_MS; ms++) {
        const pid_t ended = waitpid(worker->pid, status_ret, WNOHANG);
        if (ended == worker->pid) {
            worker->pid = 0;
            return 1;
        }
        nanosleep(&nap, NULL);
    }
    return 0;
}

void qc_worker_accuse(qc_worker *worker, uint32_t verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(worker->trouble->message.text, sizeof worker->trouble->message.text, format,
              args);
    va_end(args);
    worker->trouble->verdict = verdict;
    if (worker->pid) {
        kill(worker->pid, SIGKILL);
    }
    _exit(1);
}

static void show(const unsigned char *bytes, size_t count, char shown[64])
{
    size_t n = 0;
    for (size_t i = 0; i < count && n + 5 < 64; i++) {
        const int plain = bytes[i] >= ' ' && bytes[i] <= '~';
        n += (size_t)snprintf(shown + n, 64 - n, plain ? "%c" : "\\x%02x", bytes[i]);
    }
}

/* What was sent instead of a frame is often a print: it is shown. */
static void check_magic(qc_worker *worker, uint32_t kind)
{
    const qc_wire *answer = &worker->answer;
    if (memcmp(answer->bytes, QC_WORKER_MAGIC, answer->used < 4 ? answer->used : 4)) {
        char shown[64] = "";
        show(answer->bytes, answer->used, shown);
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "no frame where the answer to %s was expected, but '%s'",
                         kind_names[kind], shown);
    }
}

/* Never returns: the stream has ended, `got` bytes into a frame of `wanted`. */
static _Noreturn void accuse_end(qc_worker *worker, size_t got, size_t wanted)
{
    if (got) {
        check_magic(worker, worker->request.bytes[4]);
    }
    int status = 0;
    char how[80] = "closed its stdout";
    const int ended = has_ended(worker, &status);
    if (ended && WIFSIGNALED(status)) {
        snprintf(how, sizeof how, "died by signal %d", WTERMSIG(status));
    } else if (ended) {
        snprintf(how, sizeof how, "ended its process with exit code %d",
                 WEXITSTATUS(status));
    }
    const int failed = ended && (WIFSIGNALED(status) || WEXITSTATUS(status));
    if (!got) {
        qc_worker_accuse(worker, ended ? QC_VERDICT_CRASH : QC_VERDICT_PROTOCOL,
                         "the worker %s", how);
    }
    qc_worker_accuse(worker, failed ? QC_VERDICT_CRASH : QC_VERDICT_PROTOCOL,
                     "the worker %s within a frame, after %zu of %zu bytes", how, got,
                     wanted);
}

static void become(const char *command, int in, int out, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    signal(SIGPIPE, SIG_DFL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    close_range(3, ~0u, 0);
    char line[4096];
    snprintf(line, sizeof line, "exec %s", command);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

void qc_worker_start(qc_worker *worker)
{
    int in[2];
    int out[2];
    const pid_t parent = getpid();
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
        qc_worker_accuse(worker, QC_VERDICT_RESOURCE, "no pipe to a worker");
    }
    worker->pid = fork();
    if (worker->pid == 0) {
        become(worker->command, in[0], out[1], parent);
    }
    if (worker->pid < 0) {
        worker->pid = 0;
        qc_worker_accuse(worker, QC_VERDICT_RESOURCE, "no process for a worker");
    }
    close(in[0]);
    close(out[1]);
    worker->to = in[1];
    worker->from = out[0];
}

static void send_request(qc_worker *worker)
{
    const qc_wire *request = &worker->request;
    for (size_t sent = 0; sent < request->used;) {
        const ssize_t n = write(worker->to, request->bytes + sent, request->used - sent);
        if (n < 0 && errno != EINTR) {
            accuse_end(worker, 0, 0);
        }
        sent += n > 0 ? (size_t)n : 0;
    }
}

void qc_worker_close(qc_worker *worker)
{
    int status = 0;
    const ssize_t sent =
        worker->pid ? write(worker->to, worker->request.bytes, worker->request.used) : 0;
    close(worker->to);
    if (worker->pid && !has_ended(worker, &status)) {
        kill(worker->pid, SIGKILL);
    }
    (void)sent; /* one that is gone needs no word */
}

/* Reads until the answer has that many bytes. */
static void fill(qc_worker *worker, size_t wanted)
{
    qc_wire *answer = &worker->answer;
    while (answer->used < wanted) {
        qc_wire_reserve(answer, wanted - answer->used + 1);
        const ssize_t n =
            read(worker->from, answer->bytes + answer->used, answer->room - answer->used);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            accuse_end(worker, answer->used, wanted);
        }
        answer->used += n > 0 ? (size_t)n : 0;
    }
}

/* The header: what kind of frame it is, which request it answers, how long it is. */
static size_t check_header(qc_worker *worker, uint32_t kind, size_t most_bytes)
{
    qc_reading header = {worker->answer.bytes + 4, QC_FRAME_HEADER_BYTES - 4, 0};
    const uint32_t found = qc_read_u32(&header);
    const uint32_t sequence = qc_read_u32(&header);
    const uint32_t bytes = qc_read_u32(&header);
    if (found != (kind | QC_FRAME_ANSWER) || sequence != worker->sequence) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "frame of kind 0x%x for request %u where kind 0x%x for request "
                         "%u was expected: out of order",
                         found, sequence, kind | QC_FRAME_ANSWER, worker->sequence);
    }
    if (bytes > most_bytes) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "a frame of %u bytes in answer to %s, at most %zu expected",
                         bytes, kind_names[kind], most_bytes);
    }
    return bytes;
}

qc_status qc_worker_ask(qc_worker *worker, size_t most_bytes, qc_reading *body_ret,
                        qc_message *message)
{
    const uint32_t kind = worker->request.bytes[4];
    qc_wire_end(&worker->request);
    send_request(worker);
    worker->answer.used = 0;
    fill(worker, 4);
    check_magic(worker, kind);
    fill(worker, QC_FRAME_HEADER_BYTES);
    const size_t bytes =
        check_header(worker, kind, most_bytes + 8 + QC_WORKER_TEXT_BYTES);
    fill(worker, QC_FRAME_HEADER_BYTES + bytes);
    if (worker->answer.used > QC_FRAME_HEADER_BYTES + bytes) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "%zu bytes behind the answer to %s, which nobody asked for",
                         worker->answer.used - QC_FRAME_HEADER_BYTES - bytes,
                         kind_names[kind]);
    }
    *body_ret = (qc_reading){worker->answer.bytes + QC_FRAME_HEADER_BYTES, bytes, 0};
    const uint32_t status = qc_read_u32(body_ret);
    const uint32_t text_bytes = qc_read_u32(body_ret);
    const unsigned char *text = qc_read_bytes(body_ret, text_bytes);
    if (body_ret->is_short) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "the answer to %s is shorter than its own message says",
                         kind_names[kind]);
    }
    if (status > QC_FAULT) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL, "status %u is none of qc_status",
                         status);
    }
    snprintf(message->text, sizeof message->text, "%.*s", (int)text_bytes,
             (const char *)text);
    if (status != QC_OK && body_ret->left) {
        qc_worker_accuse(worker, QC_VERDICT_PROTOCOL,
                         "the answer to %s refuses and has %zu bytes of results too",
                         kind_names[kind], body_ret->left);
    }
    return (qc_status)status;
}
