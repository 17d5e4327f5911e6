# SPDX-License-Identifier: Apache-2.0
"""Every way a worker can misbehave has its verdict and its line, and leaves nothing behind."""
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ["QC_SOURCE_ROOT"])
PROGRAM = pathlib.Path(os.environ["QC_BUILD_ROOT"]) / "quantcert"
LINE = "qc1 op=quantize x=f32[5]:1,2,3,4,5 scale=f32[]:2 zero_point=s32[]:0 q=s8"
EXAMPLE = "qc1 op=quantize x=f32[2]:1,3 scale=f32[]:2 zero_point=s32[]:1 q=s8"
UNDECLARED = LINE.replace("q=s8", "q=u8")

STARTS = {
    "garbage": "no frame where the answer to hello was expected, but 'Loading model... done\\x0a'",
    "short garbage": "no frame where the answer to hello was expected, but 'ok?\\x0a'",
    "version": "the worker speaks version 7 of the protocol, expected 1",
    "flags": "hello: expected a version and known flags, nothing else",
    "refused hello": "hello: no device",
    "short hello": "hello: expected a version and known flags, nothing else",
    "cut hello": "no answer within 700 ms, in describe",
    "eager": "16 bytes behind the answer to hello, which nobody asked for",
    "hang in 1": "no answer within 700 ms, in describe",
    "refused describe": "no such device",
    "huge describe": "a frame of 2147483648 bytes in answer to describe, at most 1052680 expected",
    "describe of another": "frame of kind 0x82 for request 10 where kind 0x82 for request 1 was "
                           "expected: out of order",
    "cut description": "describe: a claim: expected a string of at most 63 bytes",
    "long description": "describe: the answer goes on behind its 1 capabilities",
    "long name": "describe: name: expected a string of at most 63 bytes",
    "nul in name": "describe: name: expected a string of at most 63 bytes",
    "claims": "describe: capabilities[0] has 8 claims, at most 7 expected",
    "unknown claim": "capabilities[0].claims[0]: unknown profile 'mine'",
    "count": "describe: 4000 capabilities, at most 256 expected",
    "alignment": "describe: capabilities[0].alignment_bytes is out of range",
    "status in describe": "status 77 is none of qc_status",
    "hang in 2": "no answer within 700 ms, in describe",
}

RUNS = {
    "cut": ("protocol", "ended its process with exit code 0 within a frame, after 43 of 45"),
    "cut header": ("protocol", "within a frame, after 9 of 16 bytes, in run"),
    "cut and killed": ("crash", "died by signal 9 within a frame, after 43 of 45 bytes, in run"),
    "cut and silent": ("timeout", "no answer within 300 ms, in run"),
    "oversized": ("protocol", "a frame of 4294967295 bytes in answer to run, at most 4125"),
    "sequence": ("protocol", "frame of kind 0x83 for request 1 where kind 0x83 for request 2"),
    "kind": ("protocol", "frame of kind 0x82 for request 2 where kind 0x83 for request 2"),
    "a request": ("protocol", "frame of kind 0x3 for request 2 where kind 0x83 for request 2"),
    "twice": ("protocol", "45 bytes behind the answer to run, which nobody asked for"),
    "print": ("protocol", "no frame where the answer to run was expected, but 'epoch 1\\x0aqcw"),
    "print behind": ("protocol", "4 bytes behind the answer to run, which nobody asked for"),
    "status": ("protocol", "status 77 is none of qc_status"),
    "dtype": ("protocol", "q: expected argument 3, s8, 5 bytes; found argument 3, u8, 5 bytes"),
    "argument": ("protocol", "q: expected argument 3, s8, 5 bytes; found argument 2, s8"),
    "size": ("protocol", "q: expected argument 3, s8, 5 bytes; found argument 3, s8, 4 bytes"),
    "lying size": ("protocol", "q: the answer ends within its 5 bytes"),
    "nothing": ("protocol", "q: expected argument 3, s8, 5 bytes; found"),
    "more": ("protocol", "2 bytes behind the outputs of quantize"),
    "refused and done": ("protocol", "the answer to run refuses and has 21 bytes of results"),
    "long message": ("protocol", "the answer to run is shorter than its own message says"),
    "hang": ("timeout", "no answer within 300 ms, in run"),
    "exit": ("crash", "the worker ended its process with exit code 0, in run"),
    "fail": ("crash", "the worker ended its process with exit code 3, in run"),
    "kill": ("crash", "the worker died by signal 9, in run"),
    "close": ("protocol", "the worker closed its stdout, in run"),
    "second": ("nondeterministic", "q[0] differs between two runs of one plan"),
    "position": ("position-dependent", "q[0] differs between tensors at the end and in front"),
    "refuse": ("rejected-valid", "scale: no"),
    "fault": ("rejected-valid", "mmmmm"),
}


def backend(trick, *more):
    words = [sys.executable, str(ROOT / "tests/hostile/worker.py"), trick, *more]
    return "worker:" + " ".join(map(shlex.quote, words))


def quantcert(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def survivors(trick):
    """Processes of that trick that still are, after a moment."""
    for _ in range(20):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"tests/hostile/worker.py" in b" ".join(words) and trick.encode() in words:
                found.append(entry.parent.name)
        if not found:
            break
        time.sleep(0.1)
    return found


class Worker(unittest.TestCase):
    def test_what_cannot_start(self):
        for trick, line in STARTS.items():
            with self.subTest(trick):
                code, said = quantcert("repro", LINE, "--backend", backend(trick),
                                       "--start-timeout", "700")
                self.assertEqual(code, 3, said)
                self.assertIn(line, said)
                self.assertEqual(said.count("\n"), 1, said)
                self.assertEqual(survivors(trick), [])

    def test_what_goes_wrong_in_run(self):
        for trick, (verdict, line) in RUNS.items():
            with self.subTest(trick):
                code, said = quantcert("repro", LINE, "--backend", backend(trick), "--timeout",
                                       "300" if verdict == "timeout" else "10000")
                self.assertEqual(code, 1, said)
                self.assertIn(f"got {verdict}: ", said)
                self.assertIn(line, said)
                self.assertEqual(survivors(trick), [])

    def test_success_for_what_was_never_declared(self):
        code, said = quantcert("repro", UNDECLARED, "--backend", backend("honest"))
        self.assertEqual(code, 1, said)
        self.assertIn("protocol: success reported for quantize of dtypes that were never "
                      "declared, in run", said)

    def test_no_such_program(self):
        code, said = quantcert("repro", LINE, "--backend", "worker:./no-such-program")
        self.assertEqual(code, 3)
        self.assertIn("the worker ended its process with exit code 127", said)

    def test_the_run_goes_on(self):
        """One lie in fifty: each is a verdict, and what lies between is judged."""
        code, said = quantcert("run", "--backend", backend("sometimes"), "--level", "smoke",
                               "--jobs", "1")
        self.assertEqual(code, 1, said)
        self.assertIn("protocol: no frame where the answer to run was expected", said)
        self.assertRegex(said, r"\d,\d{3} elements")
        self.assertEqual(survivors("sometimes"), [])

    def test_leaves_nothing(self):
        for trick in "honest", "orphan", "close late":
            code, said = quantcert("repro", LINE, "--backend", backend(trick))
            self.assertNotIn("protocol", said)
            self.assertIn(code, (0, 1))
            self.assertEqual(survivors(trick), [])


def example():
    """The frames of docs/worker-protocol.md, by the words of their fences."""
    page = (ROOT / "docs" / "worker-protocol.md").read_text()
    frames = {}
    for name, dump in re.findall(r"```([a-z-]+)\n(.*?)```", page, re.DOTALL):
        data = b""
        for line in dump.splitlines():
            at, _, hexes = line.partition("  ")
            repeat = int(at, 16) - len(data) if hexes else 0  # what `*` stands for
            data += data[-16:] * (repeat // 16) + bytes.fromhex(hexes)
        frames[name] = data
    return frames


class Example(unittest.TestCase):
    """The page's bytes are what the suite sends, and what a worker may answer."""

    def test_the_suite_sends_it(self):
        frames = example()
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "requests"
            quantcert("repro", EXAMPLE, "--backend", backend("honest", str(log)))
            sent = log.read_bytes()
        self.assertEqual(sent[:len(frames["hello"])], frames["hello"])
        second = sent[len(frames["hello"]):]
        describe_bytes = 16 + struct.unpack_from("<I", second, 12)[0]
        self.assertEqual(second[describe_bytes:][:len(frames["run"])], frames["run"])
        self.assertEqual(sent[-16:], frames["close"])

    def test_a_worker_answers_it(self):
        frames = example()
        command = [sys.executable, ROOT / "tests/hostile/worker.py", "honest"]
        describe = b"qcw\1" + struct.pack("<III", 2, 1, 0)
        asked = frames["hello"] + describe + frames["run"] + frames["close"]
        answered = frames["hello-answer"] + frames["describe-answer"] + frames["run-answer"]
        done = subprocess.run(command, input=asked, capture_output=True, timeout=60)
        self.assertEqual(done.stdout.hex(" "), answered.hex(" "))
        self.assertEqual(done.returncode, 0)


CAUGHT = ("garbage", "version", "flags", "refused hello", "short hello", "eager", "huge describe",
          "describe of another", "cut description", "long description", "long name",
          "nul in name", "claims", "status in describe", "refused describe")


class Checker(unittest.TestCase):
    """tools/worker_check.py, on workers that err and on the one in plugins/python."""

    def check(self, *words):
        done = subprocess.run([sys.executable, ROOT / "tools/worker_check.py", *words],
                              capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout

    def test_it_catches(self):
        for trick in CAUGHT:
            with self.subTest(trick):
                code, said = self.check(sys.executable, ROOT / "tests/hostile/worker.py", trick)
                self.assertEqual(code, 1, said)
                self.assertIn("FAIL hello and describe are answered", said)

    def test_the_python_worker_passes(self):
        python = python_with_numpy()
        if python is None:
            self.skipTest("no Python here has NumPy; ./dev plugins installs it")
        code, said = self.check(python, ROOT / "plugins/python/worker.py", "example")
        self.assertEqual(code, 0, said)
        self.assertIn("11 passed, 0 failed", said)


class Guide(unittest.TestCase):
    """docs/adding-a-backend.md, its part on Python, followed literally."""

    def test_it_gives_an_adapter_for_two_ops(self):
        python = python_with_numpy()
        if python is None:
            self.skipTest("no Python here has NumPy; ./dev plugins installs it")
        page = (ROOT / "docs" / "adding-a-backend.md").read_text().partition("## In Python")[2]
        (adapter,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        (command,) = re.findall(r"```shell\nquantcert (.*?)\n```", page, re.DOTALL)
        self.assertLessEqual(adapter.count("\n"), 40)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "mine.py").write_text(adapter)
            words = [word.replace("worker:python3 plugins",
                                  f"worker:{shlex.quote(str(python))} {ROOT}/plugins")
                     for word in shlex.split(command)]
            done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True,
                                  timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 groups: 2 conform", done.stdout)


def python_with_numpy():
    for python in pathlib.Path(os.environ["QC_BUILD_ROOT"]) / "plugins/python/bin/python", \
            sys.executable:
        if pathlib.Path(python).exists() and not subprocess.run(
                [python, "-c", "import numpy"], capture_output=True).returncode:
            return python
    return None


if __name__ == "__main__":
    unittest.main()
