# SPDX-License-Identifier: Apache-2.0
"""Printed repro lines reproduce: ten of ten, from the text of a failing run."""
import re
import shlex
import sys
import unittest

from suite import mutant, quantcert

REPRO = re.compile(r"repro: quantcert (repro '.*' --backend \S+)$", re.M)
FAILING = (("ties_away", "quantize"), ("zp_before_rounding", "quantize"),
           ("reciprocal", "quantize"), ("saturation_missing", "quantize"),
           ("lowest_unreachable", "quantize"), ("mask_real", "fake_quantize"),
           ("axis_off_by_one", "quantize"), ("tail_skipped", "quantize"),
           ("write_past_end", "quantize"), ("second_call", "quantize"),
           ("rounding_mode", "quantize"), ("crash", "quantize"))


class Repro(unittest.TestCase):
    def test_ten_of_ten(self):
        count = 0
        for name, op in FAILING:
            code, out, err = quantcert("run", "--backend", mutant(name), "--op", op, "--level",
                                       "smoke", "--timeout", "2000")
            self.assertEqual(code, 1, err)
            lines = REPRO.findall(out)
            self.assertTrue(lines, name + out)
            with self.subTest(mutant=name):
                code, shown, err = quantcert(*shlex.split(lines[0]), "--timeout", "2000")
                self.assertEqual(code, 1, lines[0] + shown + err)
                count += 1
        print(f"{count} of {len(FAILING)} repro lines reproduce", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
