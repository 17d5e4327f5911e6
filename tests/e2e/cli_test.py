# SPDX-License-Identifier: Apache-2.0
"""The command line: help, bad input, exit codes."""
import collections
import glob
import json
import os
import subprocess
import tempfile
import unittest

from suite import BUILD, PROGRAM, SOURCE, mutant, quantcert

VERBS = ("list", "run", "gen", "judge", "repro", "selftest")
LINE = "qc1 op=quantize x=f32[]:0x1p-1 scale=f32[]:0x1p+0 zero_point=s32[]:0 q=s8"


class Help(unittest.TestCase):
    def test_every_verb_has_help_with_an_example_that_works(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                code, out, _ = quantcert(verb, "--help")
                self.assertEqual(code, 0)
                example = out.split("example:\n")[1].splitlines()[0].strip()
                done = subprocess.run(example, shell=True, capture_output=True, text=True,
                                      env={**os.environ, "PATH": BUILD + ":" + os.environ["PATH"]})
                self.assertEqual(done.returncode, 0, example + done.stdout + done.stderr)
                self.assertIn("exit codes:", out)

    def test_all_verbs_are_listed(self):
        code, out, _ = quantcert("--help")
        self.assertEqual(code, 0)
        for verb in VERBS:
            self.assertIn("  " + verb, out)


class ListOps(unittest.TestCase):
    """What exists for each op, counted again from the files themselves."""

    def test_vectors_and_mutants_are_counted(self):
        vectors, mutants = collections.Counter(), collections.Counter()
        for path in glob.glob(os.path.join(SOURCE, "corpus", "vectors", "*.json")):
            with open(path) as file:
                for vector in json.load(file).get("vectors", []):
                    vectors[vector["case"].split("op=")[1].split()[0]] += 1
        with open(os.path.join(SOURCE, "tests", "mutants", "mutants.def")) as file:
            for line in file:
                if line.startswith("QC_MUTANT("):
                    mutants[line.split(",")[1].strip()] += 1
        code, out, _ = quantcert("list", "ops")
        self.assertEqual(code, 0)
        listed = {}
        for line in out.splitlines()[1:]:
            op = line.split()[0] if line[2] != " " else op
            listed.setdefault(op, []).append(line.strip())
        for op, lines in listed.items():
            self.assertEqual(lines[3], f"vectors: {vectors[op]}; mutants: {mutants[op]}", op)
        self.assertGreater(vectors["quantize"], 0)
        self.assertLessEqual(set(vectors) | set(mutants), set(listed))
        for op in set(listed) - {"learnable_grad"}:
            self.assertIn("reference: yes; impl: portable", listed[op][2])
            self.assertIn("; oracles: mpfr, gmp, filtered", listed[op][2])


class BadInput(unittest.TestCase):
    def refused(self, expected_code, wanted, *arguments, stdin=None):
        code, out, err = quantcert(*arguments, stdin=stdin)
        self.assertEqual(code, expected_code, out + err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(wanted, err)
        self.assertEqual(out, "")

    def test_unknown_names(self):
        self.refused(2, "unknown command", "certificate")
        self.refused(2, "--op: unknown op 'quantise'", "run", "--backend", "impl", "--op", "quantise")
        self.refused(2, "unknown profile", "run", "--backend", "impl", "--profile", "none")
        self.refused(2, "unknown level", "run", "--backend", "impl", "--level", "huge")
        self.refused(2, "unknown option", "run", "--backend", "impl", "--fast")
        self.refused(2, "reference", "run", "--backend", "nobody")
        self.refused(2, "--backend", "run")
        self.refused(2, "op expected", "gen", "quantise")
        self.refused(2, "unknown list", "list", "everything")
        self.refused(2, "one list", "list", "ops", "profiles")
        self.refused(2, "--out", "run", "--backend", "impl", "--out", "")
        self.refused(2, "number", "run", "--backend", "impl", "--jobs", "many")

    def test_malformed_lines(self):
        for line, wanted in (
            ("", "qc1"),
            ("qc2 op=quantize", "qc1"),
            ("qc1 op=quantise", "quantise"),
            (LINE.replace("q=s8", ""), "q"),
            (LINE.replace("0x1p-1", "one"), "value"),
            (LINE.replace("f32[]", "f31[]", 1), "f31"),
            (LINE + " colour=red", "colour"),
            (LINE.replace("qc1 ", "qc1 profile=unheard-of ").replace(
                "profile=unheard-of op=quantize", "op=quantize profile=unheard-of"), "unheard-of"),
        ):
            with self.subTest(line=line):
                self.refused(2, wanted, "repro", line, "--backend", "reference")

    def test_things_that_are_no_plugin(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"no library")
            file.flush()
            self.refused(3, os.path.basename(file.name), "run", "--backend", file.name)
        self.refused(3, "absent.so", "run", "--backend", "./absent.so")
        for library in glob.glob("/lib/*/libm.so.6"):
            self.refused(3, "libm.so.6", "run", "--backend", library)

    def test_judge_refuses_what_it_cannot_read(self):
        self.refused(2, "line 1", "judge", "quantize", stdin="hello\n")
        self.refused(2, "line 1", "judge", "dequantize", stdin=LINE + " => q=s8[]:0\n")
        self.refused(2, "line 1", "judge", "quantize", stdin=LINE + " => q=u8[]:0\n")
        self.refused(2, "zero byte", "judge", "quantize", stdin="\0\n")
        self.refused(2, "unheard-of", "judge", "quantize", stdin=LINE.replace(
            "op=quantize", "op=quantize profile=unheard-of") + " => !invalid\n")

    def test_judge_without_a_line_is_incomplete(self):
        self.assertEqual(quantcert("judge", "quantize", stdin="")[0], 5)
        self.assertEqual(quantcert("judge", "quantize", stdin="\n\r\n")[0], 5)


class Verdicts(unittest.TestCase):
    def test_a_conforming_backend(self):
        for backend in ("impl", "reference"):
            for profile in ("ideal", "tensorplay-doc"):
                code, out, err = quantcert("run", "--backend", backend, "--profile", profile,
                                           "--level", "smoke")
                self.assertEqual(code, 0, out + err)

    def test_reports_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = quantcert("run", "--backend", "reference", "--op", "dequantize",
                                     "--level", "smoke", "--out", folder)
            self.assertEqual(code, 0, err)
            names = sorted(os.listdir(folder))
            for name in ("report.md", "report.txt", "results.jsonl", "run.json"):
                self.assertIn(name, names)
            self.assertTrue([n for n in names if n.endswith(".xml")], names)

    def test_equal_runs_are_equal_bytes(self):
        runs = [quantcert("run", "--backend", "impl", "--op", "quantize", "--level", "smoke",
                          "--json", "--jobs", jobs)[1] for jobs in ("1", "2", "3")]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])

    def test_an_output_folder_that_cannot_be_written(self):
        code, _, err = quantcert("run", "--backend", "reference", "--op", "dequantize",
                                 "--level", "smoke", "--out", "/proc/nowhere")
        self.assertEqual(code, 3)
        self.assertIn("/proc/nowhere", err)

    def test_repro_judges_both_ways(self):
        tie = LINE.replace("0x1p-1", "0x1.8p+0")
        self.assertEqual(quantcert("repro", tie, "--backend", "reference")[0], 0)
        code, out, _ = quantcert("repro", LINE, "--backend", mutant("ties_away"))
        self.assertEqual(code, 1, out)
        self.assertIn("exactly on the tie 0.5", out)

    def test_invalid_calls_are_negative_tests(self):
        zero = LINE.replace("scale=f32[]:0x1p+0", "scale=f32[]:0x0p+0")
        self.assertEqual(quantcert("repro", zero, "--backend", "reference")[0], 0)
        code, out, _ = quantcert("repro", zero, "--backend", mutant("accepted_invalid"))
        self.assertEqual(code, 1, out)
        self.assertIn("accepted-invalid", out)


if __name__ == "__main__":
    unittest.main()
