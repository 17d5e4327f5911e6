# SPDX-License-Identifier: Apache-2.0
"""The smallest adapter: NumPy as a backend, quantize and dequantize per tensor."""
import numpy as np

from adapter import Offer

ENDS = {"s8": (-128, 127), "u8": (0, 255)}


def quantize(call):
    dtype = call.dtypes["q"]
    quotient = np.rint(call["x"].astype(np.float64) / np.float64(call["scale"]))
    codes = np.clip(np.nan_to_num(quotient, nan=0) + call["zero_point"], *ENDS[dtype])
    return codes.astype(np.int8 if dtype == "s8" else np.uint8)


def dequantize(call):
    steps = call["q"].astype(np.float64) - call["zero_point"]
    return (steps * np.float64(call["scale"]) + 0.0).astype(np.float32)


def describe():
    arguments = {"scale": "f32", "zero_point": "s32"}
    return "example", "1", [
        Offer("quantize", quantize, x="f32", q="s8 u8", **arguments),
        Offer("dequantize", dequantize, q="s8 u8", y="f32", **arguments),
    ]
