# SPDX-License-Identifier: Apache-2.0
"""gen | program | judge: the text pipe, with a program that answers right and one that lies."""
import re
import unittest

from suite import quantcert

OPS = ("quantize", "dequantize", "fake_quantize", "requantize")


class Pipe(unittest.TestCase):
    def test_the_oracle_agrees_with_itself(self):
        for op in OPS:
            _, lines, _ = quantcert("gen", op, "--count", "300", "--answers")
            code, out, err = quantcert("judge", op, stdin=lines)
            self.assertEqual(code, 0, out + err)
            self.assertTrue(out.startswith("300 lines, "), out)
            self.assertTrue(out.endswith(" 0 wrong\n"), out)

    def test_invalid_calls_want_a_refusal(self):
        _, lines, _ = quantcert("gen", "quantize", "--count", "200", "--answers", "--invalid")
        code, out, err = quantcert("judge", "quantize", stdin=lines)
        self.assertEqual(code, 0, out + err)

    def test_a_wrong_code_is_found_and_repeated_as_a_line(self):
        line = ("qc1 op=quantize x=f32[2]:0x1p+0,0x1p+1 scale=f32[]:0x1p+0 zero_point=s32[]:0 "
                "q=s8 => q=s8[2]:1,3")
        code, out, _ = quantcert("judge", "quantize", stdin=line + "\n")
        self.assertEqual(code, 1)
        self.assertIn("line 1: fail", out)
        self.assertIn("got 3, want 2", out)
        self.assertIn("repro: quantcert repro 'qc1 op=quantize", out)

    def test_refusals_and_missing_answers(self):
        line = "qc1 op=quantize x=f32[1]:0x1p+0 scale=f32[]:0x1p+0 zero_point=s32[]:0 q=s8"
        for answer, verdict in ((" => !invalid", "rejected-valid"), (" => !unsupported", "rejected-valid"),
                                ("", "missing")):
            code, out, _ = quantcert("judge", "quantize", stdin=line + answer + "\n")
            self.assertEqual(code, 1)
            self.assertIn(verdict, out)

    def test_gen_is_the_same_every_time(self):
        first = quantcert("gen", "quantize", "--count", "50", "--seed", "7")[1]
        self.assertEqual(first, quantcert("gen", "quantize", "--count", "50", "--seed", "7")[1])
        self.assertNotEqual(first, quantcert("gen", "quantize", "--count", "50", "--seed", "8")[1])

    def test_lines_survive_the_round_trip(self):
        _, lines, _ = quantcert("gen", "fake_quantize", "--count", "100")
        for line in lines.splitlines():
            self.assertRegex(line, re.compile(r"^qc1 op=fake_quantize "))


if __name__ == "__main__":
    unittest.main()
