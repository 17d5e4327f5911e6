# SPDX-License-Identifier: Apache-2.0
"""Ceilings: 500 lines a file, 80 lines a function. There is no list of exceptions."""
import sys

import tree

FILE_LINES = 500
FUNCTION_LINES = 80


def functions(lines):
    """(first line, lines) of each function: clang-format sets its braces in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
            while start > 1 and lines[start - 2] and lines[start - 2][-1] not in ";}/":
                start -= 1
        elif line == "}" and start is not None:
            yield start, number - start + 1
            start = None


def findings():
    for path in tree.files(".c", ".h", ".def", ".py", ".sh", ".build", ""):
        if path.name == "LICENSE" or path.parts[0] == "corpus":
            continue
        lines = (tree.ROOT / path).read_text().splitlines()
        if len(lines) > FILE_LINES:
            yield f"{path}: {len(lines)} lines, at most {FILE_LINES}"
        for start, length in functions(lines) if path.suffix in {".c", ".h"} else ():
            if length > FUNCTION_LINES:
                yield f"{path}:{start}: a function of {length} lines, at most {FUNCTION_LINES}"


if __name__ == "__main__":
    sys.exit(tree.report(list(findings())))
