# SPDX-License-Identifier: Apache-2.0
"""Counts the tests of Meson's logs: `N passed, N failed, N skipped`, last.

usage: test_summary.py BUILD_FOLDER...

A folder without a log counts as one failure: its tests did not run. A skip says why."""
import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}


def last_line(test):
    lines = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
    return lines[-1] if lines else "without a reason"


def main(folders):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for folder in folders:
        log = pathlib.Path(folder, "meson-logs", "testlog.json")
        if not log.is_file():
            print(f"failed: {folder}: its tests did not run")
            counts["failed"] += 1
            continue
        for line in log.read_text().splitlines():
            test = json.loads(line)
            result = test["result"]
            outcome = ("passed" if result in PASSED
                       else "skipped" if result == "SKIP" else "failed")
            counts[outcome] += 1
            if outcome == "skipped":
                print(f"skipped: {folder}: {test['name']}: {last_line(test)}")
            elif outcome == "failed":
                print(f"failed: {folder}: {test['name']}: {result}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
