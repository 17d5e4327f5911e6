/* SPDX-License-Identifier: Apache-2.0 */
#include "quantcert/profile.h"

#include "quantcert/backend.h"

#include <string.h>

#define ZP_int 0
#define ZP_float 1
#define GRANULARITY_any (QC_PER_TENSOR | QC_PER_CHANNEL)
#define GRANULARITY_per_tensor QC_PER_TENSOR
#define GRANULARITY_per_channel QC_PER_CHANNEL

static const qc_profile_row rows[] = {
/* clang-format off */
#define QC_PROFILE(profile, op, scale_form, choice, zp, granularity, status, steps, source)     \
    {profile, QC_OP_##op,         QC_SCALE_FORM_##scale_form, QC_##choice, ZP_##zp, GRANULARITY_##granularity, \
     QC_STATUS_##status, steps,   source},
/* clang-format on */
#include "profiles.inc"
#undef QC_PROFILE
};

const qc_profile_row *qc_profile_rows(size_t *count_ret)
{
    *count_ret = sizeof rows / sizeof rows[0];
    return rows;
}

/* 1 when the call's zero point argument is a float. */
static int has_float_zp(const qc_call *call)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; info && a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, "zero_point")) {
            return (QC_DTYPE_BIT(call->args[a].dtype) & QC_SET_FLOATS) != 0;
        }
    }
    return 0;
}

const qc_profile_row *qc_profile_find(const qc_call *call)
{
    const uint32_t form = qc_op_has_key(call->op, QC_ATTR_scale_form)
                              ? (uint32_t)call->attrs.scale_form
                              : QC_SCALE_FORM_divide;
    const uint32_t float_zp = (uint32_t)has_float_zp(call);
    const uint32_t choice = qc_call_choice(call);
    const uint32_t granularity =
        call->attrs.axis == QC_AXIS_NONE ? QC_PER_TENSOR : QC_PER_CHANNEL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == call->op && rows[i].scale_form == form &&
            rows[i].choice == choice && rows[i].float_zp == float_zp &&
            (rows[i].granularities & granularity) &&
            !strcmp(rows[i].profile, call->profile)) {
            return &rows[i];
        }
    }
    return NULL;
}

int qc_profile_exists(const char *profile)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!strcmp(rows[i].profile, profile)) {
            return 1;
        }
    }
    return 0;
}
