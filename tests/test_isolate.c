/* SPDX-License-Identifier: Apache-2.0 */
/* Isolation: every way a backend can misbehave has its verdict, and leaves nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/isolate.h"

#define ELEMS 5

static char hostile[4096];

static qc_isolate *open_patient(const char *trick, int timeout_ms)
{
    qc_isolate *isolate = NULL;
    qc_message message = {{0}};
    const qc_isolate_options options = {.timeout_ms = timeout_ms};
    setenv("QC_HOSTILE", trick, 1);
    if (qc_isolate_open(hostile, &options, &isolate, &message) != QC_OK) {
        fail_msg("%s", message.text);
    }
    return isolate;
}

static qc_isolate *open_hostile(const char *trick)
{
    return open_patient(trick, 0);
}

/* x[i] = i + 1, scale 2: the answer is i + 3. Output elements `stride` apart. */
typedef struct sample {
    qc_case item;
    float x[ELEMS];
    float scale;
    int32_t zero_point;
} sample;

static void set_arg(sample *s, uint32_t arg, uint32_t dtype, void *data, size_t bytes)
{
    qc_tensor *tensor = &s->item.call.args[arg];
    tensor->dtype = dtype;
    tensor->data = data;
    s->item.storage[arg] = data;
    s->item.storage_bytes[arg] = bytes;
    qc_tensor_contiguous(tensor);
}

static void make_sample(sample *s, const char *profile)
{
    memset(s, 0, sizeof *s);
    qc_call_init(&s->item.call, QC_OP_quantize);
    strcpy(s->item.profile, profile);
    s->item.call.profile = s->item.profile;
    s->item.align_bytes = -1;
    s->item.repeat = 1;
    for (int i = 0; i < ELEMS; i++) {
        s->x[i] = (float)(i + 1);
    }
    s->scale = 2;
    s->item.call.args[0].rank = s->item.call.args[3].rank = 1;
    s->item.call.args[0].dims[0] = s->item.call.args[3].dims[0] = ELEMS;
    set_arg(s, 0, QC_F32, s->x, sizeof s->x);
    set_arg(s, 1, QC_F32, &s->scale, sizeof s->scale);
    set_arg(s, 2, QC_S32, &s->zero_point, sizeof s->zero_point);
    set_arg(s, 3, QC_S8, NULL, 0);
}

static qc_exchange call(qc_isolate *isolate, const char *profile)
{
    sample s;
    qc_exchange exchange;
    make_sample(&s, profile);
    qc_isolate_call(isolate, &s.item, &exchange);
    return exchange;
}

static void assert_answered(const qc_exchange *exchange)
{
    if (exchange->verdict != QC_VERDICT_PASS) {
        fail_msg("%s: %s", qc_verdict_name(exchange->verdict), exchange->message.text);
    }
    assert_int_equal(exchange->status, QC_OK);
    const int8_t *q = exchange->outputs[3];
    for (int i = 0; i < ELEMS; i++) {
        assert_int_equal(q[i], i + 3);
    }
}

static const struct {
    const char *profile;
    uint32_t verdict;
    const char *message;
} tricks[] = {
    {"crash", QC_VERDICT_CRASH, "SIGSEGV: wrote near NULL, in run"},
    {"wild write", QC_VERDICT_CRASH, "SIGSEGV: wrote at an address of no tensor, in run"},
    {"abort", QC_VERDICT_CRASH, "SIGABRT (6), in run"},
    {"illegal", QC_VERDICT_CRASH, "SIGILL (4), in run"},
    {"divide", QC_VERDICT_CRASH, "SIGFPE (8), in run"},
    {"kill", QC_VERDICT_CRASH, "SIGKILL (9), in run"},
    {"exit", QC_VERDICT_CRASH, "ended its process with exit code 0, in run"},
    {"_exit", QC_VERDICT_CRASH, "ended its process with exit code 9, in run"},
    {"close", QC_VERDICT_CRASH, NULL},
    {"hang", QC_VERDICT_TIMEOUT, "no answer within 200 ms, in run"},
    {"stubborn", QC_VERDICT_TIMEOUT, "no answer within 200 ms, in run"},
    {"read behind", QC_VERDICT_OOB_READ, "read behind x, in run"},
    {"read in front", QC_VERDICT_OOB_READ, "read in front of x, in run"},
    {"write behind", QC_VERDICT_OOB_WRITE, "wrote behind q, in run"},
    {"write in front", QC_VERDICT_OOB_WRITE, "wrote in front of q, in run"},
    {"write input", QC_VERDICT_INPUT_WRITE, "wrote to input x, in run"},
    {"unlock input", QC_VERDICT_INPUT_WRITE, "x, placed at the end, is not what it was"},
    {"unwritten", QC_VERDICT_UNWRITTEN, "q[4] was not written"},
    {"accumulate", QC_VERDICT_NONDETERMINISTIC,
     "q[4] differs between two runs of one plan"},
    {"second", QC_VERDICT_NONDETERMINISTIC, "q[0] differs between two runs of one plan"},
    {"random", QC_VERDICT_NONDETERMINISTIC, "one call, placed alike, has two answers"},
    {"position", QC_VERDICT_POSITION_DEPENDENT,
     "q[0] differs between tensors at the end and in front of their pages"},
    {"rounding", QC_VERDICT_ENV_CLOBBER, "run changed the rounding mode"},
    {"touch on error", QC_VERDICT_OOB_WRITE, NULL},
    {"bad status", QC_VERDICT_PROTOCOL, "status 77 is none of qc_status"},
};

static void each_trick_has_its_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tricks / sizeof tricks[0]; i++) {
        const int waits = tricks[i].verdict == QC_VERDICT_TIMEOUT;
        qc_isolate *isolate = open_patient("", waits ? 200 : 0);
        const qc_exchange exchange = call(isolate, tricks[i].profile);
        if (exchange.verdict != tricks[i].verdict) {
            fail_msg("%s: got %s (%s), expected %s", tricks[i].profile,
                     qc_verdict_name(exchange.verdict), exchange.message.text,
                     qc_verdict_name(tricks[i].verdict));
        }
        if (tricks[i].message) {
            assert_string_equal(exchange.message.text, tricks[i].message);
        }
        const qc_exchange next = call(isolate, "ideal");
        if (!waits ||
            next.verdict != QC_VERDICT_TIMEOUT) { /* a machine may stall so long */
            assert_answered(&next);
        }
        qc_isolate_close(isolate);
    }
}

static void honest_calls_pass(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    static const char *const honest[] = {"ideal", "orphan", "print"};
    for (size_t i = 0; i < sizeof honest / sizeof honest[0]; i++) {
        const qc_exchange exchange = call(isolate, honest[i]);
        assert_answered(&exchange);
    }
    qc_isolate_close(isolate);
}

static void refusals_are_handed_back(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    qc_exchange exchange = call(isolate, "refuse");
    assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    assert_int_equal(exchange.status, QC_INVALID);
    assert_string_equal(exchange.message.text, "scale: expected > 0");
    assert_null(exchange.outputs[3]);
    exchange = call(isolate, "fail in run");
    assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    assert_int_equal(exchange.status, QC_NO_MEMORY);
    qc_isolate_close(isolate);
}

static void repeats_are_compared(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    sample s;
    qc_exchange exchange;
    make_sample(&s, "third");
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    s.item.repeat = 4;
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_NONDETERMINISTIC);
    assert_string_equal(exchange.message.text, "run 3 of one plan differs from run 2");
    qc_isolate_close(isolate);
}

static void strides_and_alignment(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    sample s;
    qc_exchange exchange;
    static const int32_t modulos[] = {-1, 0, 4, 60, 63};
    for (size_t i = 0; i < sizeof modulos / sizeof modulos[0]; i++) {
        make_sample(&s, "ideal");
        s.item.align_bytes = modulos[i];
        s.item.call.args[3].strides[0] = 3;
        s.item.call.args[3].offset = 7;
        qc_isolate_call(isolate, &s.item, &exchange);
        assert_answered(&exchange);
        s.item.call.args[3].strides[0] = -2;
        qc_isolate_call(isolate, &s.item, &exchange);
        assert_answered(&exchange);
        s.item.call.args[3].offset = 0;
        s.item.call.args[3].strides[0] = 3;
        strcpy(s.item.profile, "write gap");
        qc_isolate_call(isolate, &s.item, &exchange);
        assert_int_equal(exchange.verdict, QC_VERDICT_OOB_WRITE);
        assert_string_equal(exchange.message.text,
                            "written beside the elements of q, placed at the end");
    }
    qc_isolate_close(isolate);
}

static void a_start_off_the_guard_is_still_watched(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    sample s;
    qc_exchange exchange;
    make_sample(&s, "write behind");
    s.item.align_bytes = 0;
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_OOB_WRITE);
    assert_string_equal(exchange.message.text,
                        "written beside the elements of q, placed at the end");
    qc_isolate_close(isolate);
}

static void empty_and_malformed_tensors(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    sample s;
    qc_exchange exchange;
    make_sample(&s, "ideal");
    s.item.call.args[0].dims[0] = s.item.call.args[3].dims[0] = 0;
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    make_sample(&s, "refuse");
    s.item.call.args[0].rank = 99;
    s.item.call.args[1].dtype = 77;
    s.item.call.args[2].strides[0] = INT64_MAX;
    s.item.call.args[3].dims[0] = INT64_MAX;
    s.item.call.args[3].strides[0] = INT64_MAX;
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    assert_int_equal(exchange.status, QC_INVALID);
    qc_isolate_close(isolate);
}

static void a_large_tensor_and_one_too_large(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    sample s;
    qc_exchange exchange;
    make_sample(&s, "ideal");
    const int64_t elems = (64 << 20) / 4;
    s.item.call.args[0].dims[0] = s.item.call.args[3].dims[0] = elems;
    float *x = calloc((size_t)elems, sizeof *x);
    assert_non_null(x);
    x[elems - 1] = 5;
    set_arg(&s, 0, QC_F32, x, (size_t)elems * sizeof *x);
    qc_isolate_close(isolate);
    qc_message message;
    assert_int_equal(qc_isolate_open(hostile, NULL, &isolate, &message), QC_OK);
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    assert_int_equal(((const int8_t *)exchange.outputs[3])[elems - 1], 7);
    s.item.call.args[0].dims[0]++;
    qc_isolate_call(isolate, &s.item, &exchange);
    assert_int_equal(exchange.verdict, QC_VERDICT_RESOURCE);
    free(x);
    qc_isolate_close(isolate);
}

static const struct {
    const char *trick;
    const char *message; /* a part of it */
} lies[] = {
    {"abi", "has ABI version 9, expected 1"},
    {"table size", "its table has 8 bytes, expected"},
    {"no run", "its table lacks run"},
    {"nothing", "cannot work on this machine"},
    {"refuse", "no such device"},
    {"crash", "SIGSEGV (11), in describe"},
    {"hang", "no answer within 500 ms, in describe"},
    {"exit", "ended its process with exit code 3, in describe"},
    {"no name", "name and version must be strings"},
    {"long name", "name and version must be strings"},
    {"wild name", "SIGSEGV: read near NULL, in describe"},
    {"no capabilities", "1 capabilities at NULL"},
    {"count", "4000000000 capabilities at an address"},
    {"size", "size_bytes is 7, expected"},
    {"op", "capabilities[0].op is out of range"},
    {"alignment", "capabilities[0].alignment_bytes is out of range"},
    {"unknown claim", "capabilities[0].claims[0]: unknown profile 'unheard-of'"},
    {"claims", "capabilities[0].claims has no NULL among its 8 entries"},
};

static void each_lie_is_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        qc_isolate *isolate = NULL;
        qc_message message = {{0}};
        setenv("QC_HOSTILE", lies[i].trick, 1);
        const int is_hang = !strcmp(lies[i].trick, "hang");
        const qc_isolate_options options = {.start_timeout_ms = is_hang ? 500 : 0};
        assert_int_equal(qc_isolate_open(hostile, &options, &isolate, &message),
                         QC_FAULT);
        assert_null(isolate);
        if (!strstr(message.text, lies[i].message) || strchr(message.text, '\n')) {
            fail_msg("%s: got \"%s\", expected \"%s\"", lies[i].trick, message.text,
                     lies[i].message);
        }
    }
}

static void names_and_paths(void **state)
{
    (void)state;
    qc_isolate *isolate = NULL;
    qc_message message = {{0}};
    assert_int_equal(qc_isolate_open("nobody", NULL, &isolate, &message), QC_INVALID);
    assert_non_null(strstr(message.text, "no backend named nobody"));
    assert_int_equal(qc_isolate_open("./nowhere.so", NULL, &isolate, &message), QC_FAULT);
    assert_non_null(strstr(message.text, "cannot load ./nowhere.so"));
    char path[sizeof hostile + 16];
    snprintf(path, sizeof path, "%s/tests/hostile/hollow.so", getenv("QC_BUILD_ROOT"));
    assert_int_equal(qc_isolate_open(path, NULL, &isolate, &message), QC_FAULT);
    assert_non_null(
        strstr(message.text, "no plugin, it does not export quantcert_backend"));
}

static void the_description_is_copied(void **state)
{
    (void)state;
    qc_isolate *isolate = open_hostile("");
    const qc_description *description = qc_isolate_description(isolate);
    assert_string_equal(description->name, "hostile");
    assert_int_equal(description->capability_count, 1);
    assert_string_equal(description->capabilities[0].claims[0], "ideal");
    assert_null(description->capabilities[0].claims[1]);
    qc_isolate_close(isolate);
}

static int count_entries(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

static int count_mappings(void)
{
    char line[4096];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        count += strstr(line, "/dev/zero") != NULL;
    }
    fclose(maps);
    return count;
}

/* 1 when no process that came from this one is left, after at most two seconds. Orphans
   become children of this process, which is their reaper. */
static int is_alone(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < 200; i++) {
        const pid_t reaped = waitpid(-1, NULL, WNOHANG);
        if (reaped < 0) {
            return errno == ECHILD;
        }
        if (reaped == 0) {
            nanosleep(&pause, NULL);
        }
    }
    return 0;
}

static void a_killed_suite_takes_its_child_along(void **state)
{
    (void)state;
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    const pid_t suite = fork();
    if (suite == 0) {
        qc_isolate *isolate = open_hostile("");
        (void)!write(ready[1], &byte, 1);
        for (;;) {
            (void)call(isolate, "hang");
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(suite, SIGKILL);
    assert_int_equal(waitpid(suite, NULL, 0), suite);
    assert_true(is_alone());
    close(ready[0]);
    close(ready[1]);
}

static void nothing_is_left_behind(void **state)
{
    (void)state;
    assert_true(is_alone()); /* the orphans of earlier tests are gone, and reaped */
    const int descriptors = count_entries("/proc/self/fd");
    const int mappings = count_mappings();
    static const char *const profiles[] = {"ideal",  "crash",    "hang",
                                           "orphan", "stubborn", "close"};
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        qc_isolate *isolate = open_patient(i == 0 ? "hang in close" : "", 300);
        (void)call(isolate, profiles[i]);
        assert_true(count_mappings() > mappings);
        qc_isolate_close(isolate);
        if (strcmp(profiles[i], "orphan") && strcmp(profiles[i], "stubborn")) {
            assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
        }
        assert_true(is_alone());
    }
    assert_int_equal(count_entries("/proc/self/fd"), descriptors);
    assert_int_equal(count_mappings(), mappings);
}

static void calls_are_quick(void **state)
{
    (void)state;
    enum { CALLS = 20000 };
    struct timespec from;
    struct timespec to;
    qc_isolate *isolate = open_hostile("");
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < CALLS; i++) {
        const qc_exchange exchange = call(isolate, "ideal");
        assert_int_equal(exchange.verdict, QC_VERDICT_PASS);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    const double seconds =
        (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    print_message("%.1f us a call, three runs each\n", seconds / CALLS * 1e6);
    qc_isolate_close(isolate);
}

int main(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const char *root = getenv("QC_BUILD_ROOT");
    snprintf(hostile, sizeof hostile, "%s/tests/hostile/hostile.so", root ? root : ".");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_calls_pass),
        cmocka_unit_test(each_trick_has_its_verdict),
        cmocka_unit_test(refusals_are_handed_back),
        cmocka_unit_test(repeats_are_compared),
        cmocka_unit_test(strides_and_alignment),
        cmocka_unit_test(a_start_off_the_guard_is_still_watched),
        cmocka_unit_test(empty_and_malformed_tensors),
        cmocka_unit_test(a_large_tensor_and_one_too_large),
        cmocka_unit_test(each_lie_is_one_line),
        cmocka_unit_test(names_and_paths),
        cmocka_unit_test(the_description_is_copied),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(a_killed_suite_takes_its_child_along),
        cmocka_unit_test(calls_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
