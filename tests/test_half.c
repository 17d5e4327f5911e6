/* SPDX-License-Identifier: Apache-2.0 */
/* f16 and bf16 on all 65,536 values, and every midpoint between neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "quantcert/half.h"

/* The value by its definition, independent of the code under test. */
static double defined(uint16_t bits, int mantissa_bits, int bias)
{
    const int exponent = (bits & 0x7fff) >> mantissa_bits;
    const int fraction = bits & ((1 << mantissa_bits) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 2 * bias + 1) {
        return fraction ? NAN : sign * INFINITY;
    }
    const double significand = exponent ? (1 << mantissa_bits) + fraction : fraction;
    return sign * ldexp(significand, (exponent ? exponent : 1) - bias - mantissa_bits);
}

typedef struct format {
    int mantissa_bits;
    int bias;
    float (*widen)(uint16_t);
    uint16_t (*narrow)(double);
} format;

static const format formats[] = {
    {10, 15, qc_f16_to_f32, qc_f64_to_f16},
    {7, 127, qc_bf16_to_f32, qc_f64_to_bf16},
};

static void every_value_widens_and_returns(void **state)
{
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        const format *const t = &formats[f];
        for (uint32_t bits = 0; bits < 65536; bits++) {
            const double want = defined((uint16_t)bits, t->mantissa_bits, t->bias);
            const double got = t->widen((uint16_t)bits);
            if (isnan(want)) {
                assert_true(isnan(got));
                assert_true(isnan(t->widen(t->narrow(got))));
            } else {
                assert_true(want == got && !signbit(want) == !signbit(got));
                assert_int_equal(t->narrow(got), bits);
            }
        }
    }
}

static void midpoints_go_to_even(void **state)
{
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        const format *const t = &formats[f];
        const uint32_t infinity = (uint32_t)(2 * t->bias + 1) << t->mantissa_bits;
        for (uint32_t low = 0; low < infinity; low++) {
            /* The step above the largest finite value is the one below it. */
            const double a = defined((uint16_t)low, t->mantissa_bits, t->bias);
            const double step = low + 1 < infinity
                                    ? defined((uint16_t)(low + 1), t->mantissa_bits, t->bias) - a
                                    : a - defined((uint16_t)(low - 1), t->mantissa_bits, t->bias);
            const double middle = a + step / 2;
            assert_int_equal(t->narrow(middle), low & 1 ? low + 1 : low);
            assert_int_equal(t->narrow(nextafter(middle, 0)), low);
            assert_int_equal(t->narrow(nextafter(middle, INFINITY)), low + 1);
            assert_int_equal(t->narrow(-middle), 0x8000 | (low & 1 ? low + 1 : low));
        }
        assert_int_equal(t->narrow(1e308), infinity);
        assert_int_equal(t->narrow(5e-324), 0);
        assert_int_equal(t->narrow(-5e-324), 0x8000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_widens_and_returns),
        cmocka_unit_test(midpoints_go_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
