# SPDX-License-Identifier: Apache-2.0
"""Derives expected values again with fractions.Fraction, from the text of the case alone."""
import sys
import unittest

import exact
from suite import quantcert

LINES = 4000  # per op: every group some times, each time a longer row


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

    def run_op(self, op):
        before = Fractions.checked
        code, out, err = quantcert("gen", op, "--count", str(LINES), "--answers")
        self.assertEqual(code, 0, err)
        lines = out.splitlines()
        self.assertEqual(len(lines), LINES)
        for line in lines:
            if op == "requantize":
                self.check_requantize(line)
            else:
                self.check(op, line)
        self.assertGreaterEqual(Fractions.checked - before, 2000)
        print(f"{op}: {Fractions.checked - before} values derived again", file=sys.stderr)

    def test_quantize(self):
        self.run_op("quantize")

    def test_dequantize(self):
        self.run_op("dequantize")

    def test_fake_quantize(self):
        self.run_op("fake_quantize")

    def test_requantize(self):
        self.run_op("requantize")

    def test_ste_mask(self):
        self.run_op("ste_mask")

    def test_fake_quantize_grad(self):
        self.run_op("fake_quantize_grad")

    def test_invalid_calls_are_refused(self):
        for op in ("quantize", "dequantize", "fake_quantize", "requantize", "ste_mask", "fake_quantize_grad"):
            code, out, err = quantcert("gen", op, "--count", "400", "--answers", "--invalid")
            self.assertEqual(code, 0, err)
            for line in out.splitlines():
                self.assertTrue(line.endswith("=> !invalid"), line)


if __name__ == "__main__":
    unittest.main()
