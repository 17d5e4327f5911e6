/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/answers.h"

#include "harness/expectation.h"
#include "harness/group_run.h"
#include "harness/witness.h"

#include <stdlib.h>
#include <string.h>

static void bits_store(uint32_t dtype, void *packed, int64_t i, uint64_t bits)
{
    const uint8_t b8 = (uint8_t)bits;
    const uint16_t b16 = (uint16_t)bits;
    const uint32_t b32 = (uint32_t)bits;
    const size_t bytes = qc_dtype_bytes(dtype);
    const void *const from = bytes == 1   ? (const void *)&b8
                             : bytes == 2 ? (const void *)&b16
                             : bytes == 4 ? (const void *)&b32
                                          : (const void *)&bits;
    memcpy((char *)packed + i * (int64_t)bytes, from, bytes);
}

/* The same call with element i of the body set to +0, for the value that NaN may take. */
static qc_status zero_expect(const qc_call *call, uint32_t arg, int64_t i,
                             qc_expected *want, qc_message *message)
{
    const qc_tensor *const body = &call->args[qc_op_body(call->op)];
    const size_t bytes = qc_dtype_bytes(body->dtype);
    char *const at = (char *)body->data + qc_tensor_at(body, i) * (int64_t)bytes;
    char kept[8];
    qc_expectation expectation;
    memcpy(kept, at, bytes);
    memset(at, 0, bytes);
    qc_status status = qc_expectation_open(&expectation, call, NULL, message);
    if (status == QC_OK) {
        status = qc_expectation_fill(&expectation, arg, i, 1, want, message);
        qc_expectation_close(&expectation);
    }
    memcpy(at, kept, bytes);
    return status;
}

static qc_status output_fill(qc_expectation *expectation, uint32_t arg, qc_tensor *output,
                             qc_message *message)
{
    const int64_t elems = qc_tensor_elems(output);
    qc_status status = QC_OK;
    for (int64_t i = 0; i < elems && status == QC_OK; i++) {
        qc_expected want;
        status = qc_expectation_fill(expectation, arg, i, 1, &want, message);
        if (status == QC_OK && want.kind == QC_EXPECT_CONSISTENT) {
            status = zero_expect(expectation->call, arg, i, &want, message);
        }
        bits_store(output->dtype, output->data, i, want.bits);
    }
    return status;
}

static qc_status values_fill(const qc_case *item, qc_expectation *expectation,
                             qc_answer *answer, qc_message *message)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    qc_status status = QC_OK;
    answer->kind = QC_ANSWER_VALUES;
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (info->args[a].is_output && item->call.args[a].dtype != QC_NONE) {
            qc_tensor *const output = &answer->outputs[a];
            *output = item->call.args[a];
            qc_tensor_contiguous(output);
            const size_t bytes =
                (size_t)qc_tensor_elems(output) * qc_dtype_bytes(output->dtype);
            output->data = malloc(bytes ? bytes : 1);
            status = output->data ? output_fill(expectation, a, output, message)
                                  : QC_NO_MEMORY;
        }
    }
    return status;
}

qc_status qc_answer_expected(const qc_case *item, qc_answer *answer_ret,
                             qc_message *message)
{
    qc_expectation expectation;
    memset(answer_ret, 0, sizeof *answer_ret);
    if (qc_oracle_validate(&item->call, message) != QC_OK) {
        answer_ret->kind = QC_ANSWER_INVALID;
        return QC_OK;
    }
    qc_status status = qc_expectation_open(&expectation, &item->call, NULL, message);
    if (status == QC_UNSUPPORTED) {
        answer_ret->kind = QC_ANSWER_UNSUPPORTED;
        return QC_OK;
    }
    if (status == QC_OK) {
        status = values_fill(item, &expectation, answer_ret, message);
        qc_expectation_close(&expectation);
    }
    return status;
}

/* The verdict of an answer that holds no values. */
static qc_verdict kind_verdict(const qc_answer *answer, int is_valid)
{
    if (answer->kind == QC_ANSWER_NONE) {
        return QC_VERDICT_MISSING;
    }
    if (!is_valid) {
        return answer->kind == QC_ANSWER_VALUES ? QC_VERDICT_ACCEPTED_INVALID
                                                : QC_VERDICT_PASS;
    }
    return answer->kind == QC_ANSWER_VALUES ? QC_VERDICT_PASS : QC_VERDICT_REJECTED_VALID;
}

/* QC_INVALID when the answer lacks an output or has another shape than the call. */
static qc_status outputs_match(const qc_case *item, const qc_answer *answer,
                               const void *outputs[QC_MAX_ARGS], qc_message *message)
{
    const qc_op_info *const info = qc_op_get(item->call.op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        const qc_tensor *const asked = &item->call.args[a];
        const qc_tensor *const given = &answer->outputs[a];
        if (!info->args[a].is_output || asked->dtype == QC_NONE) {
            continue;
        }
        if (given->dtype != asked->dtype || given->rank != asked->rank ||
            memcmp(given->dims, asked->dims, asked->rank * sizeof asked->dims[0])) {
            return qc_fail(QC_INVALID, message,
                           "answer: output %s of dtype %s and the call's dims expected",
                           info->args[a].name, qc_dtype_name(asked->dtype));
        }
        outputs[a] = given->data;
    }
    return QC_OK;
}

qc_status qc_answer_judge(const qc_case *item, const qc_answer *answer,
                          qc_group_result *result_ret, qc_message *message)
{
    qc_group group;
    qc_group_of_case(item, &group);
    memset(result_ret, 0, sizeof *result_ret);
    result_ret->group = group;
    result_ret->cases = 1;
    const int is_valid = qc_oracle_validate(&item->call, message) == QC_OK;
    const qc_verdict verdict = kind_verdict(answer, is_valid);
    const void *outputs[QC_MAX_ARGS] = {NULL};
    qc_evaluation evaluation = {.result = result_ret, .sample_period = 1000};
    if (verdict != QC_VERDICT_PASS || !is_valid) {
        qc_judge_count(result_ret, verdict, 1);
        return QC_OK;
    }
    qc_status status = outputs_match(item, answer, outputs, message);
    evaluation.consistency = status == QC_OK ? qc_consistency_open() : NULL;
    if (status == QC_OK) {
        status = evaluation.consistency ? qc_evaluate(&evaluation, &item->call, outputs)
                                        : QC_NO_MEMORY;
    }
    if (status == QC_OK && evaluation.worst.verdict) {
        qc_witness_add(&evaluation, NULL, item, evaluation.worst.verdict, NULL);
    } else if (evaluation.fault.text[0]) {
        *message = evaluation.fault;
    }
    qc_consistency_close(evaluation.consistency);
    return status;
}
