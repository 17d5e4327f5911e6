# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, included twice, as C11; those that other folders include
also as C++17. A `*_template.h` is the body of another file and no header of its own."""
import re
import subprocess
import sys
from pathlib import PurePosixPath

import tree

BUILT = "build-check/gcc"  # where ./dev check has made the files that headers include
INCLUDE = re.compile(r'#\s*include\s*"(\w+/\w+\.h)"')

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"]
C = ["gcc", "-x", "c", "-std=c11", "-D_GNU_SOURCE", "-Wstrict-prototypes", *WARNINGS]
CXX = ["g++", "-x", "c++", "-std=c++17", *WARNINGS]


def interfaces():
    """Public headers, and those that a file of another folder includes."""
    found = {path for path in tree.files(".h") if path.parts[0] == "include"}
    for path in tree.files(".c", ".h"):
        text = (tree.ROOT / path).read_text()
        found |= {PurePosixPath(name) for name in INCLUDE.findall(text)
                  if PurePosixPath(name).parts[0] != path.parts[0]}
    return found


def compile_alone(compiler, path):
    source = f'#include "{path}"\n' * 2
    folders = ["-Iinclude", "-Ispec", "-I.", f"-I{path.parent}", f"-I{BUILT}/{path.parent}"]
    done = subprocess.run([*compiler, *folders, "-"], input=source, cwd=tree.ROOT,
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def findings():
    shown = interfaces()
    for path in tree.files(".h"):
        if path.stem.endswith("_template"):
            continue
        for compiler in (C, CXX) if path in shown else (C,):
            errors = compile_alone(compiler, path)
            if errors:
                yield f"{path}: does not compile alone with {compiler[0]}:\n{errors.rstrip()}"


if __name__ == "__main__":
    sys.exit(tree.report(list(findings())))
