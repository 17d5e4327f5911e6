/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: named contracts, each a list of typed steps per op, read from spec/profiles. */
#ifndef QUANTCERT_PROFILE_H
#define QUANTCERT_PROFILE_H

#include "quantcert/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QC_MAX_STEPS 16
#define QC_STEPS_TEXT 256 /* bytes that hold any step list as text */

typedef enum qc_step_kind {
#define QC_STEP(step, first, second, meaning) QC_STEP_##step,
#include "steps.def"
#undef QC_STEP
    QC_STEP_COUNT
} qc_step_kind;

typedef enum qc_token {
    QC_TOKEN_nothing = 0,
#define QC_TOKEN(token) QC_TOKEN_##token,
#include "steps.def"
#undef QC_TOKEN
    QC_TOKEN_COUNT
} qc_token;

typedef struct qc_step {
    uint8_t kind;   /* qc_step_kind */
    uint8_t first;  /* qc_token */
    uint8_t second; /* qc_token */
} qc_step;

typedef struct qc_steps {
    uint32_t count;
    qc_step step[QC_MAX_STEPS];
} qc_steps;

typedef enum qc_row_status {
    QC_STATUS_specified, /* a written standard */
    QC_STATUS_modelled,  /* from source, not yet confirmed */
    QC_STATUS_confirmed  /* probed on the real library; the source names the version */
} qc_row_status;

/* Which calls a row speaks of: form `divide` or `multiply` (divide where the op has none),
   and integer or float zero points. */
typedef struct qc_profile_row {
    const char *profile;
    uint32_t op;
    uint32_t scale_form;    /* qc_scale_form */
    uint32_t choice;        /* word of qc_op_choice; 0 where the op has none */
    uint32_t float_zp;      /* 0: integer zero points; 1: float ones */
    uint32_t granularities; /* set of QC_PER_TENSOR and QC_PER_CHANNEL */
    uint32_t status;        /* qc_row_status */
    const char *steps_text; /* "nan(consistent) div(exact) ..." */
    const char *source;     /* the document and the rule id in semantics.md */
} qc_profile_row;

/* All rows of all profiles, in file order. */
const qc_profile_row *qc_profile_rows(size_t *count_ret);

/* The row that a call is judged by; NULL when its profile has none for it. */
const qc_profile_row *qc_profile_find(const qc_call *call);

/* 1 when some row belongs to a profile of that name. */
int qc_profile_exists(const char *profile);

/* Parses a list; QC_INVALID names the first word that is not of the vocabulary. */
qc_status qc_steps_parse(const char *text, qc_steps *steps_ret, qc_message *message);

/* Writes the canonical text, one space between steps. */
void qc_steps_format(const qc_steps *steps, char text[QC_STEPS_TEXT]);

/* A choice that an implementer might have made instead of the row's own: the same list with
   some steps replaced (spec/rivals.def). */
typedef struct qc_rival {
    const char *name;
    const char *fault; /* "F1" ... "F28" of faults.def */
    const char *needs; /* when inputs exist that tell it apart; rule id of the lemma */
    qc_steps steps;
} qc_rival;

#define QC_MAX_RIVALS 32

/* The rivals of a call's row that its dtypes and grid can tell apart, at most QC_MAX_RIVALS;
   returns how many. */
size_t qc_rivals_of(const qc_call *call, const qc_steps *steps, qc_rival *rivals_ret);

#ifdef __cplusplus
}
#endif
#endif
