# SPDX-License-Identifier: Apache-2.0
"""The files of a results folder against their schemas, and the schemas against the headers.

usage: schema_test.py TEST_REPORTS_PROGRAM SOURCE_ROOT
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "tools"))
import json_schema  # noqa: E402

RUN = json.loads((ROOT / "reports/run.schema.json").read_text())
RESULT = json.loads((ROOT / "reports/results.schema.json").read_text())


def rows(path, pattern):
    return re.findall(pattern, (ROOT / path).read_text())


def objects(schema):
    """Every schema inside the schema that speaks of properties."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield schema
        for child in schema.values():
            yield from objects(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from objects(child)


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([PROGRAM, cls.folder.name], check=True)
        cls.path = pathlib.Path(cls.folder.name)
        cls.run_json = json.loads((cls.path / "run.json").read_text())
        lines = (cls.path / "results.jsonl").read_text().splitlines()
        cls.results = [json.loads(line) for line in lines]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_is_written_is_valid(self):
        self.assertEqual(list(json_schema.errors(self.run_json, RUN)), [])
        self.assertEqual(len(self.results), 4)
        for result in self.results:
            self.assertEqual(list(json_schema.errors(result, RESULT)), [])

    def test_every_key_is_needed_and_no_other_is_taken(self):
        result = next(r for r in self.results if r["witnesses"])
        for value, schema in ((self.run_json, RUN), (result, RESULT)):
            for key in value:
                less = {k: v for k, v in value.items() if k != key}
                self.assertTrue(list(json_schema.errors(less, schema)), key)
                wrong = {**value, key: []}
                if not isinstance(value[key], list):
                    self.assertTrue(list(json_schema.errors(wrong, schema)), key)
            self.assertTrue(list(json_schema.errors({**value, "more": 1}, schema)))
        broken = copy.deepcopy(result)
        broken["witnesses"][0]["verdict"] = "wrong"
        self.assertTrue(list(json_schema.errors(broken, RESULT)))

    def test_objects_are_closed_and_described(self):
        for schema in (*objects(RUN), *objects(RESULT)):
            self.assertIs(schema["additionalProperties"], False)
            self.assertIn("description", schema)

    def test_words_are_those_of_the_headers(self):
        header = (ROOT / "include/quantcert/verdict.h").read_text()
        words = {}
        for name, body in re.findall(r"#define QC_(\w+)\(X\)((?:.*\\\n)*.*)", header):
            words[name] = re.findall(r'X\(\w+, "([^"]+)"', body)
        properties = RESULT["properties"]
        self.assertEqual(RESULT["$defs"]["verdict"]["enum"], words["VERDICTS"])
        self.assertEqual(list(properties["counts"]["properties"]), words["VERDICTS"])
        self.assertEqual(properties["claim"]["enum"], words["CLAIMS"])
        self.assertEqual(properties["accuracy"]["enum"], words["ACCURACIES"])
        self.assertEqual(RUN["properties"]["level"]["enum"], words["LEVELS"])
        self.assertEqual(properties["op"]["enum"],
                         rows("spec/ops.def", r"(?m)^QC_OP\((\w+),"))
        self.assertEqual(properties["dtypes"]["additionalProperties"]["enum"],
                         rows("include/quantcert/types.h", r"X\((\w+), [A-Z]\w*, \d\)"))

    def test_unknown_keywords_are_refused(self):
        with self.assertRaises(ValueError):
            list(json_schema.errors(1, {"multipleOf": 2}))

    def test_junit_is_xml_and_holds_every_group(self):
        suites = xml.etree.ElementTree.parse(self.path / "junit.xml").getroot()
        cases = suites.findall("testsuite/testcase")
        self.assertEqual([case.get("name") for case in cases],
                         [result["group"] for result in self.results])
        found = [case[0].tag if len(case) else "none" for case in cases]
        self.assertEqual(found, ["skipped", "skipped", "failure", "none"])
        self.assertIn("--backend './lib it'\\''s.so'", cases[2].find("system-out").text)
        self.assertEqual(suites.find("testsuite").get("name"), "ties & <away> 2.0")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
