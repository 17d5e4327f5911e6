#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives every `ideal` value of corpus/vectors again, with fractions alone.

Reads the case lines itself and shares nothing with the C code. Exits 1 on a difference.
Usage: vectors_check.py [corpus/vectors]
"""
import json
import pathlib
import re
import sys
from fractions import Fraction

# fraction bits, smallest exponent of a normal number, largest exponent, width in bits
FLOATS = {"f32": (23, -126, 127, 32), "f64": (52, -1022, 1023, 64),
          "f16": (10, -14, 15, 16), "bf16": (7, -126, 127, 16)}
CODES = {"s8": (-128, 127), "u8": (0, 255)}
NAN, INF = "nan", "inf"
TENSOR = re.compile(r"(\w+)\[([0-9x]*)\](?:\{s=([-0-9x]*),o=(\d+)\})?:(.*)$")


def round_even(value):
    low = value.numerator // value.denominator
    rest = value - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def parse_float(text):
    """A (value, negative) pair; value a Fraction, NAN or INF."""
    if text.startswith("#"):
        return NAN, False
    negative = text.startswith("-")
    body = text.lstrip("-")
    if body in (NAN, INF):
        return body, negative
    if not body.startswith("0x"):
        return Fraction(int(text)), negative
    digits, exponent = body[2:].split("p")
    whole, _, part = digits.partition(".")
    value = Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** int(exponent)
    return (-value if negative else value), negative


def is_value(value, dtype):
    """Whether a Fraction is exactly a number of the float dtype."""
    return round_to(value, dtype) == value


def round_to(value, dtype):
    """value rounded once into the dtype; INF where it overflows, the sign apart."""
    bits, low, high, _ = FLOATS[dtype]
    if value == 0:
        return value
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    while Fraction(2) ** exponent > size:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    unit = Fraction(2) ** (max(exponent, low) - bits)
    rounded = round_even(size / unit) * unit
    if rounded >= Fraction(2) ** (high + 1):
        return INF
    return rounded if value > 0 else -rounded


def format_float(value, negative):
    sign = "-" if negative else ""
    if value in (NAN, INF):
        return sign + value
    size = abs(value)
    if size == 0:
        return sign + "0x0p+0"
    exponent = 0
    while size >= 2:
        size /= 2
        exponent += 1
    while size < 1:
        size *= 2
        exponent -= 1
    digits = ""
    rest = size - 1
    while rest:
        rest *= 16
        digits += "%x" % (rest.numerator // rest.denominator)
        rest -= rest.numerator // rest.denominator
    return "%s0x1%sp%+d" % (sign, "." + digits if digits else "", exponent)


def parse_tensor(text):
    match = TENSOR.match(text)
    dtype, dims, _, _, values = match.groups()
    dims = [int(d) for d in dims.split("x")] if dims else []
    values = values.split(",") if values else []
    count = 1
    for dim in dims:
        count *= dim
    assert len(values) == count, text
    parsed = [parse_float(v) if dtype in FLOATS else (Fraction(int(v)), False) for v in values]
    for (value, _) in parsed:
        assert value in (NAN, INF) or dtype not in FLOATS or is_value(value, dtype), text
    return {"dtype": dtype, "dims": dims, "values": parsed}


def parse_case(line):
    words = line.split(" ")
    assert words[0] == "qc1", line
    call = dict(word.split("=", 1) for word in words[1:])
    for name in ("x", "q", "scale", "zero_point", "grad"):
        if "[" in call.get(name, ""):
            call[name] = parse_tensor(call[name])
    return call


def channels_of(call, body):
    """The channel of each body element, or None where the axis is invalid."""
    count = len(body["values"])
    if "axis" not in call:
        return [0] * count
    axis, rank = int(call["axis"]), len(body["dims"])
    if not -rank <= axis < rank:
        return None
    inner = 1
    for dim in body["dims"][axis % rank + 1:]:
        inner *= dim
    return [i // inner % body["dims"][axis % rank] for i in range(count)]


def grid_of(call):
    code = call["q"] if call["op"] == "quantize" else call.get("q", {"dtype": "s8"})["dtype"]
    low, high = CODES[code.split("{")[0]]
    return int(call.get("qmin", low)), int(call.get("qmax", high))


def is_valid(call, body, grid):
    channels = channels_of(call, body)
    if channels is None or grid[0] >= grid[1]:
        return False
    for name in ("scale", "zero_point"):
        tensor = call[name]
        wanted = [body["dims"][int(call["axis"])]] if "axis" in call else []
        if tensor["dims"] != wanted:
            return False
        for value, _ in tensor["values"]:
            if value in (NAN, INF) or (name == "scale" and value <= 0):
                return False
            integer = tensor["dtype"] not in FLOATS
            if name == "zero_point" and integer and not grid[0] <= value <= grid[1]:
                return False
    return True


def code_of(call, x, scale, zero_point, float_zp, grid):
    """(code, mask); NaN gives None for the code: any code of the grid will do."""
    value, negative = x
    if value == NAN:
        return None, 0
    if value == INF:
        return (grid[0] if negative else grid[1]), 0
    v = value * scale if call.get("scale_form") == "multiply" else value / scale
    k = round_even(v + zero_point) if float_zp else round_even(v) + zero_point
    k = int(k)
    return min(max(k, grid[0]), grid[1]), int(grid[0] <= k <= grid[1])


def mask_of(call, x, scale, zero_point, float_zp, grid):
    """The mask of ste_mask and fake_quantize_grad, by the rounded code or by real bounds."""
    if call.get("mask_form", "grid") == "grid" or x[0] in (NAN, INF):
        return code_of(call, x, scale, zero_point, float_zp, grid)[1]
    v = x[0] * scale if call.get("scale_form") == "multiply" else x[0] / scale
    return int(grid[0] - zero_point <= v <= grid[1] - zero_point)


def masked_answer(call, body, grid, channels, float_zp):
    texts = []
    for i, element in enumerate(body["values"]):
        mask = mask_of(call, element, call["scale"]["values"][channels[i]][0],
                       call["zero_point"]["values"][channels[i]][0], float_zp, grid)
        if call["op"] == "ste_mask":
            texts.append(str(mask))
        else:
            texts.append(format_float(*call["grad"]["values"][i]) if mask else "0x0p+0")
    name = "mask" if call["op"] == "ste_mask" else "dx"
    dims = "x".join(str(d) for d in body["dims"])
    return {name: "%s[%s]:%s" % (call[name].split("{")[0], dims, ",".join(texts))}, {}


def dequantized(code, scale, zero_point, dtype):
    exact = (code - zero_point) * scale
    return format_float(round_to(exact, dtype), exact < 0)


def channel_values(call, body, c):
    """The (value, negative) pairs of one channel."""
    return [v for v, at in zip(body["values"], channels_of(call, body)) if at == c]


def signed(pair):
    """A number that orders infinities too; NaN is not one."""
    value, negative = pair
    if value == INF:
        return float("-inf") if negative else float("inf")
    return value


def shown(value):
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return format_float(value, value < 0)


def ideal_range(low, high, grid, symmetric, dtype):
    """(scale, zero point) of a finite range, or None where the call is invalid."""
    low, high, steps = min(low, 0), max(high, 0), grid[1] - grid[0]
    if symmetric:
        scale = max(-low, high) / Fraction(steps // 2)
    else:
        scale = (high - low) / Fraction(steps)
    empty, scale = scale == 0, round_to(scale, dtype)
    if scale == INF:
        return None
    if scale == 0:
        scale = Fraction(1) if empty else Fraction(2) ** FLOATS[dtype][1]
    if symmetric:
        return scale, (grid[0] + grid[1] + 1) // 2
    return scale, int(min(max(round_even(grid[0] - low / scale), grid[0]), grid[1]))


def ideal_choose(call):
    low, high = parse_tensor(call["min"]), parse_tensor(call["max"])
    grid = int(call.get("qmin", -128)), int(call.get("qmax", 127))
    symmetric = call.get("scheme") == "symmetric"
    if grid[1] - grid[0] < 1 + symmetric or low["dtype"] != high["dtype"]:
        return {"!": "!invalid"}
    scales, zero_points = [], []
    for a, b in zip(low["values"], high["values"]):
        if NAN in (a[0], b[0]) or INF in (a[0], b[0]) or a[0] > b[0]:
            return {"!": "!invalid"}
        chosen = ideal_range(a[0], b[0], grid, symmetric, call["scale"])
        if chosen is None:
            return {"!": "!invalid"}
        scales.append(shown(chosen[0]))
        zero_points.append(str(chosen[1]))
    dims = "x".join(str(d) for d in low["dims"])
    return {"scale": "%s[%s]:%s" % (call["scale"], dims, ",".join(scales)),
            "zero_point": "%s[%s]:%s" % (call["zero_point"], dims, ",".join(zero_points))}


def ideal_observe(call):
    body = call["x"]
    count = body["dims"][int(call["axis"])] if "axis" in call else 1
    old = [parse_tensor(call[n])["values"] for n in ("old_min", "old_max") if n in call]
    results = {"min": [], "max": []}
    for c in range(count):
        values = [signed(v) for v in channel_values(call, body, c) if v[0] != NAN]
        if not values and not old:
            return {"!": "!invalid"}
        for n, (name, pick) in enumerate((("min", min), ("max", max))):
            before = signed(old[n][c]) if old else None
            value = pick(values) if values else before
            if values and old and call.get("observer") == "moving_average":
                weight = parse_float(call["averaging"])[0]
                value = round_to(before + weight * (value - before), body["dtype"])
            elif values and old:
                value = pick(before, value)
            results[name].append(shown(value))
    dims = str(count) if "axis" in call else ""
    return {n: "%s[%s]:%s" % (call[n], dims, ",".join(v)) for n, v in results.items()}


def requantized(line):
    """The answer of a requantize call: acc * multiplier * 2^shift rounded once."""
    call = dict(word.split("=", 1) for word in line.split(" ")[1:])
    acc, multiplier, zero_point = (parse_tensor(call[n]) for n in ("acc", "multiplier", "zero_point"))
    shift = parse_tensor(call["shift"]) if "shift" in call else None
    low, high = CODES[call["q"].split("{")[0]]
    grid = int(call.get("qmin", low)), int(call.get("qmax", high))
    codes = []
    for i, c in enumerate(channels_of(call, acc)):
        power = int(shift["values"][c][0]) if shift else 0
        v = acc["values"][i][0] * multiplier["values"][c][0] * Fraction(2) ** power
        code = int(round_even(v) + zero_point["values"][c][0])
        codes.append(str(min(max(code, grid[0]), grid[1])))
    dims = "x".join(str(d) for d in acc["dims"])
    return {"q": "%s[%s]:%s" % (call["q"].split("{")[0], dims, ",".join(codes))}, {}


def generated(text):
    """A matrix of codes by the generator row_ends: the lowest, in every third row the highest."""
    dtype, dims = re.match(r"(\w+)\[(\d+x\d+)\]@row_ends\(", text).groups()
    rows, columns = [int(d) for d in dims.split("x")]
    low, high = CODES[dtype]
    values = [(Fraction(high if row % 3 == 1 else low), False) for row in range(rows)]
    return {"dtype": dtype, "dims": [rows, columns],
            "values": [value for value in values for _ in range(columns)]}


def sums(call, x, w):
    """The sum of every output, row by row, in Python's own integers."""
    rows, columns, depth = x["dims"][0], w["dims"][0], x["dims"][1]
    x_zp = int(call["x_zero_point"]["values"][0][0])
    a = [int(v) - x_zp for v, _ in x["values"]]
    result = []
    for m in range(rows):
        for n in range(columns):
            w_zp = int(at_row(call, "w_zero_point", n))
            b = [int(v) - w_zp for v, _ in w["values"][n * depth:(n + 1) * depth]]
            result.append(sum(p * q for p, q in zip(a[m * depth:(m + 1) * depth], b)))
    return result


def at_row(call, name, n, absent=Fraction(1)):
    """The parameter of row n of the weights: one for all, or one each."""
    if name not in call:
        return absent
    return call[name]["values"][n if call[name]["dims"] else 0][0]


def linear_value(call, total, n):
    """What is rounded for a sum: rules W2 to W4."""
    is_real = "x_scale" in call and call.get("bias", {"dtype": "f32"})["dtype"] == "f32"
    bias = at_row(call, "bias", n, Fraction(0))
    factor = at_row(call, "x_scale", n) * at_row(call, "w_scale", n)
    factor *= at_row(call, "multiplier", n) * Fraction(2) ** int(at_row(call, "shift", n, 0))
    real = factor * total + bias if is_real else factor * (total + bias)
    return real / at_row(call, "out_scale", n)


def ideal_linear(line):
    call = dict(word.split("=", 1) for word in line.split(" ")[1:])
    for name, text in call.items():
        if "]" in text:
            call[name] = generated(text) if "@" in text else parse_tensor(text)
    x, w = call["x_q"], call["w_q"]
    out = next(n for n in ("acc", "q", "y") if n in call)
    dtype, texts = call[out].split("{")[0], []
    low, high = CODES.get(dtype, (0, 0))
    for i, total in enumerate(sums(call, x, w)):
        v = linear_value(call, total, i % w["dims"][0])
        if out == "acc":
            bits = 8 * {"s32": 4, "s64": 8}[dtype]
            assert -(2 ** (bits - 1)) <= total < 2 ** (bits - 1), line
            texts.append(str(total))
        elif out == "y":
            texts.append(format_float(round_to(v, dtype), v < 0))
        else:
            code = round_even(v) + call["out_zero_point"]["values"][0][0]
            texts.append(str(min(max(int(code), int(call.get("qmin", low))), int(call.get("qmax", high)))))
    return {out: "%s[%dx%d]:%s" % (dtype, x["dims"][0], w["dims"][0], ",".join(texts))}, {}


def ideal(line):
    """The answer, and for NaN elements the set of texts that are also right (else None)."""
    if " op=requantize " in line:
        return requantized(line)
    if "linear" in line.split(" ")[1]:
        return ideal_linear(line)
    call = parse_case(line)
    if call["op"] in ("choose_qparams", "observe"):
        return (ideal_choose if call["op"] == "choose_qparams" else ideal_observe)(call), {}
    body = call["q"] if call["op"] == "dequantize" else call["x"]
    grid = grid_of(call)
    if not is_valid(call, body, grid):
        return {"!": "!invalid"}, {}
    channels = channels_of(call, body)
    float_zp = call["zero_point"]["dtype"] in FLOATS
    if call["op"] in ("ste_mask", "fake_quantize_grad"):
        return masked_answer(call, body, grid, channels, float_zp)
    outputs, free = {"q": [], "y": [], "mask": []}, {}
    for i, element in enumerate(body["values"]):
        scale = call["scale"]["values"][channels[i]][0]
        zero_point = call["zero_point"]["values"][channels[i]][0]
        code, mask = element[0], 0
        if call["op"] != "dequantize":
            code, mask = code_of(call, element, scale, zero_point, float_zp, grid)
        if code is None:
            free[i] = set()
            for k in range(grid[0], grid[1] + 1):
                free[i].add(str(k) if call["op"] == "quantize"
                            else dequantized(k, scale, zero_point, call["y"].split("{")[0]))
            code = min(max(round_even(zero_point), grid[0]), grid[1])
        outputs["q"].append(str(code))
        outputs["mask"].append(str(mask))
        if "y" in call:
            outputs["y"].append(dequantized(code, scale, zero_point, call["y"].split("{")[0]))
    dims = "x".join(str(d) for d in body["dims"])
    names = ["q"] if call["op"] == "quantize" else [n for n in ("y", "mask") if n in call]
    return {n: "%s[%s]:%s" % (call[n].split("{")[0], dims, ",".join(outputs[n]))
            for n in names}, free


def answer_text(outputs):
    if "!" in outputs:
        return "=> " + outputs["!"]
    return "=> " + " ".join("%s=%s" % pair for pair in outputs.items())


def agrees(line, answer):
    outputs, free = ideal(line)
    if answer == answer_text(outputs):
        return True
    if not free:
        return False
    given = dict(word.split("=", 1) for word in answer.split(" ")[1:])
    main = "q" if "q" in outputs else "y"
    if set(given) != set(outputs) or any(given[n] != outputs[n] for n in given if n != main):
        return False
    shape, values = given[main].split(":")
    wanted = outputs[main].split(":")
    pairs = list(zip(values.split(","), wanted[1].split(",")))
    return shape == wanted[0] and len(pairs) == len(values.split(",")) and all(
        a == b or (i in free and a in free[i]) for i, (a, b) in enumerate(pairs))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "corpus/vectors")
    checked, wrong = 0, 0
    for path in sorted(folder.glob("*.json")):
        if path.name == "schema.json":
            continue
        for entry in json.loads(path.read_text())["vectors"]:
            checked += 1
            given = entry["values"]["ideal"]
            faulty = entry.get("wrong")
            if not agrees(entry["case"], given):
                wrong += 1
                print("%s: %s: %s, expected %s" % (path.name, entry["id"], given,
                                                   answer_text(ideal(entry["case"])[0])))
            if faulty == given:
                wrong += 1
                print("%s: %s: the wrong answer is the right one" % (path.name, entry["id"]))
    print("%d ideal values derived again, %d differ" % (checked, wrong))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
