/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int qc_witness_wanted(const qc_group_result *result, uint32_t verdict)
{
    int same = 0;
    for (uint32_t w = 0; w < result->witness_count; w++) {
        same += result->witnesses[w].verdict == verdict;
    }
    return same == 0 || result->witness_count < QC_MAX_WITNESSES;
}

/* The slot for a new witness: a free one, or the lowest verdict below this one. */
static qc_witness *slot_take(qc_group_result *result, uint32_t verdict)
{
    if (result->witness_count < QC_MAX_WITNESSES) {
        return &result->witnesses[result->witness_count++];
    }
    qc_witness *lowest = &result->witnesses[0];
    for (uint32_t w = 1; w < result->witness_count; w++) {
        if (result->witnesses[w].verdict < lowest->verdict) {
            lowest = &result->witnesses[w];
        }
    }
    if (lowest->verdict >= verdict) {
        return NULL;
    }
    free(lowest->line);
    free(lowest->got);
    free(lowest->want);
    free(lowest->position);
    return lowest;
}

/* Copies one element of an argument into a tensor of dims 1 of the small case. */
static qc_status single_copy(qc_case *small, uint32_t arg, uint32_t rank,
                             const qc_tensor *from, int64_t i)
{
    qc_tensor single = {.dtype = from->dtype, .rank = rank, .dims = {1, 1, 1, 1, 1, 1}};
    qc_tensor_contiguous(&single);
    const qc_status status = qc_case_allocate(small, arg, &single);
    if (status == QC_OK) {
        const size_t bytes = qc_dtype_bytes(from->dtype);
        memcpy(small->call.args[arg].data,
               (const char *)from->data + qc_tensor_at(from, i) * (int64_t)bytes, bytes);
    }
    return status;
}

/* Cases of at most this many elements are printed with their values. */
enum { FEW_ELEMS = 16 };

/* A view of one row of an argument of linear, or of its one value. */
static qc_status row_copy(qc_case *small, uint32_t arg, const qc_tensor *from,
                          int64_t row)
{
    qc_tensor one = *from;
    one.dims[0] = 1;
    qc_tensor_contiguous(&one);
    const qc_status status = qc_case_allocate(small, arg, &one);
    const int64_t bytes = (int64_t)qc_dtype_bytes(from->dtype);
    for (int64_t k = 0; k < qc_tensor_elems(&one) && status == QC_OK; k++) {
        const int64_t at = from->offset + (from->rank ? row * from->strides[0] : 0) +
                           (from->rank == 2 ? k * from->strides[1] : 0);
        memcpy((char *)small->call.args[arg].data + k * bytes,
               (const char *)from->data + at * bytes, (size_t)bytes);
    }
    return status;
}

/* The case of output i of linear alone. */
static qc_status linear_case(const qc_case *item, int64_t i, qc_case *small)
{
    const qc_call *const call = &item->call;
    const qc_op_info *const info = qc_op_get(call->op);
    const int64_t columns = call->args[info->arg_count - 1].dims[1];
    qc_case_init(small, (qc_op)call->op);
    small->call.attrs = call->attrs;
    snprintf(small->profile, sizeof small->profile, "%s", call->profile);
    small->call.profile = small->profile;
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (info->args[a].is_output) {
            small->call.args[a] = (qc_tensor){.dtype = call->args[a].dtype};
        } else if (call->args[a].dtype != QC_NONE) {
            const int is_x = info->args[a].shape == QC_SHAPE_MK;
            status = row_copy(small, a, &call->args[a], is_x ? i / columns : i % columns);
        }
    }
    if (status == QC_OK) {
        qc_case_shape_outputs(small);
    }
    return status;
}

/* The case of element i alone: the lowest rank that the backend takes, same attributes; per
   tensor, or with one channel where only channels are offered. */
static qc_status element_case(const qc_case *item, int64_t i, const qc_capability *limits,
                              qc_case *small)
{
    const uint32_t has_channel = limits->granularities == QC_PER_CHANNEL;
    const uint32_t rank = limits->min_rank < has_channel ? has_channel : limits->min_rank;
    const qc_call *const call = &item->call;
    const qc_op_info *const info = qc_op_get(call->op);
    if (qc_op_is_linear(call->op)) {
        return linear_case(item, i, small);
    }
    qc_case_init(small, (qc_op)call->op);
    small->call.attrs = call->attrs;
    small->call.attrs.axis = has_channel ? 0 : QC_AXIS_NONE;
    snprintf(small->profile, sizeof small->profile, "%s", call->profile);
    small->call.profile = small->profile;
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        const qc_tensor *const from = &call->args[a];
        if (from->dtype == QC_NONE) {
            continue;
        }
        if (info->args[a].is_output) {
            small->call.args[a] = (qc_tensor){.dtype = from->dtype};
        } else {
            const int is_channel = info->args[a].shape == QC_SHAPE_CHANNEL;
            status = is_channel ? single_copy(small, a, has_channel, from,
                                              qc_call_channel(call, i))
                                : single_copy(small, a, rank, from, i);
        }
    }
    if (status == QC_OK) {
        qc_case_shape_outputs(small);
    }
    return status;
}

/* Judges the small case apart from the group; 1 when it fails with the same verdict. */
static int still_fails(const qc_evaluation *group, qc_isolate *isolate,
                       const qc_case *small, uint32_t verdict, qc_evaluation *alone)
{
    static const qc_evaluation nothing;
    qc_group_result scratch = {.group = group->result->group};
    qc_exchange exchange;
    *alone = nothing;
    alone->result = &scratch;
    alone->consistency = qc_consistency_open();
    alone->sample_period = 1000;
    qc_isolate_call(isolate, small, &exchange);
    int fails = 0;
    if (alone->consistency && exchange.verdict == QC_VERDICT_PASS &&
        exchange.status == QC_OK &&
        qc_evaluate(alone, &small->call, exchange.outputs) == QC_OK) {
        fails = alone->worst.verdict == verdict;
    }
    qc_consistency_close(alone->consistency);
    alone->result = NULL;
    alone->consistency = NULL;
    return fails;
}

static void values_write(qc_witness *witness, const qc_call *call,
                         const qc_evaluation *of)
{
    char text[96];
    const uint32_t dtype = call->args[of->worst.arg].dtype;
    qc_explain_value(dtype, of->worst.got, text);
    witness->got = strdup(text);
    if (of->worst.want.kind == QC_EXPECT_CONSISTENT) {
        snprintf(text, sizeof text, "for NaN the code %d that others gave",
                 of->worst.before.low);
    } else {
        qc_explain_value(dtype, of->worst.want.bits, text);
    }
    witness->want = strdup(text);
    qc_explain_position(&of->worst.position, text);
    witness->position = strdup(text);
}

static void exchange_write(qc_witness *witness, uint32_t verdict,
                           const qc_exchange *exchange)
{
    char text[sizeof exchange->message.text + 64];
    snprintf(text, sizeof text, "%s%s%s", qc_verdict_name(verdict),
             exchange->message.text[0] ? ": " : "", exchange->message.text);
    witness->got = strdup(text);
    witness->want =
        strdup(verdict == QC_VERDICT_ACCEPTED_INVALID ? "!invalid" : "an answer");
    if (exchange->where >= 0) {
        snprintf(text, sizeof text, "element %lld of output %u",
                 (long long)exchange->where, exchange->arg);
    } else {
        text[0] = '\0';
    }
    witness->position = strdup(text);
}

void qc_witness_add(qc_evaluation *evaluation, qc_isolate *isolate, const qc_case *item,
                    uint32_t verdict, const qc_exchange *exchange)
{
    qc_witness *const witness = slot_take(evaluation->result, verdict);
    if (!witness) {
        return;
    }
    *witness = (qc_witness){.verdict = verdict};
    const int is_value = evaluation->worst.verdict == verdict;
    qc_case small;
    qc_evaluation alone;
    memset(&small, 0, sizeof small);
    /* An output that many elements were reduced to has no case of one element. */
    const int is_alone = item->call.op != QC_OP_observe;
    if (is_value && isolate && is_alone &&
        element_case(item, evaluation->worst.index, &evaluation->result->group.limits,
                     &small) == QC_OK &&
        still_fails(evaluation, isolate, &small, verdict, &alone)) {
        witness->line = qc_case_format(&small, 1);
        values_write(witness, &small.call, &alone);
    } else {
        const int64_t elems = qc_call_elems(&item->call);
        witness->line = qc_case_format(item, !isolate || elems <= FEW_ELEMS);
        if (is_value) {
            values_write(witness, &item->call, evaluation);
        } else {
            exchange_write(witness, verdict, exchange);
        }
    }
    qc_case_free(&small);
}
