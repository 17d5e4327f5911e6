# SPDX-License-Identifier: Apache-2.0
"""Frames of the worker protocol (docs/worker-protocol.md), the worker's side."""
import os
import struct
import sys

import numpy as np

MAGIC = b"qcw\x01"
VERSION = 1
CHECKED = 1  # flag of hello: the suite checks calls before it sends them
HELLO, DESCRIBE, RUN, CLOSE = 1, 2, 3, 4
ANSWER = 0x80
OK, INVALID, UNSUPPORTED, NO_MEMORY, FAULT = range(5)
MOST_BYTES = 1 << 30  # of a payload

HEADER = struct.Struct("<4sIII")
CALL = struct.Struct("<II10i2d64s")
TENSOR = struct.Struct("<II6q6qqQQ")
OUTPUT = struct.Struct("<IIQ")
STATUS = struct.Struct("<II")

# bf16 has no NumPy type: it travels as its 16 bits.
DTYPES = {1: ("f32", np.dtype("<f4")), 2: ("f64", np.dtype("<f8")), 3: ("f16", np.dtype("<f2")),
          4: ("bf16", np.dtype("<u2")), 5: ("s8", np.dtype("i1")), 6: ("u8", np.dtype("u1")),
          7: ("s32", np.dtype("<i4")), 8: ("s64", np.dtype("<i8"))}
DTYPE_NUMBERS = {name: number for number, (name, _) in DTYPES.items()}


class Broken(Exception):
    """The stream is not what the protocol says: nothing on it can be trusted any more."""


class Stream:
    """Frames on two descriptors. Payloads start at multiples of 64 in memory, as the suite
    counts on when it places data."""

    def __init__(self, source, sink):
        self.source = source
        self.sink = sink
        self._room(1 << 16)

    def _room(self, payload_bytes):
        raw = np.empty(payload_bytes + 192, np.uint8)
        start = -(raw.ctypes.data + 16) % 64
        self.bytes = raw[start:start + 16 + payload_bytes]
        self.view = memoryview(self.bytes)
        self.payload = self.bytes[16:]

    def _fill(self, have, want):
        while have < want:
            count = os.readv(self.source, [self.view[have:]])
            if count == 0:
                if have == 0:
                    return 0
                raise Broken(f"the stream ends after {have} of {want} bytes of a frame")
            have += count
        return have

    def read(self):
        """(kind, sequence, payload bytes); None at the end of the stream."""
        have = self._fill(0, 16)
        if have == 0:
            return None
        magic, kind, sequence, count = HEADER.unpack_from(self.view)
        if magic != MAGIC:
            raise Broken(f"no frame: {bytes(self.view[:have][:16])!r}")
        if count > MOST_BYTES:
            raise Broken(f"a frame of {count} bytes, at most {MOST_BYTES} are taken")
        if 16 + count > len(self.bytes):
            start = bytes(self.view[:have])
            self._room(count * 2)
            self.view[:have] = start
        have = self._fill(have, 16 + count)
        if have > 16 + count:
            raise Broken(f"{have - 16 - count} bytes behind a frame")
        return kind, sequence, count

    def answer(self, kind, sequence, status, message="", body=b""):
        text = message.encode("utf-8", "replace")[:239]
        count = STATUS.size + len(text) + len(body)
        data = b"".join((HEADER.pack(MAGIC, kind | ANSWER, sequence, count),
                         STATUS.pack(status, len(text)), text, body))
        sent = os.write(self.sink, data)
        while sent < len(data):
            sent += os.write(self.sink, data[sent:])


def own_stream():
    """The stream on stdin and stdout, kept for frames alone: what else is printed goes to
    stderr."""
    stream = Stream(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stream


def pack_text(text):
    data = text.encode()
    return struct.pack("<I", len(data)) + data


class Reader:
    """A payload read front to back."""

    def __init__(self, payload):
        self.payload = bytes(payload)
        self.at = 0

    def u32(self):
        (value,) = struct.unpack_from("<I", self.payload, self.at)
        self.at += 4
        return value

    def text(self):
        count = self.u32()
        data = self.payload[self.at:self.at + count]
        if len(data) != count:
            raise Broken("a text goes beyond its payload")
        self.at += count
        return data.decode()
