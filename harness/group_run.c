/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/group_run.h"

#include "cases/cases.h"
#include "harness/discriminate.h"
#include "harness/evaluate.h"
#include "harness/witness.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLE_PERIOD = 1000 };

/* A group whose cases died this often: the rest would only repeat it, slowly. A call that
   hangs weighs more, since each costs the whole time limit. */
enum { MOST_DEATHS = 8, HANG_DEATHS = 4 };

typedef struct group_state {
    qc_isolate *isolate;
    qc_evaluation own;   /* under the group's profile */
    qc_evaluation ideal; /* under ideal, where that is another list */
    qc_group_result ideal_result;
    qc_discrimination discrimination;
    int differs_from_ideal;
    int deaths;
} group_state;

static qc_status evaluation_open(qc_evaluation *evaluation, qc_group_result *result)
{
    memset(evaluation, 0, sizeof *evaluation);
    evaluation->result = result;
    evaluation->sample_period = SAMPLE_PERIOD;
    evaluation->consistency = qc_consistency_open();
    return evaluation->consistency ? QC_OK : QC_NO_MEMORY;
}

static int steps_differ_from_ideal(const qc_call *call)
{
    qc_call ideal = *call;
    ideal.profile = "ideal";
    const qc_profile_row *const own = qc_profile_find(call);
    const qc_profile_row *const other = qc_profile_find(&ideal);
    return !own || !other || strcmp(own->steps_text, other->steps_text) != 0;
}

/* Values of an answered call, under the group's profile and under ideal. */
static qc_status answer_judge(group_state *state, const qc_case *item,
                              const qc_exchange *exchange, qc_message *message)
{
    qc_status status = qc_evaluate(&state->own, &item->call, exchange->outputs);
    if (status == QC_OK && state->differs_from_ideal) {
        qc_call ideal = item->call;
        ideal.profile = "ideal";
        status = qc_evaluate(&state->ideal, &ideal, exchange->outputs);
    }
    if (status != QC_OK) {
        *message = state->own.fault.text[0] ? state->own.fault : state->ideal.fault;
    }
    return status;
}

/* What a call as a whole came to, when it is more than its values. */
static qc_verdict exchange_verdict(const qc_exchange *exchange, int is_negative)
{
    if (exchange->verdict != QC_VERDICT_PASS) {
        return (qc_verdict)exchange->verdict;
    }
    if (is_negative) {
        return exchange->status == QC_OK ? QC_VERDICT_ACCEPTED_INVALID : QC_VERDICT_PASS;
    }
    return exchange->status == QC_OK ? QC_VERDICT_PASS : QC_VERDICT_REJECTED_VALID;
}

static int is_death(qc_verdict verdict)
{
    return verdict == QC_VERDICT_CRASH || verdict == QC_VERDICT_OOB_READ ||
           verdict == QC_VERDICT_OOB_WRITE || verdict == QC_VERDICT_INPUT_WRITE ||
           verdict == QC_VERDICT_PROTOCOL;
}

static qc_status case_judge(group_state *state, const qc_case *item, int is_negative,
                            qc_message *message)
{
    qc_group_result *const result = state->own.result;
    qc_exchange exchange;
    qc_isolate_call(state->isolate, item, &exchange);
    state->own.worst.verdict = QC_VERDICT_PASS;
    qc_verdict verdict = exchange_verdict(&exchange, is_negative);
    qc_status status = QC_OK;
    if (verdict != QC_VERDICT_PASS) {
        qc_judge_count(result, verdict, 1);
        qc_judge_count(&state->ideal_result, verdict, 1);
        state->deaths += verdict == QC_VERDICT_TIMEOUT ? HANG_DEATHS : is_death(verdict);
    } else if (!is_negative) {
        status = answer_judge(state, item, &exchange, message);
        verdict = (qc_verdict)state->own.worst.verdict;
    }
    if (status == QC_OK && verdict != QC_VERDICT_PASS &&
        qc_witness_wanted(result, verdict)) {
        qc_witness_add(&state->own, state->isolate, item, verdict, &exchange);
    }
    return status;
}

static qc_status positives_run(group_state *state, uint32_t level, uint64_t seed,
                               qc_message *message)
{
    qc_group_result *const result = state->own.result;
    const int64_t cases = qc_group_cases(&result->group, level);
    qc_status status = QC_OK;
    for (int64_t i = 0; i < cases && status == QC_OK && state->deaths < MOST_DEATHS;
         i++) {
        qc_case item;
        status = qc_group_case(&result->group, seed, i, &item);
        if (status == QC_OK && i == 0) {
            state->differs_from_ideal = steps_differ_from_ideal(&item.call);
            status =
                qc_discriminate_open(&state->discrimination, &item.call, result, message);
            state->own.steps = &state->discrimination.row;
        }
        if (status == QC_OK) {
            status = case_judge(state, &item, 0, message);
        }
        if (status == QC_OK) {
            status = qc_discriminate(&state->discrimination, &item.call, result, message);
        }
        qc_case_free(&item);
        result->cases++;
    }
    return status;
}

static qc_status negatives_run(group_state *state, uint64_t seed, qc_message *message)
{
    qc_group_result *const result = state->own.result;
    const int64_t cases = qc_group_negatives(&result->group);
    qc_status status = QC_OK;
    for (int64_t i = 0; i < cases && status == QC_OK && state->deaths < MOST_DEATHS;
         i++) {
        qc_case item;
        status = qc_group_negative(&result->group, seed, i, &item);
        if (status == QC_OK) {
            status = case_judge(state, &item, 1, message);
        }
        qc_case_free(&item);
        result->negative_cases++;
    }
    return status;
}

static qc_status state_open(group_state *state, qc_isolate *isolate,
                            const qc_group *group, qc_group_result *result)
{
    memset(state, 0, sizeof *state);
    memset(result, 0, sizeof *result);
    result->group = *group;
    state->isolate = isolate;
    state->ideal_result.group = *group;
    const qc_status status = evaluation_open(&state->own, result);
    return status == QC_OK ? evaluation_open(&state->ideal, &state->ideal_result)
                           : status;
}

static void state_close(group_state *state)
{
    qc_consistency_close(state->own.consistency);
    qc_consistency_close(state->ideal.consistency);
    qc_group_result_free(&state->ideal_result);
}

/* A profile that was asked for need not speak of all that a backend offers. */
static int has_row(const qc_group *group, uint64_t seed)
{
    qc_case first;
    const int is_made = qc_group_case(group, seed, 0, &first) == QC_OK;
    const int found = !is_made || qc_profile_find(&first.call) != NULL;
    qc_case_free(&first);
    return found;
}

static void not_offered_note(const qc_group *group, qc_group_result *result_ret)
{
    memset(result_ret, 0, sizeof *result_ret);
    result_ret->group = *group;
    result_ret->claim = QC_CLAIM_NOT_OFFERED;
    snprintf(result_ret->note, sizeof result_ret->note,
             "profile %s has no row for such %s", group->profile,
             qc_op_get(group->op)->name);
}

qc_status qc_group_run(qc_isolate *isolate, const qc_group *group, uint32_t level,
                       uint64_t seed, qc_group_result *result_ret, qc_message *message)
{
    group_state state;
    if (!has_row(group, seed)) {
        not_offered_note(group, result_ret);
        return QC_OK;
    }
    qc_status status = state_open(&state, isolate, group, result_ret);
    if (status == QC_OK) {
        status = positives_run(&state, level, seed, message);
    }
    if (status == QC_OK) {
        status = negatives_run(&state, seed, message);
    }
    qc_judge_group(result_ret,
                   state.differs_from_ideal ? &state.ideal_result : result_ret);
    if (state.deaths >= MOST_DEATHS) {
        snprintf(result_ret->note, sizeof result_ret->note,
                 "stopped early: the backend's process died or hung again and again");
    }
    state_close(&state);
    return status;
}

/* 1 when linear has a parameter for each row of its weights. */
static int has_rows(const qc_call *call)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (info->args[a].shape == QC_SHAPE_N1 && call->args[a].rank == 1) {
            return 1;
        }
    }
    return 0;
}

void qc_group_of_case(const qc_case *item, qc_group *group_ret)
{
    const qc_call *const call = &item->call;
    memset(group_ret, 0, sizeof *group_ret);
    group_ret->op = call->op;
    for (uint32_t a = 0; a < QC_MAX_ARGS; a++) {
        group_ret->dtypes[a] = call->args[a].dtype;
    }
    group_ret->granularity = call->attrs.axis == QC_AXIS_NONE && !has_rows(call)
                                 ? QC_PER_TENSOR
                                 : QC_PER_CHANNEL;
    group_ret->scale_form = (uint32_t)call->attrs.scale_form;
    group_ret->choice = qc_call_choice(call);
    qc_call_grid(call, &group_ret->qmin, &group_ret->qmax);
    snprintf(group_ret->profile, sizeof group_ret->profile, "%s", call->profile);
}

qc_status qc_case_run(qc_isolate *isolate, const qc_case *item,
                      qc_group_result *result_ret, qc_message *message)
{
    qc_group group;
    group_state state;
    qc_group_of_case(item, &group);
    qc_status status = state_open(&state, isolate, &group, result_ret);
    if (status == QC_OK) {
        const qc_status valid = qc_oracle_validate(&item->call, message);
        state.differs_from_ideal = valid == QC_OK && steps_differ_from_ideal(&item->call);
        status = case_judge(&state, item, valid != QC_OK, message);
        result_ret->cases = 1;
        qc_judge_group(result_ret,
                       state.differs_from_ideal ? &state.ideal_result : result_ret);
    }
    state_close(&state);
    return status;
}
