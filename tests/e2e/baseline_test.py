# SPDX-License-Identifier: Apache-2.0
"""run --baseline: findings that are new, known and fixed; baselines that are refused."""
import json
import os
import shutil
import tempfile
import unittest

from suite import mutant, quantcert

RUN = ("run", "--op", "quantize", "--level", "smoke", "--profile", "ideal")


class Baseline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name in ("ties_away", "truncation"):
            quantcert(*RUN, "--backend", mutant(name), "--out", cls.path(name))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def findings(self, name):
        with open(os.path.join(self.path(name), "results.jsonl")) as file:
            groups = [json.loads(line) for line in file]
        for group in groups:
            self.assertEqual(group["finding"] != "", group["claim"] == "does not")
        return {group["finding"] for group in groups} - {""}

    def test_known_findings_do_not_fail(self):
        for fail_on, expected in (("new", 0), ("any", 1)):
            code, out, err = quantcert(*RUN, "--backend", mutant("ties_away"), "--fail-on",
                                       fail_on, "--baseline", self.path("ties_away"))
            self.assertEqual(code, expected, out + err)
            known = len(self.findings("ties_away"))
            self.assertGreater(known, 0)
            self.assertIn(f"; 0 new, {known} known, 0 fixed, 0 not judged again", out)
            self.assertIn(f"exit {expected}: ", out)
        for finding in self.findings("ties_away"):
            self.assertRegex(finding, "/quantize/.*->.8/fail-tie/ideal$")

    def test_another_fault_is_new_and_the_first_is_fixed(self):
        code, out, _ = quantcert(*RUN, "--backend", mutant("truncation"), "--fail-on", "new",
                                 "--baseline", self.path("ties_away"))
        self.assertEqual(code, 1, out)
        for finding in self.findings("truncation"):
            self.assertIn("  new: " + finding + "\n", out)
        for finding in self.findings("ties_away"):
            self.assertIn("  fixed: " + finding + "\n", out)

    def test_a_repaired_backend(self):
        code, out, _ = quantcert(*RUN, "--backend", "reference", "--fail-on", "new",
                                 "--baseline", self.path("ties_away"), "--json")
        self.assertEqual(code, 0)
        self.assertTrue(all(json.loads(line)["finding"] == "" for line in out.splitlines()))

    def test_what_was_not_run_is_not_fixed(self):
        code, out, _ = quantcert("run", "--op", "dequantize", "--level", "smoke", "--profile",
                                 "ideal", "--backend", mutant("ties_away"), "--baseline",
                                 self.path("ties_away"))
        self.assertEqual(code, 0, out)
        gone = len(self.findings("ties_away"))
        self.assertIn(f"; 0 new, 0 known, 0 fixed, {gone} not judged again", out)

    def refused(self, code, wanted, *arguments):
        found, out, err = quantcert(*arguments)
        self.assertEqual((found, out), (code, ""), err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(wanted, err)

    def edited(self, key, value):
        """A copy of the baseline with one value of run.json changed."""
        folder = self.path("edited")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.path("ties_away"), folder)
        path = os.path.join(folder, "run.json")
        with open(path) as file:
            run = json.load(file)
        run[key] = value
        with open(path, "w") as file:
            json.dump(run, file)
            file.write("\n")
        return folder

    def test_baselines_that_are_refused(self):
        run = (*RUN, "--backend", "reference", "--baseline")
        self.refused(3, "run.json", *run, self.path("nothing"))
        self.refused(3, "cases version 999", *run, self.edited("cases_version", 999))
        self.refused(3, "rows of profile ideal have changed", *run,
                     self.edited("rows_digest", "0" * 64))
        self.refused(3, "judged under profile ideal, expected profiles as claimed", "run",
                     "--backend", "reference", "--baseline", self.path("ties_away"))
        self.refused(2, "--baseline expected", *RUN, "--backend", "reference", "--fail-on",
                     "new")
        self.refused(2, "any or new expected", *RUN, "--backend", "reference", "--fail-on",
                     "old")


if __name__ == "__main__":
    unittest.main()
