/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of requantize that break rule U4. */
#include "negatives.h"

#include <math.h>

static int is_fixed(const qc_group *group)
{
    return group->op == QC_OP_requantize && group->choice == QC_PARAMS_fixed;
}

static int is_real(const qc_group *group)
{
    return group->op == QC_OP_requantize && group->choice == QC_PARAMS_real;
}

static qc_tensor *multiplier_of(qc_case *item)
{
    return &item->call.args[QC_ARG_OF(requantize, multiplier)];
}

/* The last multiplier, by its bits. */
static int put(qc_case *item, uint64_t bits)
{
    qc_tensor *const tensor = multiplier_of(item);
    qc_bits_store(tensor, qc_tensor_elems(tensor) - 1, bits);
    return 1;
}

static int put_real(const qc_group *group, qc_case *item, double value)
{
    return is_real(group)
               ? put(item, qc_bits_of_double(multiplier_of(item)->dtype, value))
               : 0;
}

int qc_break_multiplier_zero(const qc_group *group, qc_case *item)
{
    return put_real(group, item, 0);
}

int qc_break_multiplier_negative(const qc_group *group, qc_case *item)
{
    return is_fixed(group) ? put(item, UINT32_MAX) : put_real(group, item, -0.5);
}

int qc_break_multiplier_nan(const qc_group *group, qc_case *item)
{
    return put_real(group, item, NAN);
}

int qc_break_multiplier_infinite(const qc_group *group, qc_case *item)
{
    return put_real(group, item, INFINITY);
}

int qc_break_multiplier_count(const qc_group *group, qc_case *item)
{
    return group->op == QC_OP_requantize ? qc_break_count(item, "multiplier") : 0;
}

/* Ones of the dtype that the other word of params takes. */
int qc_break_multiplier_dtype(const qc_group *group, qc_case *item)
{
    if (group->op != QC_OP_requantize) {
        return 0;
    }
    qc_tensor other = *multiplier_of(item);
    other.dtype = is_fixed(group) ? QC_F32 : QC_S32;
    if (qc_case_allocate(item, QC_ARG_OF(requantize, multiplier), &other) != QC_OK) {
        return -1;
    }
    for (int64_t i = 0; i < qc_tensor_elems(&other); i++) {
        qc_bits_store(multiplier_of(item), i,
                      is_fixed(group) ? qc_bits_of_double(QC_F32, 1) : 1);
    }
    return 1;
}

int qc_break_shift_missing(const qc_group *group, qc_case *item)
{
    item->call.args[QC_ARG_OF(requantize, shift)] =
        is_fixed(group) ? (qc_tensor){.dtype = QC_NONE}
                        : item->call.args[QC_ARG_OF(requantize, shift)];
    return is_fixed(group);
}

int qc_break_shift_unasked(const qc_group *group, qc_case *item)
{
    if (!is_real(group)) {
        return 0;
    }
    qc_tensor shift = *multiplier_of(item); /* zeros, shaped as the multiplier */
    shift.dtype = QC_S8;
    qc_tensor_contiguous(&shift);
    return qc_case_allocate(item, QC_ARG_OF(requantize, shift), &shift) == QC_OK ? 1 : -1;
}

int qc_break_shift_count(const qc_group *group, qc_case *item)
{
    return is_fixed(group) ? qc_break_count(item, "shift") : 0;
}

/* A word of the family that the op does not take. */
int qc_break_params(const qc_group *group, qc_case *item)
{
    item->call.attrs.params =
        group->op == QC_OP_requantize ? QC_PARAMS_scales : item->call.attrs.params;
    return group->op == QC_OP_requantize;
}
