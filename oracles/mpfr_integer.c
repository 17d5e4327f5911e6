/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that round to integers, and integers of a width: rules S3 to S7 of semantics.md.
   The vocabulary has no unsigned types but the code's; widths are in bits. */
#include "mpfr_machine.h"

static int goes_up_at_tie(const mpfr_t floor_of_v, int is_negative, uint32_t rule)
{
    switch (rule) {
    case QC_TOKEN_half_even:
        return !mpfr_zero_p(floor_of_v) && mpfr_get_exp(floor_of_v) > 0 &&
               mpfr_min_prec(floor_of_v) == mpfr_get_exp(floor_of_v);
    case QC_TOKEN_half_away: return !is_negative;
    case QC_TOKEN_half_up: return 1;
    default: /* half_down, floor */ return 0;
    }
}

/* k := floor(num / den), exactly: enough bits for the integer part and rounding down
   cannot pass it. The division only proposes; 0 <= remainder < den proves. */
static void floor_of_ratio(qc_machine *machine, mpfr_t k, mpfr_t remainder)
{
    mpfr_t *const product = &machine->scratch[2];
    const mpfr_exp_t bits = mpfr_get_exp(machine->num) - mpfr_get_exp(machine->den) + 3;
    mpfr_set_prec(k, bits > 64 ? bits : 64);
    mpfr_div(k, machine->num, machine->den, MPFR_RNDD);
    mpfr_floor(k, k);
    qc_mp_mul(*product, k, machine->den);
    mpfr_neg(*product, *product, MPFR_RNDN);
    qc_mp_add(remainder, machine->num, *product);
    if (mpfr_sgn(remainder) < 0 || mpfr_cmp(remainder, machine->den) >= 0) {
        qc_oracle_fault("MPFR: a floor that its remainder does not confirm");
    }
}

/* Compares 2 * num with (2k + 1) * den by way of the remainder: 2 * remainder with den.
 */
void qc_machine_round(qc_machine *machine, uint32_t rule)
{
    mpfr_t *const t = machine->scratch;
    if (!mpfr_regular_p(machine->num) ||
        (machine->den_is_one && mpfr_integer_p(machine->num))) {
        return;
    }
    const int is_negative = mpfr_sgn(machine->num) < 0;
    floor_of_ratio(machine, t[0], t[1]);
    const int is_whole = mpfr_zero_p(t[1]);
    mpfr_mul_2ui(t[1], t[1], 1, MPFR_RNDN);
    const int side = mpfr_cmp(t[1], machine->den);
    int up = side > 0 || (side == 0 && goes_up_at_tie(t[0], is_negative, rule));
    if (rule == QC_TOKEN_toward_zero) {
        up = is_negative && !is_whole;
    } else if (rule == QC_TOKEN_nothing) {
        up = 0;
    }
    if (up && mpfr_add_ui(t[0], t[0], 1, MPFR_RNDN) != 0) {
        qc_oracle_fault("MPFR: an integer without room for its neighbour");
    }
    mpfr_swap(machine->num, t[0]);
    qc_machine_den_one(machine);
    if (mpfr_zero_p(machine->num)) {
        mpfr_setsign(machine->num, machine->num, is_negative, MPFR_RNDN);
    }
}

void qc_mpfr_step_rint(qc_machine *machine, const qc_step *step)
{
    qc_machine_round(machine, step->first);
}

/* v + 1/2 is (2 num + den) / (2 den). */
void qc_mpfr_step_add_half_floor(qc_machine *machine, const qc_step *step)
{
    mpfr_t *const t = machine->scratch;
    if (!qc_machine_is_special(machine)) {
        qc_mp_copy(t[1], machine->num);
        mpfr_mul_2ui(t[1], t[1], 1, MPFR_RNDN);
        qc_mp_add(t[0], t[1], machine->den);
        mpfr_swap(machine->num, t[0]);
        mpfr_mul_2ui(machine->den, machine->den, 1, MPFR_RNDN);
        machine->den_is_one = 0;
    }
    qc_machine_settle(machine, qc_machine_type(machine, step->first));
    qc_machine_round(machine, QC_TOKEN_nothing);
}

/* Width of an INTEGER or ADDING word; 0: none, the step is exact. */
static unsigned width_of(uint32_t token)
{
    switch (token) {
    case QC_TOKEN_s8: return 8;
    case QC_TOKEN_s16: return 16;
    case QC_TOKEN_s32: return 32;
    case QC_TOKEN_s64: return 64;
    default: return 0;
    }
}

static int64_t lowest_of(unsigned width)
{
    return -(INT64_C(1) << (width - 2)) * 2;
}

/* The low bits as a signed number of that width. */
static int64_t wrapped(uint64_t low_bits, unsigned width)
{
    return (int64_t)(low_bits << (64 - width)) >> (64 - width);
}

uint64_t qc_machine_low_bits(qc_machine *machine)
{
    qc_machine_round(machine, QC_TOKEN_toward_zero);
    if (mpfr_fits_slong_p(machine->num, MPFR_RNDZ)) {
        return (uint64_t)mpfr_get_si(machine->num, MPFR_RNDZ);
    }
    mpfr_get_z(machine->whole, machine->num, MPFR_RNDZ);
    mpz_fdiv_r_2exp(machine->whole, machine->whole, 64);
    return mpz_get_ui(machine->whole);
}

/* v := min(v, the largest f32 below 2^(width - 1)); for NaN that number, as MINPS does.
 */
void qc_mpfr_step_limit(qc_machine *machine, const qc_step *step)
{
    const unsigned width = width_of(step->first);
    if (width == 0) {
        return;
    }
    mpfr_t *const t = machine->scratch;
    mpfr_set_prec(t[2], 24);
    mpfr_set_ui_2exp(t[2], 1, (mpfr_exp_t)width - 1, MPFR_RNDN);
    mpfr_nextbelow(t[2]);
    qc_mp_mul(t[1], t[2], machine->den);
    if (mpfr_nan_p(machine->num) || mpfr_cmp(machine->num, t[1]) > 0) {
        qc_mp_copy(machine->num, t[2]);
        qc_machine_den_one(machine);
    }
}

/* What a cast gives for a v that its type does not hold. x86 converts to s8 and s16 by
   way of s32, whose lowest integer has zeros for its low bits. */
static void cast_outside(qc_machine *machine, unsigned width, uint32_t rule)
{
    const int64_t lowest = lowest_of(width);
    if (rule == QC_TOKEN_undefined || width == 0) {
        machine->undefined = 1;
    } else if (rule == QC_TOKEN_x86) {
        qc_machine_set_int(machine, width < 32 ? 0 : lowest);
    } else if (mpfr_nan_p(machine->num)) {
        qc_machine_set_int(machine, 0);
    } else {
        qc_machine_set_int(machine, mpfr_sgn(machine->num) < 0 ? lowest : -(lowest + 1));
    }
}

/* 1 when v is no integer of the width; v must be an integer, infinite or NaN. */
static int is_outside(qc_machine *machine, unsigned width)
{
    if (qc_machine_is_special(machine)) {
        return 1;
    }
    const int64_t lowest = lowest_of(width);
    return qc_machine_compare(machine, lowest) < 0 ||
           qc_machine_compare(machine, -(lowest + 1)) > 0;
}

void qc_mpfr_step_cast(qc_machine *machine, const qc_step *step)
{
    const unsigned width = width_of(step->first);
    qc_machine_round(machine, QC_TOKEN_toward_zero);
    if (width == 0) {
        if (qc_machine_is_special(machine)) {
            machine->undefined = 1;
        }
        return;
    }
    if (width < 32 && step->second == QC_TOKEN_x86 && !is_outside(machine, 32)) {
        qc_machine_set_int(machine, wrapped(qc_machine_low_bits(machine), width));
    } else if (is_outside(machine, width)) {
        cast_outside(machine, width, step->second);
    } else if (mpfr_zero_p(machine->num)) {
        qc_machine_set_int(machine, 0); /* an integer zero has no sign */
    }
}

static int64_t z_integer(qc_machine *machine)
{
    if (!machine->oracle->float_zp) {
        return machine->z_code;
    }
    /* A float zero point enters integer sums as C converts it, saturated: cut off. */
    const intmax_t cut = mpfr_fits_intmax_p(machine->z, MPFR_RNDZ)
                             ? mpfr_get_sj(machine->z, MPFR_RNDZ)
                             : (mpfr_sgn(machine->z) < 0 ? INT32_MIN : INT32_MAX);
    return cut < INT32_MIN ? INT32_MIN : cut > INT32_MAX ? INT32_MAX : cut;
}

/* v := v + sign * z as integers of the width. An infinity or NaN has no integer. */
static void add_integers(qc_machine *machine, int sign, unsigned width, uint32_t overflow)
{
    if (qc_machine_is_special(machine)) {
        machine->undefined = 1;
        return;
    }
    const int64_t z = sign * z_integer(machine);
    qc_machine_round(machine, QC_TOKEN_toward_zero);
    if (overflow == QC_TOKEN_saturate) {
        qc_mp_int(machine->scratch[0], z);
        qc_mp_add(machine->scratch[1], machine->num, machine->scratch[0]);
        mpfr_swap(machine->num, machine->scratch[1]);
        if (is_outside(machine, width)) {
            cast_outside(machine, width, QC_TOKEN_arm);
        }
        return;
    }
    const uint64_t sum = qc_machine_low_bits(machine) + (uint64_t)z;
    qc_machine_set_int(machine, wrapped(sum, width));
}

static void add_zp(qc_machine *machine, int sign, const qc_step *step)
{
    const unsigned width = width_of(step->first);
    if (width) {
        add_integers(machine, sign, width, step->second);
    } else {
        qc_machine_add_zp(machine, sign, qc_machine_type(machine, step->first));
    }
}

void qc_mpfr_step_addzp(qc_machine *machine, const qc_step *step)
{
    add_zp(machine, 1, step);
}

void qc_mpfr_step_subzp(qc_machine *machine, const qc_step *step)
{
    qc_machine_scale(machine); /* S7 */
    add_zp(machine, -1, step);
}

void qc_mpfr_step_code(qc_machine *machine, const qc_step *step)
{
    const int is_signed = machine->oracle->code == QC_S8;
    const long lowest = is_signed ? INT8_MIN : 0;
    const long highest = is_signed ? INT8_MAX : UINT8_MAX;
    if (step->first == QC_TOKEN_saturate) {
        if (mpfr_nan_p(machine->num) || qc_machine_compare(machine, lowest) < 0) {
            qc_machine_set_int(machine, lowest);
        } else if (qc_machine_compare(machine, highest) > 0) {
            qc_machine_set_int(machine, highest);
        }
    } else if (qc_machine_is_special(machine)) {
        machine->undefined = 1; /* an infinity or NaN has no low bits */
    } else {
        const uint64_t low = qc_machine_low_bits(machine);
        qc_machine_set_int(machine, is_signed ? (long)(int8_t)low : (long)(uint8_t)low);
    }
}
