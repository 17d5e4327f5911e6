/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/discriminate.h"

#include "harness/expectation.h"
#include "harness/guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many elements a case is bulk: the edges that tell rivals apart come before. */
enum { MOST_ELEMS = 8192 };

qc_status qc_discriminate_open(qc_discrimination *discrimination, const qc_call *call,
                               qc_group_result *result, qc_message *message)
{
    qc_steps *const steps = &discrimination->row;
    const qc_profile_row *const row = qc_profile_find(call);
    if (!row) {
        return qc_fail(QC_UNSUPPORTED, message, "profile %s has no row for %s",
                       call->profile, qc_op_get(call->op)->name);
    }
    const qc_status status = qc_steps_parse(row->steps_text, steps, message);
    if (status != QC_OK) {
        return status;
    }
    discrimination->count = (uint32_t)qc_rivals_of(call, steps, discrimination->rivals);
    result->rival_count = discrimination->count;
    for (uint32_t r = 0; r < discrimination->count; r++) {
        qc_rival_count *const counted = &result->rivals[r];
        *counted = (qc_rival_count){0};
        snprintf(counted->name, sizeof counted->name, "%s",
                 discrimination->rivals[r].name);
        snprintf(counted->fault, sizeof counted->fault, "%s",
                 discrimination->rivals[r].fault);
    }
    return QC_OK;
}

/* What is at hand while the elements of a call go by. */
typedef struct view {
    const qc_call *call;
    const qc_discrimination *discrimination;
    qc_group_result *result;
    qc_guess guess;
    const qc_expected *want[QC_MAX_ARGS]; /* what the row gives, per output */
    qc_oracle *oracle[QC_MAX_RIVALS];     /* opened at the first element worth a look */
    uint32_t mask_args;                   /* set of outputs that are masks */
    int guesses;                          /* whether qc_guess_bits may be asked */
    int64_t reduced; /* elements of the body behind one of an output; 1: its own */
    uint8_t masks[QC_MAX_RIVALS]; /* the rival's choice is the mask's, not the value's */
} view;

/* MPFR's word on one output of one element. */
static qc_status is_told_apart(view *v, uint32_t r, uint32_t arg, int64_t i,
                               int *told_ret, qc_message *message)
{
    qc_expected other;
    qc_status status = QC_OK;
    if (!v->oracle[r]) {
        status = qc_oracle_open(v->call, &v->discrimination->rivals[r].steps,
                                QC_ORACLE_MPFR, &v->oracle[r], message);
    }
    if (status == QC_OK) {
        qc_oracle_expect(v->oracle[r], arg, i, 1, &other);
        *told_ret = other.kind == QC_EXPECT_VALUE && other.bits != v->want[arg][i].bits;
    }
    return status;
}

static const qc_step *mask_step(const qc_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->step[i].kind == QC_STEP_mask) {
            return &steps->step[i];
        }
    }
    return NULL;
}

static void masks_note(view *v)
{
    const qc_step *const own = mask_step(&v->discrimination->row);
    const qc_op_info *const info = qc_op_get(v->call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        v->mask_args |= (uint32_t)!strcmp(info->args[a].name, "mask") << a;
    }
    if (qc_op_has_key(v->call->op, QC_ATTR_mask_form)) {
        v->mask_args = 0; /* nothing but a mask: every rival is looked for in it */
        return;
    }
    for (uint32_t r = 0; r < v->discrimination->count && own; r++) {
        const qc_step *const other = mask_step(&v->discrimination->rivals[r].steps);
        v->masks[r] = other && memcmp(own, other, sizeof *own) != 0;
    }
}

/* Whether any output of the element at hand tells the rival from the row. */
static qc_status rival_look(view *v, uint32_t r, int64_t i, int *told_ret,
                            qc_message *message)
{
    const qc_rival *const rival = &v->discrimination->rivals[r];
    qc_status status = QC_OK;
    for (uint32_t a = 0; a < QC_MAX_ARGS && status == QC_OK && !*told_ret; a++) {
        if (v->want[a] && (v->mask_args >> a & 1) == v->masks[r] &&
            v->want[a][i].kind == QC_EXPECT_VALUE &&
            (!v->guesses ||
             qc_guess_bits(&v->guess, &rival->steps, a) != v->want[a][i].bits)) {
            status = is_told_apart(v, r, a, i, told_ret, message);
        }
    }
    return status;
}

/* Counts one element that tells a rival. An output that many elements of the body were
   reduced to covers their vector body, their tail, or both. */
static void told_note(const view *v, qc_rival_count *counted, int is_body)
{
    if (v->call->op != QC_OP_observe) {
        *(is_body ? &counted->body : &counted->tail) += 1;
        return;
    }
    counted->body += v->reduced >= QC_TAIL_ELEMS;
    counted->tail += v->reduced % QC_TAIL_ELEMS != 0;
}

static int is_wanted(const view *v, const qc_rival_count *counted, int is_body)
{
    if (v->call->op == QC_OP_observe) {
        return counted->body < QC_NEEDED_HITS || counted->tail < QC_NEEDED_HITS;
    }
    return (is_body ? counted->body : counted->tail) < QC_NEEDED_HITS;
}

static qc_status elements_look(view *v, int64_t elems, qc_message *message)
{
    const int64_t body = elems - elems % QC_TAIL_ELEMS;
    qc_status status = QC_OK;
    for (int64_t i = 0; i < elems && status == QC_OK; i++) {
        if (v->guesses && !qc_guess_load(&v->guess, i)) {
            continue;
        }
        for (uint32_t r = 0; r < v->discrimination->count && status == QC_OK; r++) {
            qc_rival_count *const counted = &v->result->rivals[r];
            int told = 0;
            if (is_wanted(v, counted, i < body)) {
                status = rival_look(v, r, i, &told, message);
            }
            if (told) {
                told_note(v, counted, i < body);
            }
        }
    }
    return status;
}

static int all_satisfied(const qc_group_result *result)
{
    uint32_t r = 0;
    while (r < result->rival_count && result->rivals[r].body >= QC_NEEDED_HITS &&
           result->rivals[r].tail >= QC_NEEDED_HITS) {
        r++;
    }
    return r == result->rival_count;
}

/* The row's own values of every output. */
static qc_status outputs_fill(view *v, qc_expected *room, int64_t elems,
                              qc_message *message)
{
    const qc_op_info *const info = qc_op_get(v->call->op);
    qc_expectation expectation;
    qc_status status =
        qc_expectation_open(&expectation, v->call, &v->discrimination->row, message);
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (info->args[a].is_output && v->call->args[a].dtype != QC_NONE) {
            status = qc_expectation_fill(&expectation, a, 0, elems, room, message);
            v->want[a] = room;
            room += elems;
        }
    }
    qc_expectation_close(&expectation);
    return status;
}

/* Elements of the first output, which all outputs of an op have as many of. */
static int64_t output_elems(const qc_call *call)
{
    const qc_op_info *const info = qc_op_get(call->op);
    uint32_t arg = 0;
    while (!info->args[arg].is_output) {
        arg++;
    }
    return qc_tensor_elems(&call->args[arg]);
}

qc_status qc_discriminate(const qc_discrimination *discrimination, const qc_call *call,
                          qc_group_result *result, qc_message *message)
{
    const int64_t body = qc_call_elems(call);
    const int64_t elems = output_elems(call);
    if (body > MOST_ELEMS || all_satisfied(result)) {
        return QC_OK;
    }
    view v = {.call = call,
              .discrimination = discrimination,
              .result = result,
              .guesses = qc_guess_knows(call),
              .reduced = call->op == QC_OP_observe && elems ? body / elems : 1};
    qc_expected *const room =
        malloc((size_t)(elems ? elems : 1) * QC_MAX_ARGS * sizeof *room);
    qc_status status = room ? outputs_fill(&v, room, elems, message) : QC_NO_MEMORY;
    if (v.guesses) {
        qc_guess_open(&v.guess, call);
    }
    masks_note(&v);
    if (status == QC_OK) {
        status = elements_look(&v, elems, message);
    }
    for (uint32_t r = 0; r < discrimination->count; r++) {
        qc_oracle_close(v.oracle[r]);
    }
    free(room);
    return status;
}
