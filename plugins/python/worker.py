# SPDX-License-Identifier: Apache-2.0
"""A quantcert worker: one framework behind stdin and stdout.

    quantcert run --backend "worker:python3 plugins/python/worker.py NAME [ARGUMENT...]"

NAME is a file framework_NAME.py beside this one, or the path of such a file. It has a function
`describe(*arguments)` that gives the framework's name, its version and a list of offers."""
import importlib.util
import os
import pathlib
import struct
import sys

import numpy as np

import wire
from adapter import Call, Invalid, Unsupported

HERE = pathlib.Path(__file__).resolve().parent


def load(name):
    path = pathlib.Path(name) if name.endswith(".py") else HERE / f"framework_{name}.py"
    if not path.is_file():
        sys.exit(f"worker: no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Worker:
    def __init__(self, module, arguments):
        self.module, self.arguments = module, arguments
        self.ops, self.offers = [], {}

    def describe(self, payload):
        reader = wire.Reader(payload)
        self.ops = [(reader.text(), [(reader.text(), reader.u32()) for _ in range(reader.u32())])
                    for _ in range(reader.u32())]
        name, version, offers = self.module.describe(*self.arguments)
        numbers = {op: number for number, (op, _) in enumerate(self.ops)}
        packed = []
        for offer in offers:
            self.offers.setdefault(offer.op, []).append(offer)
            number = numbers[offer.op]
            packed.append(offer.pack(number, [arg for arg, _ in self.ops[number][1]]))
        return b"".join((wire.pack_text(name), wire.pack_text(version),
                         struct.pack("<I", len(packed)), *packed))

    def run(self, payload):
        call = Call(payload, self.ops)
        for offer in self.offers.get(call.op, ()):
            if offer.takes(call):
                return call.pack(offer.run(call))
        raise Unsupported(f"{call.op}: not offered for these dtypes and attributes")

    def answer(self, kind, payload):
        """(status, message, body) of one request."""
        try:
            if kind == wire.HELLO:
                return wire.OK, "", struct.pack("<II", wire.VERSION, wire.CHECKED)
            if kind == wire.DESCRIBE:
                return wire.OK, "", self.describe(payload)
            if kind == wire.RUN:
                return wire.OK, "", self.run(payload)
            return wire.UNSUPPORTED, f"no request has kind {kind}", b""
        except Unsupported as trouble:
            return wire.UNSUPPORTED, str(trouble), b""
        except (Invalid, struct.error) as trouble:
            return wire.INVALID, str(trouble), b""
        except MemoryError:
            return wire.NO_MEMORY, "out of memory", b""
        except Exception as trouble:  # whatever a framework raises is its answer
            line = " ".join(str(trouble).split())
            return wire.FAULT, f"{type(trouble).__name__}: {line}", b""


def serve(stream, worker):
    while (request := stream.read()) is not None:
        kind, sequence, count = request
        if kind == wire.CLOSE:
            return
        stream.answer(kind, sequence, *worker.answer(kind, stream.payload[:count]))


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: worker.py NAME [ARGUMENT...]")
    stream = wire.own_stream()
    np.seterr(all="ignore")  # signalling NaN are inputs like others
    try:
        serve(stream, Worker(load(sys.argv[1]), sys.argv[2:]))
    except wire.Broken as trouble:
        print(f"worker: {trouble}", file=sys.stderr, flush=True)
        os._exit(3)
    os._exit(0)  # frameworks take their time to unload


if __name__ == "__main__":
    main()
