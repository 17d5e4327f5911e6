/* SPDX-License-Identifier: Apache-2.0 */
#include "wide.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* |value| = whole * 2^exponent. */
static uint64_t split(double value, int *exponent_ret)
{
    const double mantissa = frexp(fabs(value), exponent_ret);
    *exponent_ret -= 53;
    return (uint64_t)ldexp(mantissa, 53);
}

/* sum += sign * part * 2^bit, bit counted from the unit: five limbs of 32 bits. */
static void add_at(qc_wide_sum *sum, u128 part, int bit, int sign)
{
    const int limb = bit / 32;
    const int up = bit % 32;
    const uint64_t low = (uint64_t)part & UINT32_MAX;
    int64_t carry = (int64_t)(low << up >> 32);
    sum->limb[limb] += sign * (int64_t)(low << up & UINT32_MAX);
    for (int i = 1; i < 4; i++) {
        const uint64_t piece = (uint64_t)(part >> (32 * i)) & UINT32_MAX;
        const uint64_t shifted = (piece << up) + (uint64_t)carry;
        sum->limb[limb + i] += sign * (int64_t)(shifted & UINT32_MAX);
        carry = (int64_t)(shifted >> 32);
    }
    sum->limb[limb + 4] += sign * carry;
}

void qc_wide_add(qc_wide_sum *sum, int64_t integer, double a, double b)
{
    int a_exponent;
    int b_exponent;
    if (integer == 0 || a == 0 || b == 0) {
        return;
    }
    const uint64_t magnitude = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    const u128 product = (u128)split(a, &a_exponent) * split(b, &b_exponent);
    const int sign = ((integer < 0) ^ (a < 0) ^ (b < 0)) ? -1 : 1;
    int bit = a_exponent + b_exponent - QC_WIDE_UNIT;
    for (int half = 0; half < 4; half++) { /* 2 x 2 pieces: 64 bits by 32 */
        const uint64_t piece = (uint64_t)(product >> (64 * (half & 1)));
        const uint64_t factor = half & 2 ? magnitude >> 32 : magnitude & UINT32_MAX;
        add_at(sum, (u128)piece * factor, bit + 64 * (half & 1) + (half & 2 ? 32 : 0),
               sign);
    }
}

static void settle(qc_wide_sum *sum)
{
    int64_t carry = 0;
    for (int i = 0; i < QC_WIDE_LIMBS - 1; i++) {
        const int64_t total = sum->limb[i] + carry;
        sum->limb[i] = total & UINT32_MAX;
        carry = (total - sum->limb[i]) / ((int64_t)1 << 32);
    }
    sum->limb[QC_WIDE_LIMBS - 1] += carry;
}

int qc_wide_sign(qc_wide_sum *sum)
{
    settle(sum);
    if (sum->limb[QC_WIDE_LIMBS - 1] < 0) {
        return -1;
    }
    for (int i = 0; i < QC_WIDE_LIMBS; i++) {
        if (sum->limb[i] != 0) {
            return 1;
        }
    }
    return 0;
}

double qc_wide_to_odd(qc_wide_sum *sum)
{
    const int sign = qc_wide_sign(sum);
    int top = QC_WIDE_LIMBS - 1;
    if (sign == 0) {
        return 0;
    }
    for (int i = 0; sign < 0 && i < QC_WIDE_LIMBS; i++) {
        sum->limb[i] = -sum->limb[i];
    }
    settle(sum);
    while (sum->limb[top] == 0) {
        top--;
    }
    u128 kept = 0; /* the top three limbs, 65 to 96 bits */
    int is_cut = 0;
    for (int i = top; i > top - 3; i--) {
        kept = kept << 32 | (uint64_t)(i >= 0 ? sum->limb[i] : 0);
    }
    for (int i = top - 3; i >= 0; i--) {
        is_cut |= sum->limb[i] != 0;
    }
    int exponent = 32 * (top - 2) + QC_WIDE_UNIT;
    while (kept >> 53 != 0) {
        is_cut |= (int)(kept & 1);
        kept >>= 1;
        exponent++;
    }
    const double odd = (double)((uint64_t)kept | (uint64_t)is_cut);
    return sign * (exponent > 147    ? 0x1p200
                   : exponent < -400 ? 0x1p-400
                                     : ldexp(odd, exponent));
}
