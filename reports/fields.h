/* SPDX-License-Identifier: Apache-2.0 */
/* The members of the records in run.json and results.jsonl: tables that writer and reader
   share, so that what one writes the other demands. */
#ifndef QC_REPORTS_FIELDS_H
#define QC_REPORTS_FIELDS_H

#include <jansson.h>

#include "reports.h"

typedef enum qc_field_kind {
    QC_FIELD_I32,
    QC_FIELD_U32,
    QC_FIELD_COUNT, /* int64_t, >= 0 */
    QC_FIELD_U64,   /* in JSON a string: its integers end at 2^63 - 1 */
    QC_FIELD_REAL,  /* {"decimal": number or null, "hex": C hexfloat}; hex is exact */
    QC_FIELD_TEXT,  /* a char array of `bytes` */
    QC_FIELD_OWNED, /* char *, malloc'd */
    QC_FIELD_WORD   /* uint32_t, in JSON its name */
} qc_field_kind;

typedef struct qc_field {
    const char *key;
    qc_field_kind kind;
    size_t offset;
    size_t bytes;                        /* QC_FIELD_TEXT: of the array */
    uint32_t word_count;                 /* QC_FIELD_WORD: values 0 ... word_count - 1 */
    const char *(*word)(uint32_t value); /* NULL results are no words */
} qc_field;

typedef struct qc_field_table {
    const char *what; /* "the group", for messages */
    const qc_field *fields;
    size_t count;
} qc_field_table;

extern const qc_field_table qc_run_fields;
extern const qc_field_table qc_group_fields;  /* of qc_group */
extern const qc_field_table qc_limits_fields; /* of qc_capability */
extern const qc_field_table
    qc_result_fields; /* of qc_group_result, nested records apart */
extern const qc_field_table qc_rival_fields;
extern const qc_field_table qc_witness_fields;

/* 0, or -1 when memory is short. */
int qc_fields_write(json_t *object, const qc_field_table *table, const void *record);

/* QC_INVALID: the message says which key, and what was expected. */
qc_status qc_fields_read(json_t *object, const qc_field_table *table, void *record,
                         qc_message *message);

/* A string node; bytes that are not UTF-8 become '?'. NULL when memory is short. */
json_t *qc_json_text(const char *text);

/* QC_INVALID unless the object has exactly `count` keys: all that were asked for by name. */
qc_status qc_json_only(json_t *object, size_t count, const char *what,
                       qc_message *message);

/* The node of a key, of that type; NULL with a message. */
json_t *qc_json_get(json_t *object, const char *key, json_type type, qc_message *message);

/* The checksum of run.json over results.jsonl, FNV-1a 64: tells a mixed or damaged pair of
   files from a whole one; no protection against intent. */
uint64_t qc_checksum(const char *bytes, size_t count);

#endif
