# SPDX-License-Identifier: Apache-2.0
"""Every mutant is caught at its level with its exact verdict; its other ops still pass."""
import json
import os
import re
import sys
import unittest

from suite import SOURCE, mutant, quantcert

ROW = re.compile(r'^QC_MUTANT\((\w+), (\w+), ([\w-]+|"[\w.-]+"), (\w+), ([\w-]+|"[\w-]+")\)')
OPS = ("quantize", "dequantize", "fake_quantize", "choose_qparams", "observe", "requantize", "ste_mask", "fake_quantize_grad")

LINEAR = ("linear_s32", "quantized_linear", "quantized_linear_f32")


def rows():
    with open(os.path.join(SOURCE, "tests", "mutants", "mutants.def")) as file:
        for line in file:
            match = ROW.match(line)
            if match:
                name, op, profile, level, verdict = (word.strip('"') for word in match.groups())
                yield name, op, profile, level.lower(), verdict.lower().replace("_", "-")
            elif line.startswith("QC_MUTANT"):
                raise ValueError("not understood: " + line)


def results(name, profile, level, op):
    code, out, err = quantcert("run", "--backend", mutant(name), "--profile", profile, "--op", op,
                               "--level", level, "--json", "--timeout",
                               "500" if name == "hang" else "10000")
    return code, [json.loads(line) for line in out.splitlines()], err


class Mutants(unittest.TestCase):
    def test_each_is_caught(self):
        order = verdict_order()
        count = 0
        for name, op, profile, level, verdict in rows():
            with self.subTest(mutant=name):
                code, groups, err = results(name, profile, level, op)
                self.assertEqual(code, 1, err)
                worst = max((g["verdict"] for g in groups), key=order.index)
                self.assertEqual(worst, verdict)
                count += 1
        print(f"{count} mutants", file=sys.stderr)
        self.assertGreaterEqual(count, 18)

    def test_other_ops_still_pass(self):
        for name, op, profile, _, _ in rows():
            for other in OPS + (LINEAR if op in LINEAR else ()):
                if other == op:
                    continue
                with self.subTest(mutant=name, op=other):
                    code, groups, err = results(name, profile, "smoke", other)
                    self.assertEqual(code, 0, err + str([g for g in groups if g["claim"] != "conforms"][:1]))


def verdict_order():
    _, out, _ = quantcert("list", "verdicts")
    return [line.split()[0] for line in out.splitlines()[1:]]


if __name__ == "__main__":
    unittest.main()
