/* SPDX-License-Identifier: Apache-2.0 */
/* Rules V30 to V35 once more, on integers and bits; contract/check_ranges.c is the other
   reading. */
#include <math.h>

#include "gmp_number.h"
#include "ranges.h"

#define REFUSE(...) qc_fail(QC_INVALID, message, __VA_ARGS__)

static qc_status same_dtype(const qc_call *call, const uint32_t *args, int count,
                            qc_message *message)
{
    for (int n = 1; n < count; n++) {
        const uint32_t dtype = call->args[args[n]].dtype;
        if (dtype != QC_NONE && dtype != call->args[args[0]].dtype) {
            return REFUSE("%s must have the dtype of %s",
                          qc_op_get(call->op)->args[args[n]].name,
                          qc_op_get(call->op)->args[args[0]].name);
        }
    }
    return QC_OK;
}

typedef struct ends {
    qc_dyadic low, high, bound, spare;
} ends;

/* V31, V32: finite, in order, and with a scale below the middle between the largest finite
   one and the next power of two. */
static const char *fault_of(ends *e, const qc_call *call, int64_t i, int32_t steps)
{
    const qc_tensor *const min = &call->args[QC_ARG_OF(choose_qparams, min)];
    const qc_tensor *const max = &call->args[QC_ARG_OF(choose_qparams, max)];
    const int is_f64 = call->args[QC_ARG_OF(choose_qparams, scale)].dtype == QC_F64;
    if (qc_dyadic_decode(&e->low, min->dtype, qc_arg_bits(min, i)) != QC_BITS_FINITE ||
        qc_dyadic_decode(&e->high, max->dtype, qc_arg_bits(max, i)) != QC_BITS_FINITE) {
        return "is not finite";
    }
    if (qc_dyadic_compare(&e->low, &e->high, &e->spare) > 0) {
        return "has its min above its max";
    }
    if (mpz_sgn(e->low.whole) > 0) {
        qc_dyadic_set(&e->low, 0);
    }
    if (mpz_sgn(e->high.whole) < 0) {
        qc_dyadic_set(&e->high, 0);
    }
    if (call->attrs.scheme == QC_SCHEME_affine) {
        qc_dyadic_sub(&e->high, &e->low, &e->spare);
    } else {
        mpz_neg(e->low.whole, e->low.whole);
        if (qc_dyadic_compare(&e->low, &e->high, &e->spare) > 0) {
            mpz_swap(e->low.whole, e->high.whole);
            e->high.exponent = e->low.exponent;
        }
    }
    qc_dyadic_set(&e->bound, steps * ((INT64_C(1) << (is_f64 ? 54 : 25)) - 1));
    e->bound.exponent = is_f64 ? 970 : 103;
    return qc_dyadic_compare(&e->high, &e->bound, &e->spare) < 0
               ? NULL
               : "has an infinite scale";
}

static qc_status validate_qparams(const qc_call *call, qc_message *message)
{
    static const uint32_t ends_of[] = {QC_ARG_OF(choose_qparams, min),
                                       QC_ARG_OF(choose_qparams, max)};
    const int is_symmetric = call->attrs.scheme != QC_SCHEME_affine;
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(call, &qmin, &qmax);
    qc_status status = same_dtype(call, ends_of, 2, message);
    if (status == QC_OK && is_symmetric && qmax - qmin < 2) {
        status = REFUSE("a symmetric scheme needs three codes");
    }
    const int32_t steps = is_symmetric ? (qmax - qmin) / 2 : qmax - qmin;
    ends e;
    qc_dyadic_init(&e.low);
    qc_dyadic_init(&e.high);
    qc_dyadic_init(&e.bound);
    qc_dyadic_init(&e.spare);
    const int64_t elems = qc_tensor_elems(&call->args[0]);
    for (int64_t i = 0; i < elems && status == QC_OK; i++) {
        const char *const fault = fault_of(&e, call, i, steps);
        status = fault ? REFUSE("range %lld %s", (long long)i, fault) : QC_OK;
    }
    qc_dyadic_clear(&e.low);
    qc_dyadic_clear(&e.high);
    qc_dyadic_clear(&e.bound);
    qc_dyadic_clear(&e.spare);
    return status;
}

static int is_nan_bits(uint32_t dtype, uint64_t bits)
{
    switch (dtype) {
    case QC_F64: return bits << 1 > UINT64_C(0x7ff) << 53;
    case QC_F32: return (uint32_t)(bits << 1) > UINT32_C(0xff000000);
    case QC_F16: return (bits & 0x7fff) > 0x7c00;
    default: return (bits & 0x7fff) > 0x7f80;
    }
}

/* V34 */
static qc_status validate_state(const qc_call *call, qc_message *message)
{
    const qc_tensor *const low = &call->args[QC_ARG_OF(observe, old_min)];
    const qc_tensor *const high = &call->args[QC_ARG_OF(observe, old_max)];
    for (int64_t i = 0; i < qc_tensor_elems(low); i++) {
        const uint64_t bits[2] = {qc_arg_bits(low, i), qc_arg_bits(high, i)};
        const unsigned sign_at = 8u * (unsigned)qc_dtype_bytes(low->dtype) - 1;
        int64_t place[2];
        for (int n = 0; n < 2; n++) {
            const int64_t size = (int64_t)(bits[n] & ((UINT64_C(1) << sign_at) - 1));
            place[n] = bits[n] >> sign_at & 1 ? -size : size;
        }
        if (is_nan_bits(low->dtype, bits[0]) || is_nan_bits(low->dtype, bits[1]) ||
            place[0] > place[1]) {
            return REFUSE("state %lld is no range", (long long)i);
        }
    }
    return QC_OK;
}

/* V35 */
static qc_status validate_first(const qc_call *call, qc_message *message)
{
    const qc_tensor *const x = &call->args[QC_ARG_OF(observe, x)];
    const qc_tensor *const min = &call->args[QC_ARG_OF(observe, min)];
    const int64_t channels = qc_tensor_elems(min);
    for (int64_t c = 0; c < channels; c++) {
        int64_t i = 0;
        const int64_t elems = qc_tensor_elems(x);
        while (i < elems && (qc_call_channel(call, i) != c ||
                             is_nan_bits(x->dtype, qc_arg_bits(x, i)))) {
            i++;
        }
        if (i == elems) {
            return REFUSE("channel %lld: no value, and no state", (long long)c);
        }
    }
    return QC_OK;
}

static qc_status validate_observe(const qc_call *call, qc_message *message)
{
    static const uint32_t all[] = {QC_ARG_OF(observe, x), QC_ARG_OF(observe, old_min),
                                   QC_ARG_OF(observe, old_max), QC_ARG_OF(observe, min),
                                   QC_ARG_OF(observe, max)};
    const int has_min = call->args[QC_ARG_OF(observe, old_min)].dtype != QC_NONE;
    const int has_max = call->args[QC_ARG_OF(observe, old_max)].dtype != QC_NONE;
    const double c = call->attrs.averaging;
    qc_status status = same_dtype(call, all, 5, message);
    if (status == QC_OK && has_min != has_max) {
        status = REFUSE("one half of a state");
    }
    if (status == QC_OK && call->attrs.observer == QC_OBSERVER_moving_average &&
        !(c > 0 && c <= 1)) {
        status = REFUSE("averaging %g is no weight", c);
    }
    if (status != QC_OK) {
        return status;
    }
    return has_min ? validate_state(call, message) : validate_first(call, message);
}

qc_status qc_ranges_validate(const qc_call *call, qc_message *message)
{
    switch (call->op) {
    case QC_OP_choose_qparams: return validate_qparams(call, message);
    case QC_OP_observe: return validate_observe(call, message);
    default: return QC_OK;
    }
}
