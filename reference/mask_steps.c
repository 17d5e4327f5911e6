/* SPDX-License-Identifier: Apache-2.0 */
/* Masks (rules M1, M2, S8): by the rounded code, and by bounds of real numbers. */
#include <math.h>

#include "steps.h"

int qc_value_compare(const qc_value *value, double with)
{
    return value->is_exact ? qc_exact_compare(&value->exact, with)
                           : (value->special > with) - (value->special < with);
}

static int is_nan(const qc_value *value)
{
    return !value->is_exact && isnan(value->special);
}

/* The sign of x/s + z - code, or x*m + z - code, without a quotient. */
static int side_of_exact(const qc_registers *r, double code)
{
    qc_exact difference = qc_exact_of(r->x);
    if (r->multiplies) {
        qc_exact_multiply(&difference, r->s);
        qc_exact_add(&difference, r->z);
        qc_exact_add(&difference, -code);
    } else {
        qc_exact_add_product(&difference, r->z, r->s);
        qc_exact_add_product(&difference, -code, r->s);
    }
    return qc_exact_sign(&difference);
}

/* a - b in the type. */
static double difference(double a, double b, qc_token type)
{
    if (!isfinite(a) || !isfinite(b)) {
        return a - b;
    }
    qc_exact value = qc_exact_of(a);
    qc_exact_add(&value, -b);
    return qc_exact_round(&value, type);
}

/* (code - z) s, or (code - z) / m, each operation in the type. */
static double typed_bound(const qc_registers *r, double code, qc_token type)
{
    const double d = difference(code, r->z, type);
    if (!isfinite(d) || !isfinite(r->s) || r->s == 0.0) {
        return r->multiplies ? d / r->s : d * r->s;
    }
    qc_exact value = qc_exact_of(d);
    if (r->multiplies) {
        value.divisor = r->s;
    } else {
        qc_exact_multiply(&value, r->s);
    }
    return qc_exact_round(&value, type);
}

static int side_of_typed(const qc_registers *r, double code, qc_token type, int is_clamp)
{
    double bound = typed_bound(r, code, is_clamp ? QC_TOKEN_f64 : type);
    if (is_clamp && isfinite(bound)) {
        const qc_exact exact = qc_exact_of(bound);
        bound = qc_exact_round(&exact, type);
    }
    return r->x < bound ? -1 : r->x > bound ? 1 : isnan(bound) ? -1 : 0;
}

/* The sign of v + z - code. */
static int side_of_value(const qc_registers *r, double code)
{
    if (!r->v.is_exact) {
        return qc_value_compare(&r->v, 0.0);
    }
    qc_value sum = r->v;
    qc_exact_add(&sum.exact, r->z);
    qc_exact_add(&sum.exact, -code);
    return qc_exact_sign(&sum.exact);
}

/* Bounds in the type, distances and their product in the wider of it and x's dtype. */
static int mask_product(const qc_registers *r, qc_token type, int is_open)
{
    const qc_token wider = r->own == QC_TOKEN_f64 ? QC_TOKEN_f64 : type;
    const double below = difference(r->x, typed_bound(r, r->qmin, type), wider);
    const double above = difference(r->x, typed_bound(r, r->qmax, type), wider);
    if (!isfinite(below) || !isfinite(above)) {
        return is_open ? below * above < 0.0 : below * above <= 0.0;
    }
    qc_exact product = qc_exact_of(below);
    qc_exact_multiply(&product, above);
    const double rounded = qc_exact_round(&product, wider);
    return is_open ? rounded < 0.0 : rounded <= 0.0;
}

static int side_of(const qc_registers *r, double code, qc_step step, qc_token type)
{
    if (step.first == QC_TOKEN_value) {
        return side_of_value(r, code);
    }
    const int is_clamp =
        step.first == QC_TOKEN_clamp || step.first == QC_TOKEN_clamp_open;
    return type == QC_TOKEN_exact ? side_of_exact(r, code)
                                  : side_of_typed(r, code, type, is_clamp);
}

void qc_step_mask(qc_registers *r, qc_step step)
{
    const qc_token type = step.second == QC_TOKEN_own ? r->own
                          : step.second               ? (qc_token)step.second
                                                      : QC_TOKEN_exact;
    const int is_open =
        step.first == QC_TOKEN_grid_open || step.first == QC_TOKEN_real_open ||
        step.first == QC_TOKEN_clamp_open || step.first == QC_TOKEN_product_open;
    const int is_product =
        step.first == QC_TOKEN_product || step.first == QC_TOKEN_product_open;
    if (step.first == QC_TOKEN_grid || step.first == QC_TOKEN_grid_open) {
        r->mask = !is_nan(&r->v) && qc_value_compare(&r->v, r->qmin) >= 0 &&
                  qc_value_compare(&r->v, r->qmax) < !is_open;
    } else if (!isfinite(r->x) || is_nan(&r->v)) {
        r->mask = 0;
    } else if (is_product && type != QC_TOKEN_exact) {
        r->mask = mask_product(r, type, is_open);
    } else {
        r->mask = side_of(r, r->qmin, step, type) >= (is_product && is_open) &&
                  side_of(r, r->qmax, step, type) < !is_open;
    }
}

/* G1: what passes is the op's own to select. */
void qc_step_pass(qc_registers *r, qc_step step)
{
    r->pass_product = step.first == QC_TOKEN_product;
}
