/* SPDX-License-Identifier: Apache-2.0 */
#include "ranges.h"

#include <string.h>

static const struct {
    qc_ranges_list list;
    const char *text;
} lists[] = {
    {QC_RANGES_AFFINE, "span(exact) steps(own) cutoff(normal) anchor(min_anchor,exact) "
                       "zero_point(half_even)"},
    {QC_RANGES_SYMMETRIC,
     "reach(exact) steps(own) cutoff(normal) anchor(middle) zero_point(half_up)"},
    {QC_RANGES_DOCUMENTED, "span(f64) steps(f64) cutoff(one) anchor(min_anchor,f64) "
                           "zero_point(half_even) narrow(s,own) cutoff(one)"},
    {QC_RANGES_MIN_MAX, "extremes(skip) start(batch) join(state) out(own)"},
    {QC_RANGES_AVERAGE, "extremes(skip) start(batch) average(exact,left) out(own)"},
};

qc_ranges_list qc_ranges_match(const qc_oracle *oracle)
{
    for (size_t n = 0; n < sizeof lists / sizeof lists[0]; n++) {
        qc_steps known;
        if (qc_steps_parse(lists[n].text, &known, NULL) == QC_OK &&
            known.count == oracle->steps.count &&
            !memcmp(known.step, oracle->steps.step, known.count * sizeof(qc_step))) {
            return lists[n].list;
        }
    }
    return QC_RANGES_OTHER;
}

int32_t qc_ranges_steps(const qc_oracle *oracle, int is_symmetric)
{
    const int32_t steps = oracle->qmax - oracle->qmin;
    return is_symmetric ? steps / 2 : steps;
}

/* The elements of a channel stand in groups of `inner`, one group in every `inner * dim`. */
int qc_ranges_next(const qc_oracle *oracle, int64_t channel, int64_t *at)
{
    const qc_tensor *const x = &oracle->call->args[QC_ARG_OF(observe, x)];
    const int64_t elems = qc_tensor_elems(x);
    int64_t next = *at + 1;
    if (oracle->inner > 0) {
        const int32_t axis = oracle->call->attrs.axis;
        const int64_t dim = x->dims[axis < 0 ? axis + (int32_t)x->rank : axis];
        const int64_t place = next / oracle->inner % dim;
        if (place != channel) {
            next -= next % oracle->inner;
            next += (channel > place ? channel - place : channel - place + dim) *
                    oracle->inner;
        }
    }
    *at = next;
    return next < elems;
}

int qc_ranges_has_state(const qc_oracle *oracle)
{
    return oracle->call->args[QC_ARG_OF(observe, old_min)].dtype != QC_NONE;
}

const qc_tensor *qc_ranges_old(const qc_oracle *oracle, uint32_t arg)
{
    return &oracle->call
                ->args[arg == QC_ARG_OF(observe, min) ? QC_ARG_OF(observe, old_min)
                                                      : QC_ARG_OF(observe, old_max)];
}
