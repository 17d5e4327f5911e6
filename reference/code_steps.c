/* SPDX-License-Identifier: Apache-2.0 */
/* Steps on integers, zero points and grids (rules S3 to S7). */
#include <math.h>

#include "steps.h"

typedef struct range {
    qc_wide low;
    qc_wide high;
} range;

static range range_of(qc_token type)
{
    switch (type) {
    case QC_TOKEN_s8: return (range){INT8_MIN, INT8_MAX};
    case QC_TOKEN_s16: return (range){INT16_MIN, INT16_MAX};
    case QC_TOKEN_s32: return (range){INT32_MIN, INT32_MAX};
    default: return (range){INT64_MIN, INT64_MAX};
    }
}

static int is_integer_type(uint8_t token)
{
    return token >= QC_TOKEN_s8 && token <= QC_TOKEN_s64;
}

static qc_wide saturated(qc_wide value, range bounds)
{
    return value < bounds.low ? bounds.low : value > bounds.high ? bounds.high : value;
}

/* Modulo the size of the range, which is a power of two. */
static qc_wide wrapped(qc_wide value, range bounds)
{
    return ((value - bounds.low) & (bounds.high - bounds.low)) + bounds.low;
}

void qc_step_rint(qc_registers *r, qc_step step)
{
    if (r->v.is_exact) {
        r->v = qc_value_of_wide(qc_exact_rint(&r->v.exact, (qc_token)step.first));
    }
}

/* S5: min(v, limit), and the limit for NaN. */
void qc_step_limit(qc_registers *r, qc_step step)
{
    const double limit = step.first == QC_TOKEN_s8    ? 0x1.fffffep6
                         : step.first == QC_TOKEN_s16 ? 0x1.fffffep14
                         : step.first == QC_TOKEN_s32 ? 0x1.fffffep30
                                                      : 0x1.fffffep62;
    const int is_below =
        r->v.is_exact ? qc_exact_compare(&r->v.exact, limit) < 0 : r->v.special < limit;
    if (!is_below) {
        r->v = qc_value_of(limit);
    }
}

void qc_step_cast(qc_registers *r, qc_step step)
{
    const range bounds = range_of((qc_token)step.first);
    const qc_value v = r->v;
    const int is_x86 = step.second == QC_TOKEN_x86;
    qc_wide integer = 0;
    if (v.is_exact) {
        integer = qc_exact_rint(&v.exact, QC_TOKEN_toward_zero);
    } else if (!isnan(v.special)) {
        integer = v.special > 0 ? bounds.high + 1 : bounds.low - 1;
    }
    const int fits = integer >= bounds.low && integer <= bounds.high;
    if (is_x86 && (!fits || (!v.is_exact && isnan(v.special)))) {
        integer = bounds.low;
    }
    r->v = qc_value_of_wide(saturated(integer, bounds));
}

/* v += term by a step of class ADDING. Infinities and NaN stay what they are. */
static void add(qc_registers *r, double term, qc_step step)
{
    if (!r->v.is_exact) {
        return;
    }
    qc_exact_add(&r->v.exact, term);
    r->v.special = 0.0;
    if (!is_integer_type(step.first)) {
        r->v = qc_value_rounded(&r->v, (qc_token)step.first);
        return;
    }
    const range bounds = range_of((qc_token)step.first);
    const qc_wide sum = qc_exact_rint(&r->v.exact, QC_TOKEN_toward_zero);
    r->v = qc_value_of_wide(step.second == QC_TOKEN_saturate ? saturated(sum, bounds)
                                                             : wrapped(sum, bounds));
}

void qc_step_addzp(qc_registers *r, qc_step step)
{
    add(r, r->z, step);
}

void qc_step_subzp(qc_registers *r, qc_step step)
{
    r->s = r->scale; /* S7 */
    add(r, -r->z, step);
}

/* S6. NaN gives the lower bound. Bounds before the zero point are integers where it
   is. */
void qc_step_clamp(qc_registers *r, qc_step step)
{
    const double shift = step.first == QC_TOKEN_before_zp ? -r->z : 0.0;
    const double low = (step.first == QC_TOKEN_symmetric ? -r->qmax : r->qmin) + shift;
    const double high = r->qmax + shift;
    if (qc_value_compare(&r->v, high) > 0) {
        r->v = qc_value_of(high);
    } else if (qc_value_compare(&r->v, low) < 0 || !r->v.is_exact) {
        r->v = qc_value_of(low);
    }
}

/* S6. The code dtype is that of the argument; without one, s8 when qmin < 0, else u8. */
void qc_step_code(qc_registers *r, qc_step step)
{
    const int is_unsigned = r->code == QC_U8 || (r->code == QC_NONE && r->qmin >= 0);
    const range bounds =
        is_unsigned ? (range){0, UINT8_MAX} : (range){INT8_MIN, INT8_MAX};
    if (!r->v.is_exact) { /* no low bits: infinities saturate, NaN is lowest */
        r->v = qc_value_of_wide(r->v.special > 0 ? bounds.high : bounds.low);
        return;
    }
    const qc_wide whole = qc_exact_rint(&r->v.exact, QC_TOKEN_half_even);
    r->v = qc_value_of_wide(step.first == QC_TOKEN_saturate ? saturated(whole, bounds)
                                                            : wrapped(whole, bounds));
}
