/* SPDX-License-Identifier: Apache-2.0 */
/* One row per member of the records; their keys are those of the schemas. */
#include "fields.h"

static const char *op_word(uint32_t op)
{
    const qc_op_info *info = qc_op_get(op);
    return info != NULL ? info->name : NULL;
}

static const char *granularity_word(uint32_t granularity)
{
    if (granularity == QC_PER_TENSOR) {
        return "per_tensor";
    }
    return granularity == QC_PER_CHANNEL ? "per_channel" : NULL;
}

static const char *scale_form_word(uint32_t form)
{
    return qc_attr_word(QC_ATTR_scale_form, form);
}

#define PLAIN(record, kind, key)                                 \
    {                                                            \
#key, QC_FIELD_##kind, offsetof(record, key), 0, 0, NULL \
    }
#define TEXT(record, key)                                                             \
    {                                                                                 \
#key, QC_FIELD_TEXT, offsetof(record, key), sizeof(((record *)NULL)->key), 0, \
            NULL                                                                      \
    }
#define WORD(record, key, count, word)                             \
    {                                                              \
#key, QC_FIELD_WORD, offsetof(record, key), 0, count, word \
    }
#define TABLE(name, what)                           \
    const qc_field_table name = {what, name##_rows, \
                                 sizeof name##_rows / sizeof name##_rows[0]}

static const qc_field qc_run_fields_rows[] = {
    TEXT(qc_run_info, backend),
    TEXT(qc_run_info, backend_digest),
    TEXT(qc_run_info, backend_given),
    TEXT(qc_run_info, backend_version),
    TEXT(qc_run_info, baseline),
    TEXT(qc_run_info, profile),
    TEXT(qc_run_info, rows_digest),
    TEXT(qc_run_info, started),
    PLAIN(qc_run_info, REAL, seconds),
    PLAIN(qc_run_info, U64, seed),
    PLAIN(qc_run_info, COUNT, new_findings),
    WORD(qc_run_info, fail_on, QC_FAIL_ON_COUNT, qc_fail_on_name),
    WORD(qc_run_info, level, QC_LEVEL_COUNT, qc_level_name),
};
TABLE(qc_run_fields, "the run");

static const qc_field qc_group_fields_rows[] = {
    WORD(qc_group, op, QC_OP_COUNT, op_word),
    WORD(qc_group, granularity, QC_PER_CHANNEL + 1, granularity_word),
    WORD(qc_group, scale_form, 2, scale_form_word),
    PLAIN(qc_group, U32, choice),
    PLAIN(qc_group, I32, qmin),
    PLAIN(qc_group, I32, qmax),
    TEXT(qc_group, profile),
};
TABLE(qc_group_fields, "the group");

static const qc_field qc_limits_fields_rows[] = {
    PLAIN(qc_capability, U32, grids),           PLAIN(qc_capability, U32, min_rank),
    PLAIN(qc_capability, U32, max_rank),        PLAIN(qc_capability, U32, strided),
    PLAIN(qc_capability, U32, nonfinite),       PLAIN(qc_capability, U32, max_threads),
    PLAIN(qc_capability, U32, alignment_bytes), PLAIN(qc_capability, COUNT, max_elems),
    PLAIN(qc_capability, REAL, scale_low),      PLAIN(qc_capability, REAL, scale_high),
};
TABLE(qc_limits_fields, "limits");

static const qc_field qc_result_fields_rows[] = {
    WORD(qc_group_result, verdict, QC_VERDICT_COUNT, qc_verdict_name),
    WORD(qc_group_result, claim, QC_CLAIM_COUNT, qc_claim_name),
    WORD(qc_group_result, accuracy, QC_ACCURACY_COUNT, qc_accuracy_name),
    PLAIN(qc_group_result, COUNT, cases),
    PLAIN(qc_group_result, COUNT, negative_cases),
    PLAIN(qc_group_result, COUNT, elems),
    PLAIN(qc_group_result, COUNT, consistent),
    PLAIN(qc_group_result, COUNT, unknown),
    PLAIN(qc_group_result, COUNT, confirmed),
    PLAIN(qc_group_result, REAL, delta),
    PLAIN(qc_group_result, COUNT, code_distance),
    PLAIN(qc_group_result, COUNT, ulp_distance),
    TEXT(qc_group_result, note),
};
TABLE(qc_result_fields, "the group");

static const qc_field qc_rival_fields_rows[] = {
    TEXT(qc_rival_count, name),
    TEXT(qc_rival_count, fault),
    PLAIN(qc_rival_count, COUNT, body),
    PLAIN(qc_rival_count, COUNT, tail),
};
TABLE(qc_rival_fields, "a rival");

static const qc_field qc_witness_fields_rows[] = {
    WORD(qc_witness, verdict, QC_VERDICT_COUNT, qc_verdict_name),
    PLAIN(qc_witness, OWNED, line),
    PLAIN(qc_witness, OWNED, got),
    PLAIN(qc_witness, OWNED, want),
    PLAIN(qc_witness, OWNED, position),
};
TABLE(qc_witness_fields, "a witness");
