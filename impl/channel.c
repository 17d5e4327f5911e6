/* SPDX-License-Identifier: Apache-2.0 */
#include "channel.h"

/* May_tie, by rule. x/s with s f32: a false tie cannot happen (L2). x*s of two factors
   of at most 24 bits is exact in f64. Otherwise the f64 result may land on a tie. */
static int8_t may_tie(const qc_call *call)
{
    const int narrow_s = call->args[1].dtype == QC_F32;
    const int narrow_x = call->args[0].dtype != QC_F64;
    return call->attrs.scale_form == QC_SCALE_FORM_multiply ? !(narrow_x && narrow_s)
                                                            : !narrow_s;
}

qc_channel qc_channel_load(const qc_call *call, int64_t channel)
{
    const qc_tensor *const scale = &call->args[1];
    const qc_tensor *const zp = &call->args[2];
    const int64_t scale_at =
        scale->offset + (scale->rank ? channel * scale->strides[0] : 0);
    const int64_t zp_at = zp->offset + (zp->rank ? channel * zp->strides[0] : 0);
    qc_channel c = {.scale = qc_real_load(scale->dtype, scale->data, scale_at),
                    .multiplies = call->attrs.scale_form == QC_SCALE_FORM_multiply,
                    .is_float_zp = zp->dtype == QC_F32,
                    .is_f32_scale = scale->dtype == QC_F32,
                    .may_tie = may_tie(call)};
    if (c.is_float_zp) {
        c.float_zp = qc_real_load(QC_F32, zp->data, zp_at);
    } else if (zp->dtype == QC_S64) {
        int64_t whole;
        memcpy(&whole, (char *)zp->data + 8 * zp_at, sizeof whole);
        c.int_zp = (int32_t)whole; /* inside the grid, V7 */
    } else {
        memcpy(&c.int_zp, (char *)zp->data + 4 * zp_at, sizeof c.int_zp);
    }
    qc_call_grid(call, &c.low, &c.high);
    c.low -= c.int_zp;
    c.high -= c.int_zp;
    c.nan_code = (int32_t)fmin(fmax(nearbyint(c.float_zp), c.low), c.high);
    return c;
}
