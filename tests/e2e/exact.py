# SPDX-License-Identifier: Apache-2.0
"""Case lines and ideal semantics in exact fractions: shares nothing with the C code."""
import re
from fractions import Fraction

# mantissa bits stored, exponent bias
FLOATS = {"f16": (10, 15), "bf16": (7, 127), "f32": (23, 127), "f64": (52, 1023)}
INTEGERS = {"s8": (-128, 127), "u8": (0, 255), "s32": (-(2**31), 2**31 - 1),
            "s64": (-(2**63), 2**63 - 1)}
NAN, POSITIVE, NEGATIVE = "nan", "+inf", "-inf"
TENSOR = re.compile(r"^(\w+)\[([\dx]*)\](?:\{s=([-\dx]*),o=(\d+)\})?:(.*)$")
OUTPUT = re.compile(r"^(\w+)(?:\{s=([-\dx]*),o=(\d+)\})?$")


def bits_of_raw(dtype, raw):
    """The value of raw bits, as a Fraction or one of the three words."""
    mantissa, bias = FLOATS[dtype]
    exponent_bits = (2 * bias + 1).bit_length()
    sign = raw >> (mantissa + exponent_bits)
    exponent = raw >> mantissa & 2 * bias + 1
    fraction = raw & (1 << mantissa) - 1
    if exponent == 2 * bias + 1:
        return NAN if fraction else NEGATIVE if sign else POSITIVE
    significand = fraction if exponent == 0 else fraction | 1 << mantissa
    power = max(exponent, 1) - bias - mantissa
    value = Fraction(significand) * Fraction(2) ** power
    return -value if sign else value


def hexfloat(text):
    """A C hexfloat as (Fraction, is negative): exact in every dtype, unlike float.fromhex."""
    match = re.match(r"^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]\d+)$", text)
    if not match:
        raise ValueError("not a hexfloat: " + text)
    sign, whole, part, power = match.groups()
    part = part or ""
    value = Fraction(int(whole + part, 16)) * Fraction(2) ** (int(power) - 4 * len(part))
    return (-value if sign else value), bool(sign)


def value_of(dtype, text):
    if dtype in INTEGERS:
        return int(text)
    if text.startswith("#"):
        return bits_of_raw(dtype, int(text[1:], 16))
    if text in ("nan", "-nan"):
        return NAN
    if text in ("inf", "-inf"):
        return POSITIVE if text == "inf" else NEGATIVE
    return hexfloat(text)[0]


class Tensor:
    """dtype, dims, and the values in row-major order (texts kept for signs of zero)."""

    def __init__(self, text):
        dtype, dims, strides, offset, values = TENSOR.match(text).groups()
        self.dtype = dtype
        self.dims = [int(d) for d in dims.split("x")] if dims else []
        self.texts = values.split(",") if values else []
        self.values = [value_of(dtype, t) for t in self.texts]


def line_parse(line):
    """{key: text} of a case line, and {output: Tensor} or a word of its answer."""
    call, _, answer = line.partition(" => ")
    words = call.split(" ")
    if words[0] != "qc1":
        raise ValueError("qc1 expected")
    keys = dict(word.split("=", 1) for word in words[1:])
    if answer.startswith("!") or not answer:
        return keys, answer
    return keys, {k: Tensor(v) for k, v in (w.split("=", 1) for w in answer.split(" "))}


def half_even(v):
    low = v.numerator // v.denominator
    rest = v - low
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2):
        return low + 1
    return low


def fixed(multiplier, shift):
    """multiplier * 2^shift as a Fraction; a multiplier may be an integer or a Fraction."""
    return Fraction(multiplier) * Fraction(2) ** shift


def rounded(dtype, v):
    """v rounded once into a float dtype: a Fraction, or an infinity."""
    mantissa, bias = FLOATS[dtype]
    magnitude = abs(v)
    if magnitude == 0:
        return Fraction(0)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    unit = Fraction(2) ** (exponent - mantissa)
    result = half_even(magnitude / unit) * unit
    if result >= Fraction(2) ** (bias + 1):
        return NEGATIVE if v < 0 else POSITIVE
    return -result if v < 0 else result


def unclamped(x, scale, zero_point, multiply, float_zp):
    """The rounded code before the clamp; x is finite."""
    v = x * scale if multiply else x / scale
    return half_even(v + zero_point) if float_zp else half_even(v) + zero_point


def quantized(x, scale, zero_point, grid, multiply, float_zp):
    """(code, mask) under ideal; None for NaN, whose code is left open."""
    low, high = grid
    if x == NAN:
        return None, 0
    if x in (POSITIVE, NEGATIVE):
        return (high if x == POSITIVE else low), 0
    code = unclamped(x, scale, zero_point, multiply, float_zp)
    return min(max(code, low), high), int(low <= code <= high)


def masked(x, scale, zero_point, grid, multiply, float_zp, is_real):
    """The mask of ste_mask and fake_quantize_grad under ideal."""
    if not is_real or x in (NAN, POSITIVE, NEGATIVE):
        return quantized(x, scale, zero_point, grid, multiply, float_zp)[1]
    v = (x * scale if multiply else x / scale) + zero_point
    return int(grid[0] <= v <= grid[1])


def dequantized(dtype, code, scale, zero_point):
    """(value, is negative): an exact zero is +0, an underflow keeps its sign."""
    exact = (code - zero_point) * scale
    return rounded(dtype, exact), exact < 0


def chosen(low, high, grid, symmetric, dtype):
    """(scale, zero point) of a valid range, by rules R1 to R3."""
    low, high = min(low, 0), max(high, 0)
    if symmetric:
        exact = Fraction(max(-low, high)) / ((grid[1] - grid[0]) // 2)
    else:
        exact = Fraction(high - low) / (grid[1] - grid[0])
    scale = rounded(dtype, exact)
    if scale == 0:
        scale = Fraction(1) if exact == 0 else Fraction(2) ** (1 - FLOATS[dtype][1])
    if symmetric:
        return scale, (grid[0] + grid[1] + 1) // 2
    return scale, min(max(half_even(grid[0] - Fraction(low) / scale), grid[0]), grid[1])


def place(value):
    """Infinities stand at the ends of the line."""
    return {POSITIVE: float("inf"), NEGATIVE: float("-inf")}.get(value, value)


def observed(values, old, weight, dtype, pick):
    """One end of the range by rules R5 to R7; None where the profile gives no value."""
    values = [v for v in values if v != NAN]
    if not values:
        return old
    value = pick(values, key=place)
    if old is None:
        return value
    if weight is None:
        return pick(old, value, key=place)
    if {old, value} & {POSITIVE, NEGATIVE}:
        return None
    return rounded(dtype, old + weight * (value - old))


ENDS = re.compile(r"^(s8|u8)\[(\d+)x(\d+)\](?:\{[^}]*\})?@row_ends\(")


def code_rows(text):
    """(rows of codes, row length) of a matrix; rows of one code each are that code alone."""
    match = ENDS.match(text)
    if not match:
        t = Tensor(text)
        rows, length = t.dims
        return [t.values[r * length:(r + 1) * length] for r in range(rows)], length
    low, high = INTEGERS[match.group(1)]
    rows = [high if r % 3 == 1 else low for r in range(int(match.group(2)))]
    return rows, int(match.group(3))


def dot(x, w, x_zp, w_zp, length):
    """The sum of products of a row of x and one of w, less their zero points."""
    if isinstance(x, int) and isinstance(w, int):
        return length * (x - x_zp) * (w - w_zp)
    return sum((a - x_zp) * (b - w_zp) for a, b in zip(x, w))


def linear(total, factor, bias, divisor, is_real):
    """The value that is rounded, by rules W2 to W4."""
    return ((factor * total + bias) if is_real else factor * (total + bias)) / divisor
