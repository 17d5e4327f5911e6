# SPDX-License-Identifier: Apache-2.0
"""Derives expected values again with fractions.Fraction, from the text of the case alone."""
import os
import sys
import unittest

import exact
from suite import quantcert

# Per op: every group some times, each time a longer row. Under sanitizers fewer.
LINES = 4000 // int(os.environ.get("QC_EVERY", "1"))
LINEAR_LINES = LINES * 6 // 25  # each has up to 3,000 codes and 64 outputs


def channel(dims, axis, i):
    if axis is None:
        return 0
    axis = axis % len(dims)
    for size in reversed(dims[axis + 1:]):
        i //= size
    return i % dims[axis]


def grid_of(keys, code_dtype):
    low, high = exact.INTEGERS[code_dtype] if code_dtype else (-128, 127)
    return int(keys.get("qmin", low)), int(keys.get("qmax", high))


class Fractions(unittest.TestCase):
    checked = 0

    def same_float(self, tensor, i, value, negative, line):
        got, text = tensor.values[i], tensor.texts[i]
        self.assertEqual(got, value, line)
        if value == 0:
            self.assertEqual(text.startswith("-"), negative, line)

    def check(self, op, line):
        keys, answer = exact.line_parse(line)
        body = exact.Tensor(keys["q" if op == "dequantize" else "x"])
        scale = exact.Tensor(keys["scale"])
        zero_point = exact.Tensor(keys["zero_point"])
        grad = exact.Tensor(keys["grad"]) if "grad" in keys else None
        axis = int(keys["axis"]) if "axis" in keys else None
        float_zp = zero_point.dtype in exact.FLOATS
        multiply = keys.get("scale_form") == "multiply"
        outputs = list(answer.values())
        code_dtype = answer["q"].dtype if "q" in answer else None
        self.assertEqual(outputs[0].dims, body.dims, line)
        # gen prints inputs with their strides; the values there stand in row-major order
        for i, x in enumerate(body.values):
            c = channel(body.dims, axis, i)
            s, z = scale.values[c], zero_point.values[c]
            if op in ("ste_mask", "fake_quantize_grad"):
                mask = exact.masked(x, s, z, grid_of(keys, None), multiply, float_zp,
                                    keys.get("mask_form") == "real")
                if op == "ste_mask":
                    self.assertEqual(answer["mask"].values[i], mask, line)
                else:
                    passed = grad.texts[i] if mask else "0x0p+0"
                    self.assertEqual(answer["dx"].texts[i], passed, line)
            elif op == "dequantize":
                value, negative = exact.dequantized(answer["y"].dtype, x, s, z)
                self.same_float(answer["y"], i, value, negative, line)
            else:
                grid = grid_of(keys, code_dtype)
                code, mask = exact.quantized(x, s, z, grid, multiply, float_zp)
                if "mask" in answer:
                    self.assertEqual(answer["mask"].values[i], mask, line)
                if code is None:
                    continue
                if op == "quantize":
                    self.assertEqual(answer["q"].values[i], code, line)
                else:
                    value, negative = exact.dequantized(answer["y"].dtype, code, s, z)
                    self.same_float(answer["y"], i, value, negative, line)
            Fractions.checked += 1

    def check_choose_qparams(self, line):
        keys, answer = exact.line_parse(line)
        low, high = exact.Tensor(keys["min"]), exact.Tensor(keys["max"])
        scale, zero_point = answer["scale"], answer["zero_point"]
        grid = grid_of(keys, None)
        self.assertEqual(scale.dims, low.dims, line)
        for i, ends in enumerate(zip(low.values, high.values)):
            wanted = exact.chosen(*ends, grid, keys.get("scheme") == "symmetric", scale.dtype)
            self.assertEqual((scale.values[i], zero_point.values[i]), wanted, line)
            Fractions.checked += 1

    def check_observe(self, line):
        keys, answer = exact.line_parse(line)
        x = exact.Tensor(keys["x"])
        axis = int(keys["axis"]) if "axis" in keys else None
        rows = {c: [] for c in range(len(answer["min"].values))}
        for i, v in enumerate(x.values):
            rows[channel(x.dims, axis, i)].append(v)
        weight = None
        if keys.get("observer") == "moving_average":
            weight = exact.value_of("f64", keys["averaging"])
        for name, pick in (("min", min), ("max", max)):
            old = exact.Tensor(keys["old_" + name]).values if "old_" + name in keys else None
            for c in range(len(answer[name].values)):
                values = rows[c]
                wanted = exact.observed(values, old[c] if old else None, weight, x.dtype, pick)
                if wanted is not None:
                    self.same_float(answer[name], c, wanted, wanted != 0 and
                                    exact.place(wanted) < 0, line)
                    Fractions.checked += 1

    def check_requantize(self, line):
        keys, answer = exact.line_parse(line)
        acc, multiplier = exact.Tensor(keys["acc"]), exact.Tensor(keys["multiplier"])
        shift = exact.Tensor(keys["shift"]) if "shift" in keys else None
        zero_point = exact.Tensor(keys["zero_point"])
        axis = int(keys["axis"]) if "axis" in keys else None
        self.assertEqual(keys.get("params") == "fixed", shift is not None, line)
        low, high = grid_of(keys, answer["q"].dtype)
        self.assertEqual(answer["q"].dims, acc.dims, line)
        for i, value in enumerate(acc.values):
            c = channel(acc.dims, axis, i)
            real = exact.fixed(multiplier.values[c], shift.values[c] if shift else 0)
            code = exact.half_even(value * real) + zero_point.values[c]
            self.assertEqual(answer["q"].values[i], min(max(code, low), high), line)
            Fractions.checked += 1

    def check_linear(self, line):
        """Any of the three ops; K of 33,026 stands as its generator, K of 1,030 is left out."""
        if "@column_codes(" in line:
            return
        keys, answer = exact.line_parse(line)
        rows, length = exact.code_rows(keys["x_q"])
        columns, also = exact.code_rows(keys["w_q"])
        self.assertEqual(length, also, line)
        given = {k: exact.Tensor(v) for k, v in keys.items() if "]" in v and not k.endswith("_q")}
        is_real = given["bias"].dtype == "f32" and "x_scale" in given if "bias" in given else False

        def at(name, n, absent):
            t = given.get(name)
            return t.values[n if t.dims else 0] if t else absent

        name, out = next(iter(answer.items()))
        self.assertEqual(out.dims, [len(rows), len(columns)], line)
        for n, w in enumerate(columns):
            factor = at("x_scale", n, 1) * at("w_scale", n, 1) * exact.fixed(
                at("multiplier", n, 1), at("shift", n, 0))
            for m, x in enumerate(rows):
                i = m * len(columns) + n
                total = exact.dot(x, w, at("x_zero_point", 0, 0), at("w_zero_point", n, 0), length)
                v = exact.linear(total, factor, at("bias", n, 0),
                                 exact.Fraction(at("out_scale", 0, 1)), is_real)
                if name == "y":
                    self.same_float(out, i, exact.rounded("f32", v), v < 0, line)
                elif name == "q":
                    low, high = grid_of(keys, out.dtype)
                    code = exact.half_even(v) + at("out_zero_point", 0, 0)
                    self.assertEqual(out.values[i], min(max(code, low), high), line)
                elif exact.INTEGERS[out.dtype][0] <= total <= exact.INTEGERS[out.dtype][1]:
                    self.assertEqual(out.values[i], total, line)
                else:
                    continue  # undefined, W1
                Fractions.checked += 1

    check_linear_s32 = check_quantized_linear = check_quantized_linear_f32 = check_linear

    def run_op(self, op):
        before = Fractions.checked
        count = LINEAR_LINES if "linear" in op else LINES
        code, out, err = quantcert("gen", op, "--count", str(count), "--answers",
                                   *(["--generators"] if "linear" in op else []))
        self.assertEqual(code, 0, err)
        lines = out.splitlines()
        self.assertEqual(len(lines), count)
        check = getattr(self, "check_" + op, None)
        for line in lines:
            check(line) if check else self.check(op, line)
        self.assertGreaterEqual(Fractions.checked - before, LINES // 4)
        print(f"{op}: {Fractions.checked - before} values derived again", file=sys.stderr)

    def test_quantize(self):
        self.run_op("quantize")

    def test_dequantize(self):
        self.run_op("dequantize")

    def test_fake_quantize(self):
        self.run_op("fake_quantize")

    def test_choose_qparams(self):
        self.run_op("choose_qparams")

    def test_observe(self):
        self.run_op("observe")

    def test_requantize(self):
        self.run_op("requantize")

    def test_linear_s32(self):
        self.run_op("linear_s32")

    def test_quantized_linear(self):
        self.run_op("quantized_linear")

    def test_quantized_linear_f32(self):
        self.run_op("quantized_linear_f32")

    def test_ste_mask(self):
        self.run_op("ste_mask")

    def test_fake_quantize_grad(self):
        self.run_op("fake_quantize_grad")

    def test_invalid_calls_are_refused(self):
        for op in ("quantize", "dequantize", "fake_quantize", "choose_qparams", "observe", "requantize", "ste_mask", "fake_quantize_grad",
                   "linear_s32", "quantized_linear", "quantized_linear_f32"):
            code, out, err = quantcert("gen", op, "--count", "400", "--answers", "--invalid")
            self.assertEqual(code, 0, err)
            for line in out.splitlines():
                self.assertTrue(line.endswith("=> !invalid"), line)


if __name__ == "__main__":
    unittest.main()
