# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, included twice, as C11; those that other folders include
also as C++17. A `*_template.h` is the body of another file and no header of its own."""
import subprocess
import sys

import tree

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"]
C = ["gcc", "-x", "c", "-std=c11", "-D_GNU_SOURCE", "-Wstrict-prototypes", *WARNINGS]
CXX = ["g++", "-x", "c++", "-std=c++17", *WARNINGS]


def is_interface(path):
    """Public headers, and the one that a stage shows: <stage>/<stage>.h."""
    return path.parts[0] == "include" or path.stem == path.parts[0] or path.parts[0] == "harness"


def compile_alone(compiler, path):
    source = f'#include "{path}"\n' * 2
    folders = ["-Iinclude", "-Ispec", "-I.", f"-I{path.parent}"]
    done = subprocess.run([*compiler, *folders, "-"], input=source, cwd=tree.ROOT,
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def findings():
    for path in tree.files(".h"):
        if path.stem.endswith("_template"):
            continue
        for compiler in (C, CXX) if is_interface(path) else (C,):
            errors = compile_alone(compiler, path)
            if errors:
                yield f"{path}: does not compile alone with {compiler[0]}:\n{errors.rstrip()}"


if __name__ == "__main__":
    sys.exit(tree.report(list(findings())))
