/* SPDX-License-Identifier: Apache-2.0 */
/* One case: placed, sent, waited for, inspected. */
#include <string.h>

#include "harness/isolate/shared.h"

#define TRIM_BYTES ((size_t)1 << 20)

/* 1 when the child answered and what it left has been inspected. */
static int exchange_once(qc_isolate *isolate, const qc_placed *placed, int with_front,
                         qc_exchange *exchange)
{
    qc_fill(isolate, placed, with_front);
    const qc_wait wait = qc_process_ask(&isolate->process, isolate->options.timeout_ms);
    if (wait != QC_WAIT_ANSWERED) {
        qc_post_mortem(isolate, wait, &placed->item->call, exchange);
        memset(exchange->outputs, 0, sizeof exchange->outputs);
        return 0;
    }
    qc_inspect(isolate, placed, exchange);
    return 1;
}

static void swap_kept(qc_isolate *isolate)
{
    for (uint32_t arg = 0; arg < QC_MAX_ARGS; arg++) {
        const qc_buffer kept = isolate->kept[arg];
        isolate->kept[arg] = isolate->outputs[arg];
        isolate->outputs[arg] = kept;
    }
}

/* 1 when the outputs are those that were kept. */
static int equals_kept(const qc_isolate *isolate, const qc_placed *placed,
                       const qc_exchange *exchange)
{
    for (uint32_t arg = 0; arg < placed->op->arg_count; arg++) {
        const qc_tensor *tensor = &placed->item->call.args[arg];
        const size_t bytes = qc_elems_bytes(tensor, &placed->extents[QC_FRAME_END][arg]);
        if (exchange->outputs[arg] &&
            memcmp(isolate->kept[arg].bytes, exchange->outputs[arg], bytes)) {
            return 0;
        }
    }
    return 1;
}

/* Before "position-dependent" is said: do tensors at the end still get the first answer? */
static void exclude_nondeterminism(qc_isolate *isolate, const qc_placed *placed,
                                   qc_exchange *exchange)
{
    qc_exchange second = {.where = -1};
    swap_kept(isolate);
    const int answered = exchange_once(isolate, placed, 0, &second);
    if (answered &&
        (second.status != exchange->status || !equals_kept(isolate, placed, &second))) {
        qc_raise(&second, QC_VERDICT_NONDETERMINISTIC, exchange->arg, exchange->where,
                 "one call, placed alike, has two answers");
    }
    if (second.verdict > exchange->verdict) {
        *exchange = second;
    } else {
        swap_kept(isolate); /* the first answer's outputs stay valid */
    }
}

static void trim(const qc_isolate *isolate, const qc_placed *placed)
{
    for (uint32_t arg = 0; arg < placed->op->arg_count; arg++) {
        if (placed->extents[QC_FRAME_END][arg].bytes > TRIM_BYTES) {
            qc_region_trim(&isolate->region, arg);
        }
    }
}

void qc_isolate_call(qc_isolate *isolate, const qc_case *item, qc_exchange *exchange_ret)
{
    qc_message message = {{0}};
    qc_placed placed;
    *exchange_ret = (qc_exchange){.where = -1};
    if (!isolate->process.pid && qc_isolate_start(isolate, &message) != QC_OK) {
        qc_raise(exchange_ret, QC_VERDICT_CRASH, 0, -1, "cannot start again: %.200s",
                 message.text);
        return;
    }
    if (qc_place_case(isolate, item, &placed, &message) != QC_OK) {
        qc_raise(exchange_ret, QC_VERDICT_RESOURCE, 0, -1, "%s", message.text);
        return;
    }
    if (exchange_once(isolate, &placed, 1, exchange_ret) &&
        exchange_ret->verdict == QC_VERDICT_POSITION_DEPENDENT) {
        exclude_nondeterminism(isolate, &placed, exchange_ret);
    }
    if (exchange_ret->verdict == QC_VERDICT_PASS) {
        exchange_ret->message = isolate->region.shared->answers[QC_FRAME_END].message;
        qc_message_clean(&exchange_ret->message);
    }
    trim(isolate, &placed);
}
