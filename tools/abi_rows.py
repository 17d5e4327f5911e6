# SPDX-License-Identifier: Apache-2.0
"""The ABI of the public headers as rows of static assertions: sizes, offsets, enum values and
the places of arguments. With --check FILE: every name of the headers must have its row there,
so that nothing public is left unfrozen; whether the rows hold is the compiler's to say."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = sorted(path.name for path in (ROOT / "include" / "quantcert").glob("*.h"))
FLAGS = ["-std=c11", "-D_GNU_SOURCE", f"-I{ROOT / 'include'}", f"-I{ROOT / 'spec'}"]
# Numbers of one build, which cross no boundary: step lists travel as text.
UNFROZEN = {"qc_step_kind", "qc_token"}
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.S)
ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\} \1;", re.S)
FIELD = re.compile(r"\(\*(\w+)\)|(\w+)(?:\[[^]]*\])*$")
ARG = re.compile(r"^QC_ARG\((\w+), (\w+),", re.M)


def preprocessed():
    source = "".join(f'#include "quantcert/{name}"\n' for name in HEADERS)
    return subprocess.run(["gcc", "-E", "-P", *FLAGS, "-"], input=source, text=True,
                          capture_output=True, check=True).stdout


def fields(body):
    for declaration in re.sub(r"\s+", " ", body).split(";"):
        match = FIELD.search(declaration.strip())
        if match:
            yield match.group(1) or match.group(2)


def holds_pointer(name, bodies):
    return "*" in bodies[name] or any(
        holds_pointer(word, bodies) for word in re.findall(r"\bqc_\w+", bodies[name])
        if word in bodies)


def names():
    """(kind, name ...) of every row, in the order of the headers."""
    text = preprocessed()
    structs = dict(STRUCT.findall(text))
    for name, body in structs.items():
        word = "WIDE" if holds_pointer(name, structs) else "FIXED"
        yield word + "_SIZE", name
        for field in fields(body):
            yield word + "_FIELD", name, field
    for name, body in ENUM.findall(text):
        values = [value.split("=")[0].strip() for value in body.split(",") if value.strip()]
        for value in values if name not in UNFROZEN else []:
            if not value.endswith("_COUNT"):
                yield "VALUE", value
    for op, arg in ARG.findall((ROOT / "spec" / "ops.def").read_text()):
        yield "ARG", op, arg


def measured(rows):
    """The rows with the number that each has here."""
    what = {"SIZE": "sizeof({})", "FIELD": "offsetof({}, {})", "VALUE": "{}",
            "ARG": "QC_ARG_OF({}, {})"}
    source = "".join(f'#include "quantcert/{name}"\n' for name in HEADERS)
    source += "#include <stdio.h>\nint main(void)\n{\n"
    for kind, *name in rows:
        number = what[kind.split("_")[-1]].format(*name)
        source += f'printf("{kind}({", ".join(name)}, %d)\\n", (int){number});\n'
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "rows"
        subprocess.run(["gcc", *FLAGS, "-x", "c", "-", "-o", program], text=True,
                       input=source + "}\n", check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", metavar="FILE")
    options = parser.parse_args()
    rows = list(names())
    if not options.check:
        print(measured(rows), end="")
        return 0
    text = pathlib.Path(options.check).read_text()
    missing = [row for row in rows if f"{row[0]}({', '.join(row[1:])}, " not in text]
    for row in missing:
        print(f"{options.check}: no row {row[0]}({', '.join(row[1:])}, ...)")
    print(f"{len(rows)} rows wanted, {len(missing)} missing")
    return 1 if missing or len(rows) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
