/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run.h"

#include "cases/cases.h"
#include "harness/group_run.h"
#include "oracles/oracles.h"
#include "reports/reports.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the jobs share. Each takes the next group, so a slow one does not hold up the rest;
   results do not depend on who took which. */
typedef struct board {
    atomic_size_t next;
    atomic_size_t done;
    atomic_int failed;
    qc_message message; /* of the job that set `failed` first */
} board;

typedef struct plan {
    const qc_run_options *options;
    const qc_run_info *info;
    const qc_group *groups;
    size_t count;
    int threaded; /* the backend may use threads of its own */
    board *board;
    char folder[PATH_MAX]; /* of the jobs' results */
} plan;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fault_post(board *shared, const qc_message *message)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&shared->failed, &expected, 1)) {
        shared->message = *message;
    }
}

enum { FOLDER_BYTES = PATH_MAX + 16 };

static void job_folder(const plan *p, int job, char text[FOLDER_BYTES])
{
    snprintf(text, FOLDER_BYTES, "%s/%d", p->folder, job);
}

/* One job: groups until none is left, then its results into a folder of its own. */
static qc_status job_work(const plan *p, int job, qc_message *message)
{
    qc_isolate *isolate;
    qc_status status =
        qc_isolate_open(p->options->backend, &p->options->isolate, &isolate, message);
    qc_group_result *const results = calloc(p->count, sizeof *results);
    if (status != QC_OK || !results) {
        free(results);
        return status != QC_OK ? status : QC_NO_MEMORY;
    }
    size_t count = 0;
    size_t i;
    while (status == QC_OK && !atomic_load(&p->board->failed) &&
           (i = atomic_fetch_add(&p->board->next, 1)) < p->count) {
        status = qc_group_run(isolate, &p->groups[i], p->options->level, p->options->seed,
                              &results[count++], message);
        if (status == QC_OK) {
            status = qc_oracle_preconditions(message);
        }
        atomic_fetch_add(&p->board->done, 1);
    }
    if (status == QC_OK && qc_oracle_faults(message)) {
        status = QC_FAULT;
    }
    qc_isolate_close(isolate);
    if (status == QC_OK) {
        char folder[FOLDER_BYTES];
        job_folder(p, job, folder);
        status = qc_results_write_folder(folder, p->info, results, count, message);
    }
    for (size_t r = 0; r < count; r++) {
        qc_group_result_free(&results[r]);
    }
    free(results);
    return status;
}

/* A job and its backend take turns, so one CPU is all they can use; waking each other across
   CPUs costs more than the work of a small case. Not where the backend has threads. */
static void job_pin(const plan *p, int job)
{
    cpu_set_t allowed;
    cpu_set_t one;
    if (p->threaded || sched_getaffinity(0, sizeof allowed, &allowed)) {
        return;
    }
    int skip = job % CPU_COUNT(&allowed);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || skip-- > 0) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one); /* a hint: failing costs only time */
}

static pid_t job_start(const plan *p, int job)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        job_pin(p, job);
        qc_message message = {""};
        const qc_status status = job_work(p, job, &message);
        if (status != QC_OK) {
            if (!message.text[0]) {
                qc_fail(status, &message, "out of memory");
            }
            fault_post(p->board, &message);
        }
        _exit(status == QC_OK ? 0 : 1);
    }
    return pid;
}

static void progress_print(const plan *p, double started)
{
    const size_t done = atomic_load(&p->board->done);
    const double elapsed = seconds_now() - started;
    if (done) {
        fprintf(stderr, "\r%zu of %zu groups, %.0f s left   ", done, p->count,
                elapsed / (double)done * (double)(p->count - done));
    }
}

/* Waits for all jobs; one that died takes the run with it, named. */
static void jobs_wait(const plan *p, int jobs, double started)
{
    for (int left = jobs; left > 0;) {
        int state;
        const pid_t pid = waitpid(-1, &state, p->options->progress ? WNOHANG : 0);
        if (pid == 0) {
            progress_print(p, started);
            nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        } else if (pid > 0) {
            left--;
            if (WIFSIGNALED(state)) {
                qc_message message;
                qc_fail(QC_FAULT, &message, "a job of the suite died by signal %d",
                        WTERMSIG(state));
                fault_post(p->board, &message);
            }
        } else if (errno != EINTR) {
            break;
        }
    }
    if (p->options->progress) {
        fprintf(stderr, "\r\033[K");
    }
}

/* Moves the results of one job's folder into the run. */
static qc_status job_collect(const plan *p, int job, qc_run *run, qc_message *message)
{
    char folder[FOLDER_BYTES];
    qc_results part;
    job_folder(p, job, folder);
    const qc_status status = qc_results_read_folder(folder, &part, message);
    if (status != QC_OK) {
        return status;
    }
    memcpy(run->results + run->count, part.results, part.count * sizeof *part.results);
    run->count += part.count;
    part.count = 0; /* the strings belong to the run now */
    qc_results_free(&part);
    return QC_OK;
}

static void folders_remove(const plan *p, int jobs)
{
    size_t formats;
    const qc_report_format *const format = qc_report_formats(&formats);
    for (int job = 0; job < jobs; job++) {
        char folder[FOLDER_BYTES];
        char file[FOLDER_BYTES + 32];
        job_folder(p, job, folder);
        for (size_t f = 0; f < formats; f++) {
            snprintf(file, sizeof file, "%s/%s", folder, format[f].file);
            unlink(file);
        }
        rmdir(folder);
    }
    rmdir(p->folder);
}

static int results_order(const void *a, const void *b)
{
    const qc_group_result *const left = a;
    const qc_group_result *const right = b;
    char left_id[QC_GROUP_ID];
    char right_id[QC_GROUP_ID];
    if (left->group.op != right->group.op) {
        return left->group.op < right->group.op ? -1 : 1;
    }
    qc_group_id(&left->group, left_id);
    qc_group_id(&right->group, right_id);
    return strcmp(left_id, right_id);
}

static qc_status jobs_run(plan *p, int jobs, qc_run *run, qc_message *message)
{
    const double started = seconds_now();
    int begun = 0;
    while (begun < jobs && job_start(p, begun) > 0) {
        begun++;
    }
    jobs_wait(p, begun, started);
    qc_status status =
        begun ? QC_OK : qc_fail(QC_FAULT, message, "no job could be started");
    if (atomic_load(&p->board->failed)) {
        *message = p->board->message;
        status = QC_FAULT;
    }
    run->results = calloc(p->count ? p->count : 1, sizeof *run->results);
    for (int job = 0; job < begun && status == QC_OK; job++) {
        status = run->results ? job_collect(p, job, run, message) : QC_NO_MEMORY;
    }
    folders_remove(p, begun);
    qsort(run->results, run->count, sizeof *run->results, results_order);
    run->info.seconds = seconds_now() - started;
    return status;
}

static int jobs_wanted(const qc_run_options *options, size_t groups)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    long jobs = options->jobs > 0 ? options->jobs : cpus > 0 ? cpus : 1;
    jobs = (size_t)jobs > groups ? (long)groups : jobs;
    return (int)(jobs > 0 ? jobs : 1);
}

static qc_status plan_run(plan *p, qc_run *run, qc_message *message)
{
    const char *const temporary = getenv("TMPDIR");
    const char *const parent = temporary && *temporary ? temporary : "/tmp";
    const int length =
        snprintf(p->folder, sizeof p->folder, "%s/quantcert-XXXXXX", parent);
    if (length >= (int)sizeof p->folder) {
        return qc_fail(QC_FAULT, message, "TMPDIR: a path of %zu bytes is too long",
                       strlen(parent));
    }
    if (!mkdtemp(p->folder)) {
        return qc_fail(QC_FAULT, message, "%s: %s", p->folder, strerror(errno));
    }
    p->board = mmap(NULL, sizeof *p->board, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p->board == MAP_FAILED) {
        rmdir(p->folder);
        return QC_NO_MEMORY;
    }
    const qc_status status = jobs_run(p, jobs_wanted(p->options, p->count), run, message);
    munmap(p->board, sizeof *p->board);
    return status;
}

qc_status qc_run_all(const qc_run_options *options, qc_run *run_ret, qc_exit *exit_ret,
                     qc_message *message)
{
    qc_isolate *isolate;
    memset(run_ret, 0, sizeof *run_ret);
    *exit_ret = QC_EXIT_SUITE_FAULT;
    qc_status status = qc_oracle_preconditions(message);
    if (status != QC_OK) {
        return status;
    }
    status = qc_isolate_open(options->backend, &options->isolate, &isolate, message);
    if (status != QC_OK) {
        *exit_ret = status == QC_INVALID ? QC_EXIT_USAGE : QC_EXIT_CANNOT_LOAD;
        return status;
    }
    const qc_description *const description = qc_isolate_description(isolate);
    plan p = {.options = options, .info = &run_ret->info};
    qc_run_info_fill(&run_ret->info, options, description);
    qc_group *const groups = qc_groups_make(
        description->capabilities, description->capability_count,
        options->ops ? options->ops : UINT32_MAX, options->profile, &p.count);
    p.groups = groups;
    for (uint32_t c = 0; c < description->capability_count; c++) {
        p.threaded |= description->capabilities[c].max_threads > 1;
    }
    qc_isolate_close(isolate);
    if (p.count) {
        status = plan_run(&p, run_ret, message);
    }
    free(groups);
    *exit_ret = status == QC_OK ? QC_EXIT_CONFORMANT : QC_EXIT_SUITE_FAULT;
    return status;
}

void qc_run_free(qc_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        qc_group_result_free(&run->results[i]);
    }
    free(run->results);
    memset(run, 0, sizeof *run);
}
