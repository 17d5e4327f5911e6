# SPDX-License-Identifier: Apache-2.0
"""The files of the source tree, as git sees them."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The stages of the pipeline, and the only folders that may see more than one of them.
STAGES = {"cases", "reference", "impl", "oracles", "judge", "reports", "contract"}
WIRING = {"harness", "cli", "tests", "fuzz", "bench"}


def files(*suffixes):
    """Paths relative to the root, sorted; of the given suffixes, or all."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout
    paths = (pathlib.PurePosixPath(name) for name in sorted(listed.split("\0")) if name)
    return [path for path in paths if (ROOT / path).is_file()
            and (not suffixes or path.suffix in suffixes)]


def report(findings):
    """Prints the findings; the exit code that they call for."""
    for finding in findings:
        print(finding)
    return 1 if findings else 0
