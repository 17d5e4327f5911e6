/* SPDX-License-Identifier: Apache-2.0 */
/* Open, close and dispatch. */
#include <stdlib.h>

#include "engine.h"

static const qc_oracle_op *find_op(uint32_t op)
{
    switch (op) {
#define QC_ORACLE_OP(name) \
    case QC_OP_##name:     \
        return &qc_oracle_##name;
#include "oracle_ops.inc"
#undef QC_ORACLE_OP
    default: return NULL;
    }
}

const char *qc_oracle_path_name(uint32_t path)
{
    static const char *const names[] = {"mpfr", "gmp", "filtered"};
    return path < sizeof names / sizeof names[0] ? names[path] : NULL;
}

int qc_oracle_has(uint32_t op, uint32_t path)
{
    const qc_oracle_op *const found = find_op(op);
    return found && path <= QC_ORACLE_FILTER && found->engines[path];
}

static qc_status find_steps(const qc_call *call, const qc_steps *given,
                            qc_steps *steps_ret, qc_message *message)
{
    if (given) {
        *steps_ret = *given;
        return QC_OK;
    }
    const qc_profile_row *row = qc_profile_find(call);
    if (!row) {
        return qc_fail(QC_UNSUPPORTED, message,
                       "profile %s has no row for this call of %s", call->profile,
                       qc_op_get(call->op)->name);
    }
    return qc_steps_parse(row->steps_text, steps_ret, message);
}

static qc_status check_kinds(const qc_oracle *oracle, qc_message *message)
{
    for (uint32_t i = 0; i < oracle->steps.count; i++) {
        const uint32_t kind = oracle->steps.step[i].kind;
        if (kind >= QC_STEP_COUNT || !(oracle->op->steps >> kind & 1)) {
            return qc_fail(QC_UNSUPPORTED, message,
                           "step %u of the list is not one of %s", (unsigned)i + 1,
                           qc_op_get(oracle->call->op)->name);
        }
    }
    return QC_OK;
}

static uint32_t code_dtype(const qc_oracle *oracle)
{
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        const uint32_t dtype = oracle->call->args[arg].dtype;
        const int is_code =
            oracle->op->roles[arg] == QC_ROLE_CODE || arg == oracle->op->element;
        if (is_code && (dtype == QC_S8 || dtype == QC_U8)) {
            return dtype;
        }
    }
    return oracle->qmin < 0 ? QC_S8 : QC_U8;
}

static int64_t channel_run(const qc_call *call, const qc_tensor *body)
{
    if (call->attrs.axis == QC_AXIS_NONE) {
        return 0;
    }
    const uint32_t rank = body->rank;
    const uint32_t axis =
        (uint32_t)(call->attrs.axis + (call->attrs.axis < 0 ? (int)rank : 0));
    int64_t inner = 1;
    for (uint32_t d = axis + 1; d < rank; d++) {
        inner *= body->dims[d];
    }
    return inner;
}

static void describe(qc_oracle *oracle)
{
    const qc_call *call = oracle->call;
    qc_call_grid(call, &oracle->qmin, &oracle->qmax);
    oracle->own = call->args[oracle->op->real].dtype;
    oracle->code = code_dtype(oracle);
    oracle->float_zp = call->args[oracle->op->zero_point].dtype == QC_F32;
    oracle->inner = channel_run(call, &call->args[oracle->op->element]);
}

qc_status qc_oracle_open(const qc_call *call, const qc_steps *steps, qc_oracle_path path,
                         qc_oracle **oracle_ret, qc_message *message)
{
    qc_oracle draft = {.call = call, .path = path};
    qc_status status = qc_oracle_validate(call, message);
    if (status != QC_OK) {
        return status;
    }
    draft.op = find_op(call->op);
    if (!qc_oracle_has(call->op, path)) {
        return qc_fail(QC_UNSUPPORTED, message, "no oracle for %s",
                       qc_op_get(call->op)->name);
    }
    status = find_steps(call, steps, &draft.steps, message);
    if (status == QC_OK) {
        status = check_kinds(&draft, message);
    }
    if (status != QC_OK) {
        return status;
    }
    describe(&draft);
    qc_oracle *oracle = malloc(sizeof *oracle);
    if (!oracle) {
        return qc_fail(QC_NO_MEMORY, message, "no memory for an oracle");
    }
    *oracle = draft;
    status = oracle->op->engines[path]->open(oracle, message);
    if (status != QC_OK) {
        free(oracle);
        return status;
    }
    *oracle_ret = oracle;
    return QC_OK;
}

void qc_oracle_close(qc_oracle *oracle)
{
    if (oracle) {
        oracle->op->engines[oracle->path]->close(oracle);
        free(oracle);
    }
}

void qc_oracle_expect(qc_oracle *oracle, uint32_t arg, int64_t first, int64_t count,
                      qc_expected *expected_ret)
{
    oracle->op->engines[oracle->path]->expect(oracle, arg, first, count, expected_ret);
    if (oracle->op->finish) {
        oracle->op->finish(oracle, first, count, expected_ret);
    }
}
