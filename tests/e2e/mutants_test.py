# SPDX-License-Identifier: Apache-2.0
"""Every mutant is caught at its level with its exact verdict; its other ops still pass."""
import itertools
import json
import os
import re
import sys
import unittest

from suite import SOURCE, mutant, quantcert

ROW = re.compile(r'^QC_MUTANT\((\w+), (\w+), ([\w-]+|"[\w.-]+"), (\w+), ([\w-]+|"[\w-]+")\)')
# Under sanitizers, which slow the child ten times: each so-manieth row.
EVERY = int(os.environ.get("QC_EVERY", "1"))


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
                               "--level", level, "--json",
                               *(("--timeout", "500") if name == "hang" else ()))
    return code, [json.loads(line) for line in out.splitlines()], err


class Mutants(unittest.TestCase):
    def test_each_is_caught(self):
        order = verdict_order()
        count = 0
        for name, op, profile, level, verdict in itertools.islice(rows(), 0, None, EVERY):
            with self.subTest(mutant=name):
                code, groups, err = results(name, profile, level, op)
                self.assertEqual(code, 1, err)
                worst = max((g["verdict"] for g in groups), key=order.index)
                self.assertEqual(worst, verdict)
                count += 1
        print(f"{count} mutants, each {EVERY}. row", file=sys.stderr)
        self.assertEqual(count, len(range(0, len(list(rows())), EVERY)))

    def test_other_ops_still_pass(self):
        """Two ops beside the broken one; over all rows each op has its turns."""
        ops = offered_ops()
        for i, (name, op, profile, _, _) in enumerate(rows()):
            if i % EVERY == 0:
                others = [other for other in ops if other != op]
                for other in (others[i % len(others)], others[(i + 1) % len(others)]):
                    with self.subTest(mutant=name, op=other):
                        code, groups, err = results(name, profile, "smoke", other)
                        failing = [g for g in groups if g["claim"] != "conforms"][:1]
                        self.assertEqual(code, 0, err + str(failing))


def offered_ops():
    _, out, _ = quantcert("list", "ops")
    texts = re.split(r"^  (\w+) ", out, flags=re.M)[1:]
    return [op for op, text in zip(texts[::2], texts[1::2]) if "reference: yes" in text]


def verdict_order():
    _, out, _ = quantcert("list", "verdicts")
    return [line.split()[0] for line in out.splitlines()[1:]]


if __name__ == "__main__":
    unittest.main()
