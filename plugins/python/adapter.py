# SPDX-License-Identifier: Apache-2.0
"""What an adapter is made of: offers, each of one op, and the calls that they answer."""
import struct

import numpy as np

import wire

SETS = {"per_tensor": 1, "per_channel": 2, "divide": 1, "multiply": 2, "full": 1, "narrow": 2,
        "common": 1, "zero": 2}
WORDS = {"mask_form": ("grid", "real"), "params": ("scales", "multiplier", "fixed", "real"),
         "scheme": ("affine", "symmetric"), "observer": ("min_max", "moving_average")}
CHOICES = {"ste_mask": "mask_form", "fake_quantize_grad": "mask_form",
           "choose_qparams": "scheme", "observe": "observer", "requantize": "params",
           "quantized_linear": "params"}
NONE = -2**31  # an axis or an end of the grid that was left out
MAX_ARGS = 12


class Invalid(Exception):
    """The call is not valid for its op."""


class Unsupported(Exception):
    """The call is not offered."""


def bits(words, values):
    return sum(values[word] for word in words.split())


class Offer:
    """One op: `run(call)` gives its outputs, in order. Arguments that are named have the
    dtypes that are listed; others are not taken."""

    def __init__(self, op, run, *, claims="ideal", granularity="per_tensor", form="divide",
                 grid="full", choice="", rank=(0, 6), strided=True, nonfinite=True,
                 max_elems=0, scale_range=(0.0, 0.0), zero_points="", shifts=(0, 0),
                 terms=(0, 0), multiplier=(0.0, 0.0), **dtypes):
        self.op, self.run, self.dtypes, self.claims = op, run, dtypes, claims.split()
        words = WORDS.get(CHOICES.get(op), ())
        self.choices = sum(1 << words.index(word) for word in choice.split())
        self.granularity, self.form = bits(granularity, SETS), bits(form, SETS)
        self.words = (self.granularity, self.form, bits(grid, SETS), *rank, int(strided),
                      int(nonfinite), 1, 1, self.choices)
        self.limits = (max_elems, *scale_range, bits(zero_points, SETS), *shifts, *terms,
                       *multiplier)

    def pack(self, number, names):
        """The capability, as `describe` answers it."""
        unknown = set(self.dtypes) - set(names)
        if unknown:
            raise ValueError(f"{self.op} has no argument {unknown.pop()}")
        sets = [sum(1 << wire.DTYPE_NUMBERS[word] for word in self.dtypes.get(name, "").split())
                for name in names] + [0] * (MAX_ARGS - len(names))
        return struct.pack("<23IqddIiiqqdd", number, *sets, *self.words, *self.limits) + struct.pack(
            "<I", len(self.claims)) + b"".join(map(wire.pack_text, self.claims))

    def takes(self, call):
        for name, dtype in call.dtypes.items():
            if dtype and dtype not in self.dtypes.get(name, "").split():
                return False
        chosen = getattr(call, CHOICES.get(self.op, ""), None)
        return (self.choices == 0 or chosen in [
            word for n, word in enumerate(WORDS[CHOICES[self.op]]) if self.choices >> n & 1]
                ) and self.form & SETS[call.scale_form] and (
                    self.granularity & (1 if call.axis is None else 2))


class Call:
    """Attributes by name; `call["x"]` is an input, `call.dtypes["x"]` the name of its dtype
    (None: absent). Arrays are read-only views of the frame: copy what outlives the call."""

    def __init__(self, payload, ops):
        view = memoryview(payload)
        number, count, *rest = wire.CALL.unpack_from(view)
        if number >= len(ops) or count != len(ops[number][1]):
            raise Invalid(f"op {number} with {count} arguments")
        self.op, args = ops[number]
        (axis, self.qmin, self.qmax, form, mask, params, scheme, observer, self.threads, _,
         self.averaging, self.grad_factor, profile) = rest
        self.axis = None if axis == NONE else axis
        self.scale_form = ("divide", "multiply")[form]
        self.mask_form, self.params = WORDS["mask_form"][mask], WORDS["params"][params]
        self.scheme, self.observer = WORDS["scheme"][scheme], WORDS["observer"][observer]
        self.profile = profile.rstrip(b"\0").decode()
        self.arrays, self.dtypes, self.outputs = {}, {}, []
        at = wire.CALL.size
        for index, (name, is_output) in enumerate(args):
            self._take(name, index, is_output, wire.TENSOR.unpack_from(view, at), payload)
            at += wire.TENSOR.size
        if self.axis is not None and self.axis < 0:
            self.axis += self._rank  # the same axis, counted from the front

    def _take(self, name, index, is_output, record, payload):
        number, rank = record[:2]
        self._rank = rank if index == 0 else self._rank
        known, dtype = wire.DTYPES.get(number, (None, None))
        self.dtypes[name] = known
        if number == 0:
            return
        if known is None or rank > 6:
            raise Invalid(f"{name}: dtype {number}, rank {rank}")
        dims = record[2:2 + rank]
        if is_output:
            self.outputs.append((index, number, dims, dtype))
            return
        offset, at, count = record[14:]
        if count == 0:
            self.arrays[name] = np.empty([max(dim, 0) for dim in dims], dtype)
            return
        size = dtype.itemsize
        array = np.ndarray(dims, dtype, payload, at + offset * size,
                           [stride * size for stride in record[8:8 + rank]])
        array.flags.writeable = False
        self.arrays[name] = array

    def __getitem__(self, name):
        return self.arrays[name]

    def get(self, name):
        """The input, or None where it is absent."""
        return self.arrays.get(name)

    def grid(self, code=None):
        """(qmin, qmax) with what was left out resolved."""
        low, high = (0, 255) if self.dtypes.get(code) == "u8" else (-128, 127)
        return (low if self.qmin == NONE else self.qmin, high if self.qmax == NONE else self.qmax)

    def pack(self, results):
        """The outputs, as `run` answers them."""
        results = results if isinstance(results, tuple) else (results,)
        if len(results) != len(self.outputs):
            raise ValueError(f"{len(results)} outputs, {len(self.outputs)} expected")
        parts = []
        for (index, number, dims, dtype), result in zip(self.outputs, results):
            array = np.asarray(result)
            if array.dtype != dtype or array.shape != dims:
                raise ValueError(f"output {index}: {array.dtype}{array.shape} where "
                                 f"{dtype}{dims} is expected")
            parts += wire.OUTPUT.pack(index, number, array.nbytes), array.tobytes()
        return b"".join(parts)
