# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: the built program and how to call it."""
import os
import subprocess

SOURCE = os.environ.get("QC_SOURCE_ROOT", os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("QC_BUILD_ROOT", os.path.join(SOURCE, "build"))
PROGRAM = os.path.join(BUILD, "quantcert")


def quantcert(*arguments, stdin=None, timeout=300):
    """Runs the program; returns (exit code, stdout, stderr) as text."""
    done = subprocess.run(
        [PROGRAM, *arguments], input=stdin, capture_output=True, text=True, timeout=timeout
    )
    return done.returncode, done.stdout, done.stderr


def mutant(name):
    """Path of a backend that is broken on purpose."""
    return os.path.join(BUILD, "tests", "mutants", name + ".so")
