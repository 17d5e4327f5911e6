# SPDX-License-Identifier: Apache-2.0
"""Rules of the source text that neither compiler nor clang-format knows."""
import re
import sys

import tree

# Names of files that carry code or configuration; data and prose have no licence line.
CODE = {".c", ".h", ".def", ".py", ".sh", ".in", ".build"}
CODE_NAMES = {"dev", "run", ".clang-format", ".editorconfig"}

LINE_RULES = (
    (re.compile(r"\t"), "a tab"),
    (re.compile(r"[ \t\r]$"), "a space or carriage return at the end"),
    (re.compile(r"[\u200b-\u200f\u2028-\u202e\u2060\ufeff]"), "an invisible character"),
    (re.compile(r"\b(?:TO[D]O|FIX[M]E)\b"), "an unfinished-work marker"),
    (re.compile(r"(?<![\w.$}/<])/(?:home|root|work|Users)/"), "a path of one machine"),
    (re.compile(r'#\s*include\s*"\.\./'), "an include through ../"),
)
INCLUDE = re.compile(r'#\s*include\s*"(\w+)/')


def is_code(path):
    return path.suffix in CODE or path.name in CODE_NAMES


def crosses_stages(path, line):
    found = INCLUDE.search(line)
    stage = path.parts[0]
    if not found or path.suffix not in {".c", ".h", ".def"} or stage in tree.WIRING:
        return False
    return found[1] in (tree.STAGES | tree.WIRING) - {stage}


def text_findings(path, text):
    if text and not text.endswith("\n"):
        yield f"{path}: no newline at the end"
    if text.endswith("\n\n"):
        yield f"{path}: an empty line at the end"
    if is_code(path) and "SPDX-License-Identifier: Apache-2.0" not in "".join(
            text.splitlines()[:2]):
        yield f"{path}:1: no SPDX line"
    for number, line in enumerate(text.split("\n"), 1):
        for rule, what in LINE_RULES:
            if rule.search(line) and not (what == "a tab" and path.name == "Makefile"):
                yield f"{path}:{number}: {what}"
        if crosses_stages(path, line):
            yield f"{path}:{number}: an include of another stage"


def findings():
    for path in tree.files():
        if path.name == "LICENSE" or path.parts[0] == "corpus" and path.suffix != ".json":
            continue
        try:
            text = (tree.ROOT / path).read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            yield f"{path}: not UTF-8"
            continue
        yield from text_findings(path, text)


if __name__ == "__main__":
    sys.exit(tree.report(list(findings())))
