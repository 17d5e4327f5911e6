# SPDX-License-Identifier: Apache-2.0
"""Checks a worker against docs/worker-protocol.md, its error paths included.

    python3 tools/worker_check.py COMMAND...

Plays the suite's side, one conversation per check. Prints `ok` or `FAIL` for each; exit code
0 when all hold, 1 when one does not, 2 for usage. Nothing but the protocol is judged: whether
answers are right is for `quantcert run`."""
import pathlib
import select
import struct
import subprocess
import sys
import time

MAGIC = b"qcw\x01"
HELLO, DESCRIBE, RUN, CLOSE, ANSWER = 1, 2, 3, 4, 0x80
PATIENCE = 120  # seconds for an answer: frameworks load slowly
MOST_ARGS = 12
OPS_DEF = pathlib.Path(__file__).resolve().parent.parent / "spec" / "ops.def"
SIZES = {1: 4, 2: 8, 3: 2, 4: 2, 5: 1, 6: 1, 7: 4, 8: 8}


class Failed(Exception):
    pass


def expect(truth, what):
    if not truth:
        raise Failed(what)


def text(data):
    return struct.pack("<I", len(data)) + data


def frame(kind, sequence, payload):
    return struct.pack("<4sIII", MAGIC, kind, sequence, len(payload)) + payload


def read_ops():
    """[(op, [(argument, is output)])], the rows of spec/ops.def."""
    ops = {}
    for line in OPS_DEF.read_text().splitlines():
        words = [word.strip() for word in line.partition("(")[2].split(",")]
        if line.startswith("QC_OP("):
            ops[words[0]] = []
        elif line.startswith("QC_ARG("):
            ops[words[0]].append((words[1], words[2] == "OUT"))
    return list(ops.items())


OPS = read_ops()


def ops_payload():
    parts = [struct.pack("<I", len(OPS))]
    for op, args in OPS:
        parts += text(op.encode()), struct.pack("<I", len(args))
        for name, is_output in args:
            parts += text(name.encode()), struct.pack("<I", is_output)
    return b"".join(parts)


class Conversation:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, bufsize=0)
        self.sequence = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def take(self, count, patience=PATIENCE):
        data, deadline = b"", time.monotonic() + patience
        while len(data) < count:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(left, 0))
            expect(ready, f"no answer within {patience} s, {len(data)} of {count} bytes came")
            part = self.process.stdout.read(count - len(data))
            expect(part, f"the stream ends after {len(data)} of {count} bytes of a frame")
            data += part
        return data

    def send(self, data):
        try:
            self.process.stdin.write(data)
        except BrokenPipeError as gone:
            raise Failed("the worker is gone before it was asked") from gone

    def ask(self, kind, payload):
        """(status, message, body) of a request's answer."""
        self.sequence += 1
        self.send(frame(kind, self.sequence, payload))
        magic, found, sequence, count = struct.unpack("<4sIII", self.take(16))
        expect(magic == MAGIC, f"the answer begins with {magic!r}")
        expect(found == kind | ANSWER, f"kind {found:#x} answers kind {kind:#x}")
        expect(sequence == self.sequence, f"{sequence} answers request {self.sequence}")
        expect(8 <= count <= 1 << 20, f"an answer of {count} bytes")
        payload = self.take(count)
        status, length = struct.unpack_from("<II", payload)
        expect(status <= 4, f"status {status} is none")
        expect(8 + length <= count, "the message goes beyond the frame")
        body = payload[8 + length:]
        expect(status == 0 or not body, f"a refusal with {len(body)} bytes of results")
        return status, payload[8:8 + length].decode(), body

    def hello(self):
        status, message, body = self.ask(HELLO, struct.pack("<I", 1))
        expect(status == 0, f"hello is refused: {message}")
        expect(len(body) == 8, f"hello is answered with {len(body)} bytes, not 8")
        version, flags = struct.unpack("<II", body)
        expect(version == 1, f"version {version}, expected 1")
        expect(flags & ~1 == 0, f"unknown flags {flags:#x}")
        return flags

    def describe(self):
        status, message, body = self.ask(DESCRIBE, ops_payload())
        expect(status == 0, f"describe is refused: {message}")
        return Description(body)

    def silent(self, seconds=0.3):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        expect(not ready or self.process.stdout.read(1) == b"", "it spoke without being asked")

    def ends(self):
        """Its exit code, within ten seconds and without another byte."""
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired as late:
            raise Failed("it still is, ten seconds later") from late
        left = self.process.stdout.read()
        expect(not left, f"it wrote {left[:40]!r} where nothing is answered")
        return code


class Description:
    def __init__(self, body):
        self.body, self.at = body, 0
        self.name, self.version = self.text(), self.text()
        self.capabilities = [self.capability() for _ in range(self.words(1)[0])]
        expect(self.at == len(body), f"{len(body) - self.at} bytes behind the description")

    def words(self, count, code="I"):
        size = struct.calcsize(f"<{count}{code}")
        expect(self.at + size <= len(self.body), "the description ends too early")
        found = struct.unpack_from(f"<{count}{code}", self.body, self.at)
        self.at += size
        return found

    def text(self):
        (count,) = self.words(1)
        expect(count < 64, f"a string of {count} bytes, at most 63 expected")
        data = bytes(self.words(count, "B"))
        expect(b"\0" not in data, "a NUL within a string")
        return data.decode()

    def capability(self):
        words = self.words(1 + MOST_ARGS + 10)
        self.words(1, "q")
        low, high = self.words(2, "d")
        (zero_points,) = self.words(1)
        shifts, terms, multiplier = self.words(2, "i"), self.words(2, "q"), self.words(2, "d")
        claims = [self.text() for _ in range(self.words(1)[0])]
        expect(words[0] < len(OPS), f"op {words[0]} is none of {len(OPS)}")
        expect(len(claims) < 8, f"{len(claims)} claims, at most 7 expected")
        expect(all(word < 1 << 9 for word in words[1:13]), "a dtype that is none")
        expect(words[17] <= 6 and words[16] <= words[17], "ranks out of order or above 6")
        expect(low >= 0 and (high == 0 or high >= low), "a scale range that is none")
        expect(zero_points < 4, f"zero points {zero_points} are no set")
        expect(shifts[0] <= shifts[1] and terms[0] >= 0, "shifts or terms out of order")
        expect(min(multiplier) >= 0, "a multiplier range that is none")
        return words[0], words[1:13]


def empty_call(op, dtypes):
    """A call whose tensors are of rank 1 and have no elements."""
    at = 128 + 128 * len(dtypes)
    records = b"".join(struct.pack("<II6q6qqQQ", dtype, 1 if dtype else 0, *[0] * 5, 0, *[1] * 6,
                                   0, at, 0) for dtype in dtypes)
    unset = -2**31
    return struct.pack("<II10i2d64s", op, len(dtypes), unset, unset, unset, *[0] * 7, 0.0, 1.0,
                       b"ideal") + records


def speaks(talk):
    talk.hello()
    talk.describe()
    talk.silent()


def closes(talk):
    talk.hello()
    talk.describe()
    talk.send(frame(CLOSE, talk.sequence + 1, b""))
    code = talk.ends()
    expect(code == 0, f"exit code {code} after close")


def ends_with_stream(talk):
    talk.hello()
    talk.process.stdin.close()
    talk.ends()


def refuses_what_it_does_not_offer(talk):
    talk.hello()
    about = talk.describe()
    offered = {op for op, _ in about.capabilities}
    for op, (name, args) in enumerate(OPS):
        if op not in offered:
            status, _, _ = talk.ask(RUN, empty_call(op, [1] * len(args)))
            expect(status in (1, 2), f"{name} is not offered, yet answered with status {status}")


def refuses_malformed_runs(talk):
    talk.hello()
    about = talk.describe()
    for payload in (b"", b"\0" * 7, struct.pack("<II", 10**6, 4), b"\xff" * 640,
                    empty_call(2, [1, 1, 7, 5])[:300], empty_call(2, [99] * 4)):
        status, _, _ = talk.ask(RUN, payload)
        expect(status != 0, f"success for a call of {len(payload)} bytes that is none")
    expect(about.capabilities, "nothing is offered")


def keeps_answering(talk):
    """After a refusal, and for numbers that begin anywhere."""
    talk.hello()
    talk.sequence = 2**32 - 3
    talk.describe()
    talk.ask(RUN, b"")


def refuses_unknown_kinds(talk):
    talk.hello()
    for kind in 5, 77:
        status, _, _ = talk.ask(kind, b"what is this")
        expect(status == 2, f"kind {kind} is answered with status {status}, not UNSUPPORTED")


def breaks_off(talk, data, ends_input):
    talk.hello()
    talk.send(data)
    if ends_input:
        talk.process.stdin.close()
    code = talk.ends()
    expect(code != 0, "exit code 0 after a broken stream")


CHECKS = [
    ("hello and describe are answered, and nothing else is said", speaks),
    ("close ends it with exit code 0", closes),
    ("the end of its stdin ends it", ends_with_stream),
    ("an op that it does not offer is refused", refuses_what_it_does_not_offer),
    ("a malformed run is refused", refuses_malformed_runs),
    ("it answers on after a refusal, under any number", keeps_answering),
    ("an unknown kind is answered with UNSUPPORTED", refuses_unknown_kinds),
    ("garbage ends it", lambda talk: breaks_off(talk, b"GET / HTTP/1.1\r\n\r\n", False)),
    ("an oversized frame ends it",
     lambda talk: breaks_off(talk, struct.pack("<4sIII", MAGIC, RUN, 1, 2**32 - 1), False)),
    ("a frame cut short ends it",
     lambda talk: breaks_off(talk, frame(DESCRIBE, 1, ops_payload())[:50], True)),
    ("a header cut short ends it", lambda talk: breaks_off(talk, MAGIC + b"\3\0", True)),
]


def main(command):
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    for name, check in CHECKS:
        try:
            with Conversation(command) as talk:
                check(talk)
            print(f"ok   {name}")
        except Failed as reason:
            failed += 1
            print(f"FAIL {name}: {reason}")
            if check is speaks:
                print("what else there is to check needs that one")
                return 1
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
