# SPDX-License-Identifier: Apache-2.0
"""docs/story.c: built as an outsider builds it, from an installed prefix alone; what it prints
is derived again, in fractions from its own source, and by the oracle as case lines."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from fractions import Fraction

import exact
from suite import BUILD, SOURCE, quantcert

STORY = pathlib.Path(SOURCE) / "docs" / "story.c"
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
GRID = (-128, 127)


def run_story(folder):
    """Installs, compiles with what pkg-config says, runs: {name: texts of its values}."""
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
                    "--destdir", folder], check=True)
    found = next(pathlib.Path(folder).rglob("quantcert.pc"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(found.parent),
                   "PKG_CONFIG_SYSROOT_DIR": folder}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "quantcert"], check=True,
                           env=environment, capture_output=True, text=True).stdout.split()
    sanitize = os.environ.get("QC_SANITIZE", "none")
    flags += [] if sanitize == "none" else ["-fsanitize=" + sanitize]
    source = shutil.copy(STORY, folder)  # out of sight of the source tree
    program = os.path.join(folder, "story")
    subprocess.run([*os.environ.get("CC", "cc").split(), *WARNINGS, source, *flags, "-o", program],
                   check=True)
    out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: values.split(",") for name, values in
            (line.split("=") for line in out.splitlines())}


def initial(name):
    """The f32 values that the source gives an array, as fractions."""
    text = re.search(rf"\b{name}\[\d\] = {{([^}}]*)}}", STORY.read_text()).group(1)
    return [Fraction(struct.unpack("f", struct.pack("f", float(v)))[0]) for v in text.split(",")]


def hexfloat(value):
    return float(value).hex()


def tensor(dtype, dims, values):
    return f"{dtype}[{dims}]:" + ",".join(
        hexfloat(v) if isinstance(v, Fraction) else str(v) for v in values)


class Story(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.told = run_story(folder)
        cls.x, cls.w, cls.bias, cls.seen = map(initial, ("x", "w", "bias", "seen"))

    def floats(self, name):
        return [exact.hexfloat(text)[0] for text in self.told[name]]

    def codes(self, name):
        return [int(text) for text in self.told[name]]

    def test_it_is_short(self):
        self.assertLessEqual(len(STORY.read_text().splitlines()), 60)

    def test_parameters(self):
        for name, values in (("x", self.x), ("out", self.seen)):
            wanted = exact.chosen(min(values), max(values), GRID, False, "f64")
            told = self.floats(name + "_scale")[0], self.codes(name + "_zero_point")[0]
            self.assertEqual(told, wanted)
        rows = [self.w[n:n + 3] for n in (0, 3, 6)]
        wanted = [exact.chosen(min(row), max(row), GRID, False, "f32") for row in rows]
        self.assertEqual(list(zip(self.floats("w_scale"), self.codes("w_zero_point"))), wanted)

    def test_training(self):
        scale, zero_point = self.floats("x_scale")[0], self.codes("x_zero_point")[0]
        passed = 0
        for i, x in enumerate(self.x):
            code, _ = exact.quantized(x, scale, zero_point, GRID, False, False)
            self.assertEqual(self.codes("x_q")[i], code)
            y, _ = exact.dequantized("f32", code, scale, zero_point)
            self.assertEqual(self.floats("y")[i], y)
            mask = exact.masked(x, scale, zero_point, GRID, False, False, True)
            self.assertEqual(self.told["dx"][i], self.told["y"][i] if mask else "0x0p+0")
            passed += mask
        self.assertTrue(0 < passed < 9)  # the story shows both

    def test_layer(self):
        scales, zero_points = self.floats("w_scale"), self.codes("w_zero_point")
        x_zero_point = self.codes("x_zero_point")[0]
        for i, w in enumerate(self.w):
            code, _ = exact.quantized(w, scales[i // 3], zero_points[i // 3], GRID, False, False)
            self.assertEqual(self.codes("w_q")[i], code)
        for m in range(3):
            for n in range(3):
                total = sum((self.codes("x_q")[3 * m + k] - x_zero_point) *
                            (self.codes("w_q")[3 * n + k] - zero_points[n]) for k in range(3))
                real = self.floats("x_scale")[0] * scales[n] * total + self.bias[n]
                code = exact.half_even(real / self.floats("out_scale")[0])
                code = min(max(code + self.codes("out_zero_point")[0], -128), 127)
                self.assertEqual(self.codes("q")[3 * m + n], code)

    def lines(self):
        """Case lines of the steps, as {op: lines}."""
        told = {name: ",".join(values) for name, values in self.told.items()}
        x, w = tensor("f32", "3x3", self.x), tensor("f32", "3x3", self.w)
        params = f"scale=f64[]:{told['x_scale']} zero_point=s64[]:{told['x_zero_point']}"
        rows = f"scale=f32[3]:{told['w_scale']} zero_point=s64[3]:{told['w_zero_point']}"
        ends = [tensor("f32", "3", [pick(self.w[n:n + 3]) for n in (0, 3, 6)])
                for pick in (min, max)]
        return {
            "choose_qparams": [
                f"min={tensor('f32', '', [min(self.x)])} max={tensor('f32', '', [max(self.x)])} "
                f"scale=f64 zero_point=s64 => {params}",
                f"min={ends[0]} max={ends[1]} scale=f32 zero_point=s64 => {rows}"],
            "quantize": [f"x={x} {params} q=s8 => q=s8[3x3]:{told['x_q']}",
                         f"axis=0 x={w} {rows} q=s8 => q=s8[3x3]:{told['w_q']}"],
            "fake_quantize": [f"x={x} {params} y=f32 => y=f32[3x3]:{told['y']}"],
            "fake_quantize_grad": [f"mask_form=real grad=f32[3x3]:{told['y']} x={x} {params} "
                                   f"dx=f32 => dx=f32[3x3]:{told['dx']}"],
            "quantized_linear": [
                f"x_q=s8[3x3]:{told['x_q']} w_q=s8[3x3]:{told['w_q']} "
                f"x_zero_point=s64[]:{told['x_zero_point']} "
                f"w_zero_point=s64[3]:{told['w_zero_point']} x_scale=f64[]:{told['x_scale']} "
                f"w_scale=f32[3]:{told['w_scale']} out_scale=f64[]:{told['out_scale']} "
                f"bias={tensor('f32', '3', self.bias)} "
                f"out_zero_point=s64[]:{told['out_zero_point']} q=s8 => "
                f"q=s8[3x3]:{told['q']}"]}

    def test_the_oracle_confirms(self):
        for op, lines in self.lines().items():
            text = "".join(f"qc1 op={op} {line}\n" for line in lines)
            code, out, err = quantcert("judge", op, stdin=text)
            self.assertEqual((code, err), (0, ""), out + err)
            self.assertIn(f"{len(lines)} lines, ", out)
            self.assertTrue(out.endswith(" 0 wrong\n"), out)

    def test_the_oracle_would_object(self):
        line = self.lines()["quantized_linear"][0]
        last = int(line.rsplit(",", 1)[1])
        wrong = line.rsplit(",", 1)[0] + f",{last - 1}"
        code, out, _ = quantcert("judge", "quantized_linear",
                                 stdin=f"qc1 op=quantized_linear {wrong}\n")
        self.assertEqual(code, 1)
        self.assertIn(f"got {last - 1}, want {last}", out)


if __name__ == "__main__":
    unittest.main()
