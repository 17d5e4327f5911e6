/* SPDX-License-Identifier: Apache-2.0 */
/* Steps on real values (rules S2, S3, S7). A typed step forms its result exactly and
   rounds it once. Where an operand is an infinity, NaN or a zero divisor there is
   nothing to round: the hardware's own operation gives the infinity, zero or NaN of
   IEEE 754. */
#include <math.h>

#include "steps.h"

static qc_token type_of(const qc_registers *r, uint8_t token)
{
    return token == QC_TOKEN_own ? r->own : (qc_token)token;
}

/* numerator / denominator in the type. */
static qc_value quotient(double numerator, double denominator, qc_token type)
{
    if (!isfinite(numerator) || !isfinite(denominator) || denominator == 0.0) {
        return qc_value_of(numerator / denominator);
    }
    qc_value value = qc_value_of(denominator < 0.0 ? -numerator : numerator);
    value.exact.divisor = fabs(denominator);
    return qc_value_rounded(&value, type);
}

void qc_step_narrow(qc_registers *r, qc_step step)
{
    qc_value value = step.first == QC_TOKEN_v   ? r->v
                     : step.first == QC_TOKEN_x ? qc_element_value(r)
                     : step.first == QC_TOKEN_s ? qc_value_of(r->s)
                                                : qc_value_of(r->z);
    value = qc_value_rounded(&value, type_of(r, step.second));
    switch (step.first) {
    case QC_TOKEN_x:
        r->x = value.special;
        r->is_acc = 0;
        r->v = value;
        break;
    case QC_TOKEN_s: r->s = value.special; break;
    case QC_TOKEN_z: r->z = value.special; break;
    default: r->v = value;
    }
}

void qc_step_recip(qc_registers *r, qc_step step)
{
    r->s = quotient(1.0, r->s, type_of(r, step.first)).special;
}

void qc_step_div(qc_registers *r, qc_step step)
{
    r->v = quotient(r->x, r->s, type_of(r, step.first));
}

static void multiply(qc_value *value, double factor)
{
    if (!value->is_exact || !isfinite(factor)) {
        const double v = value->is_exact ? qc_exact_sign(&value->exact) : value->special;
        *value = qc_value_of(v * factor);
    } else {
        qc_exact_multiply(&value->exact, factor);
        value->special *= factor;
    }
}

void qc_step_mul(qc_registers *r, qc_step step)
{
    multiply(&r->v, r->s);
    r->v = qc_value_rounded(&r->v, type_of(r, step.first));
}

static void add(qc_value *value, double term)
{
    if (!value->is_exact || !isfinite(term)) {
        *value = qc_value_of((value->is_exact ? 0.0 : value->special) + term);
    } else {
        qc_exact_add(&value->exact, term);
        value->special = 0.0;
    }
}

void qc_step_fma(qc_registers *r, qc_step step)
{
    multiply(&r->v, r->s);
    add(&r->v, r->z);
    r->v = qc_value_rounded(&r->v, type_of(r, step.first));
}

void qc_step_fma_premul(qc_registers *r, qc_step step)
{
    const qc_token type = type_of(r, step.first);
    qc_value product = qc_value_of(-r->z);
    r->s = r->scale; /* S7 */
    multiply(&product, r->s);
    product = qc_value_rounded(&product, type);
    multiply(&r->v, r->s);
    add(&r->v, product.special);
    r->v = qc_value_rounded(&r->v, type);
}

void qc_step_add_half_floor(qc_registers *r, qc_step step)
{
    add(&r->v, 0.5);
    r->v = qc_value_rounded(&r->v, type_of(r, step.first));
    if (r->v.is_exact) { /* floor(w) is w rounded down: the integer of w - 1/2, ties up */
        qc_exact_add(&r->v.exact, -0.5);
        r->v = qc_value_of_wide(qc_exact_rint(&r->v.exact, QC_TOKEN_half_up));
    }
}

/* D1, D2. Through a narrower or wider T first, where the list says so. */
void qc_step_out(qc_registers *r, qc_step step)
{
    r->v = qc_value_rounded(&r->v, type_of(r, step.first));
    r->v = qc_value_rounded(&r->v, r->own);
}
