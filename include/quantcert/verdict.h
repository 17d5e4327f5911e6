/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts, grades, levels and exit codes: one table each. */
#ifndef QUANTCERT_VERDICT_H
#define QUANTCERT_VERDICT_H

#include "quantcert/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, conforms, junit, meaning), lowest precedence first: the verdict of a group is
   the last of this table that one of its elements or calls has. `conforms` is 1 where the
   claim still holds. junit: the element of a JUnit testcase, or none. */
/* clang-format off */
#define QC_VERDICTS(X)                                                                             \
    X(PASS, "pass", 1, "none", "equal to the expected value")                                      \
    X(UNDEFINED, "undefined", 1, "none", "the profile gives no value here; counted apart")         \
    X(FAIL_TIE, "fail-tie", 0, "failure", "wrong, but within the class nearest(delta*)")           \
    X(FAIL, "fail", 0, "failure", "wrong")                                                         \
    X(POSITION_DEPENDENT, "position-dependent", 0, "failure", "one input, two answers by place")   \
    X(NONDETERMINISTIC, "nondeterministic", 0, "failure", "one call, two answers when repeated")   \
    X(UNWRITTEN, "unwritten", 0, "failure", "an output element was not written")                   \
    X(REJECTED_VALID, "rejected-valid", 0, "failure", "a described call was refused")              \
    X(ACCEPTED_INVALID, "accepted-invalid", 0, "failure", "an invalid call was not refused")       \
    X(MISSING, "missing", 0, "failure", "a described op gave no answer")                           \
    X(ENV_CLOBBER, "env-clobber", 0, "failure", "the floating-point environment was changed")      \
    X(INPUT_WRITE, "input-write", 0, "failure", "an input was written to")                         \
    X(OOB_READ, "oob-read", 0, "failure", "read outside a tensor")                                 \
    X(OOB_WRITE, "oob-write", 0, "failure", "written outside an output")                           \
    X(RESOURCE, "resource", 0, "error", "a limit on memory, descriptors or processes was hit")     \
    X(PROTOCOL, "protocol", 0, "error", "an answer that is not of the protocol")                   \
    X(TIMEOUT, "timeout", 0, "error", "no answer in time")                                         \
    X(CRASH, "crash", 0, "error", "the backend's process died")
/* clang-format on */

typedef enum qc_verdict {
#define X(id, name, conforms, junit, meaning) QC_VERDICT_##id,
    QC_VERDICTS(X)
#undef X
        QC_VERDICT_COUNT
} qc_verdict;

const char *qc_verdict_name(uint32_t verdict);
const char *qc_verdict_junit(uint32_t verdict);
int qc_verdict_conforms(uint32_t verdict);
qc_verdict qc_verdict_find(const char *name); /* QC_VERDICT_COUNT when there is none */

/* The claim about a group; only it drives the exit code. */
#define QC_CLAIMS(X)              \
    X(CONFORMS, "conforms")       \
    X(NOT_OFFERED, "not offered") \
    X(INCOMPLETE, "incomplete")   \
    X(DOES_NOT, "does not")

typedef enum qc_claim {
#define X(id, name) QC_CLAIM_##id,
    QC_CLAIMS(X)
#undef X
        QC_CLAIM_COUNT
} qc_claim;

const char *qc_claim_name(uint32_t claim);

/* Accuracy against `ideal`, whatever the claim. */
#define QC_ACCURACIES(X)                      \
    X(CORRECTLY_ROUNDED, "correctly-rounded") \
    X(NEAREST, "nearest")                     \
    X(WRONG, "wrong")

typedef enum qc_accuracy {
#define X(id, name) QC_ACCURACY_##id,
    QC_ACCURACIES(X)
#undef X
        QC_ACCURACY_COUNT
} qc_accuracy;

const char *qc_accuracy_name(uint32_t accuracy);

/* X(id, name, elements): fixed counts of elements per group, at the least. */
#define QC_LEVELS(X)                \
    X(SMOKE, "smoke", 2048)         \
    X(QUICK, "quick", 28672)        \
    X(STANDARD, "standard", 262144) \
    X(FULL, "full", 4194304)

typedef enum qc_level {
#define X(id, name, elements) QC_LEVEL_##id,
    QC_LEVELS(X)
#undef X
        QC_LEVEL_COUNT
} qc_level;

const char *qc_level_name(uint32_t level);
qc_level qc_level_find(const char *name); /* QC_LEVEL_COUNT when there is none */
int64_t qc_level_elems(uint32_t level);

/* X(id, code, meaning) */
#define QC_EXITS(X)                                                                      \
    X(CONFORMANT, 0, "conformant")                                                       \
    X(NOT_CONFORMANT, 1, "not conformant, or the difference that was looked for exists") \
    X(USAGE, 2, "usage: malformed text or an unknown name")                              \
    X(CANNOT_LOAD, 3, "a backend or a results folder cannot be loaded or read")          \
    X(SUITE_FAULT, 4, "the suite or its oracles are at fault")                           \
    X(INCOMPLETE, 5, "incomplete: nothing was judged, or not all of it")

typedef enum qc_exit {
#define X(id, code, meaning) QC_EXIT_##id = code,
    QC_EXITS(X)
#undef X
} qc_exit;

#ifdef __cplusplus
}
#endif
#endif
