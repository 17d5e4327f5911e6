# SPDX-License-Identifier: Apache-2.0
"""A worker that misbehaves as its argument says; its frames are made byte by byte here, so
that the suite's side is not held against itself. Honest, it has one op, quantize f32 -> s8,
and answers the sum of each element and the scale.

    worker.py TRICK [FILE]     FILE: the requests are appended to it as they come"""
import os
import signal
import struct
import sys
import time

TRICK = sys.argv[1]
LOG = sys.argv[2] if len(sys.argv) > 2 else None
QUANTIZE, F32, S32, S8 = 2, 1, 7, 5
DEFAULT_CLAIMS = [b"ideal"]


def take(count):
    data = b""
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def request():
    header = take(16)
    magic, kind, sequence, count = struct.unpack("<4sIII", header)
    payload = take(count)
    if LOG:
        with open(LOG, "ab") as log:
            log.write(header + payload)
    return kind, sequence, payload


def frame(kind, sequence, payload):
    return struct.pack("<4sIII", b"qcw\x01", kind, sequence, len(payload)) + payload


def answered(status, body=b"", message=b""):
    return struct.pack("<II", status, len(message)) + message + body


def text(data):
    return struct.pack("<I", len(data)) + data


def description(name=b"hostile", claims=None, count=1, alignment=1, tail=b""):
    sets = [1 << F32, 1 << F32, 1 << S32, 1 << S8] + [0] * 8
    claims = DEFAULT_CLAIMS if claims is None else claims
    words = (QUANTIZE, *sets, 1, 1, 1, 0, 6, 1, 0, 1, alignment, 0)
    return (text(name) + text(b"1") + struct.pack("<I", count)
            + struct.pack("<23IqddIiiqqdd", *words, 0, 0.0, 0.0, 0, 0, 0, 0, 0, 0.0, 0.0)
            + struct.pack("<I", len(claims)) + b"".join(map(text, claims)) + tail)


def say(data):
    while data:
        data = data[os.write(1, data):]


def hang():
    time.sleep(3600)


# Before hello, in hello, in describe: what is said instead of the honest answer.
HELLO = answered(0, struct.pack("<II", 1, 0))
STARTS = {
    "garbage": (1, lambda n: b"Loading model... done\n"),
    "short garbage": (1, lambda n: b"ok?\n"),
    "version": (1, lambda n: frame(0x81, n, answered(0, struct.pack("<II", 7, 0)))),
    "flags": (1, lambda n: frame(0x81, n, answered(0, struct.pack("<II", 1, 6)))),
    "refused hello": (1, lambda n: frame(0x81, n, answered(2, message=b"no device"))),
    "short hello": (1, lambda n: frame(0x81, n, answered(0, b"\1\0"))),
    "cut hello": (1, lambda n: frame(0x81, n, HELLO)[:20]),
    "eager": (1, lambda n: frame(0x81, n, HELLO) + frame(0x82, n + 1, b"")),
    "refused describe": (2, lambda n: frame(0x82, n, answered(4, message=b"no\nsuch device"))),
    "huge describe": (2, lambda n: struct.pack("<4sIII", b"qcw\1", 0x82, n, 2**31)),
    "describe of another": (2, lambda n: frame(0x82, n + 9, answered(0, description()))),
    "cut description": (2, lambda n: frame(0x82, n, answered(0, description()[:-3]))),
    "long description": (2, lambda n: frame(0x82, n, answered(0, description(tail=b"xyz")))),
    "long name": (2, lambda n: frame(0x82, n, answered(0, description(name=b"n" * 64)))),
    "nul in name": (2, lambda n: frame(0x82, n, answered(0, description(name=b"a\0b")))),
    "claims": (2, lambda n: frame(0x82, n, answered(0, description(claims=[b"ideal"] * 8)))),
    "unknown claim": (2, lambda n: frame(0x82, n, answered(0, description(claims=[b"mine"])))),
    "count": (2, lambda n: frame(0x82, n, answered(0, description(count=4000)))),
    "alignment": (2, lambda n: frame(0x82, n, answered(0, description(alignment=48)))),
    "status in describe": (2, lambda n: frame(0x82, n, answered(77, description()))),
}


class Run:
    """One run request, and the ways to answer it."""
    count = 0

    def __init__(self, sequence, payload):
        Run.count += 1
        self.sequence = sequence
        records = [struct.unpack_from("<II6q6qqQQ", payload, 128 * i + 128) for i in range(4)]
        dims, (offset, at, self.bytes) = records[0][2:8], records[0][14:]
        strides, rank = records[0][8:14], records[0][1]
        self.elems = 1
        for dim in dims[:rank]:
            self.elems *= dim
        self.at, self.dtype = at, records[3][0]
        x = [struct.unpack_from("<f", payload, at + 4 * (offset + place))[0]
             for place in places(dims[:rank], strides[:rank])]
        scale = struct.unpack_from("<f", payload, records[1][15])[0]
        self.codes = bytes(int(value + scale) & 255 for value in x)

    def output(self, codes=None, arg=3, dtype=S8, size=None):
        codes = self.codes if codes is None else codes
        return struct.pack("<IIQ", arg, dtype, len(codes) if size is None else size) + codes

    def reply(self, body, status=0, message=b"", kind=0x83, step=0):
        return frame(kind, self.sequence + step, answered(status, body, message))

    def changed(self, by):
        return self.reply(self.output(bytes([(self.codes[0] + by) & 255]) + self.codes[1:]))

    def honest(self):
        return self.reply(self.output(dtype=self.dtype))


def places(dims, strides):
    found = [0]
    for dim, stride in zip(dims, strides):
        found = [place + i * stride for place in found for i in range(dim)]
    return found


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def close():
    os.close(1)
    hang()


def orphan():
    if os.fork() == 0:
        hang()


RUNS = {
    "cut": lambda r: (say(r.honest()[:-2]), os._exit(0)),
    "cut header": lambda r: (say(r.honest()[:9]), os._exit(0)),
    "cut and killed": lambda r: (say(r.honest()[:-2]), die()),
    "cut and silent": lambda r: (say(r.honest()[:-2]), hang()),
    "oversized": lambda r: struct.pack("<4sIII", b"qcw\1", 0x83, r.sequence, 2**32 - 1),
    "sequence": lambda r: r.reply(r.output(), step=-1),
    "kind": lambda r: r.reply(r.output(), kind=0x82),
    "a request": lambda r: r.reply(r.output(), kind=3),
    "twice": lambda r: r.honest() * 2,
    "print": lambda r: b"epoch 1\n" + r.honest(),
    "print behind": lambda r: r.honest() + b"done",
    "status": lambda r: r.reply(r.output(), status=77),
    "dtype": lambda r: r.reply(r.output(dtype=6)),
    "argument": lambda r: r.reply(r.output(arg=2)),
    "size": lambda r: r.reply(r.output(r.codes[:-1])),
    "lying size": lambda r: r.reply(r.output(r.codes[:-1], size=len(r.codes))),
    "nothing": lambda r: r.reply(b""),
    "more": lambda r: r.reply(r.output() + b"\0\0"),
    "refused and done": lambda r: r.reply(r.output(), status=2),
    "long message": lambda r: frame(0x83, r.sequence, struct.pack("<II", 0, 2**31)),
    "hang": lambda r: hang(),
    "exit": lambda r: os._exit(0),
    "fail": lambda r: os._exit(3),
    "kill": lambda r: die(),
    "close": lambda r: close(),
    "second": lambda r: r.changed(Run.count % 3 == 2),
    "position": lambda r: r.changed(r.at % 64 == 0),
    "refuse": lambda r: r.reply(b"", status=1, message=b"scale:\nno"),
    "fault": lambda r: r.reply(b"", status=4, message=b"m" * 239),
    "orphan": lambda r: (orphan(), r.honest())[1],
    "sometimes": lambda r: b"?" * 40 if Run.count % 50 == 0 else r.honest(),
    "close late": lambda r: r.honest(),
}


def serve():
    while True:
        kind, sequence, payload = request()
        when, trick = STARTS.get(TRICK, (0, None))
        if kind == when:
            say(trick(sequence))
            hang()
        if TRICK == f"hang in {kind}":
            hang()
        elif kind == 1:
            say(frame(0x81, sequence, HELLO))
        elif kind == 2:
            say(frame(0x82, sequence, answered(0, description())))
        elif kind == 3:
            run = Run(sequence, payload)
            said = RUNS.get(TRICK, Run.honest)(run)
            say(said if isinstance(said, bytes) else b"")
        elif TRICK == "close late":
            hang()
        else:
            os._exit(0)


serve()
