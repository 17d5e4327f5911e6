# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's CPU plugin, asked in ONNX operators: its own FakeQuantize takes the ends of ranges,
which no scale and zero point give exactly."""
import numpy as np
import openvino

from adapter import Offer
from onnx_nodes import Nodes

CORE = openvino.Core()


def compiled(model):
    network = CORE.compile_model(CORE.read_model(model), "CPU",
                                 {"INFERENCE_NUM_THREADS": 1,
                                  "INFERENCE_PRECISION_HINT": "f32"})
    return lambda feeds: np.array(
        network({name: np.array(value) for name, value in feeds.items()})[0])


def describe():
    nodes = Nodes(compiled, fixed=True)
    common = {"claims": "onnx", "strided": False}
    both = {**common, "granularity": "per_tensor per_channel"}
    matrices = {"x_zero_point": "s32", "w_zero_point": "s32", "rank": (2, 2), **common}
    offers = [
        Offer("quantize", nodes.quantize, x="f32", scale="f32", zero_point="s32", q="s8 u8",
              **both),
        Offer("dequantize", nodes.dequantize, q="s8 u8", scale="f32", zero_point="s32", y="f32",
              **both),
        Offer("linear_s32", nodes.linear_s32, x_q="s8 u8", w_q="s8 u8", acc="s32", **matrices)]
    for code in "s8", "u8":
        offers.append(Offer("quantized_linear", nodes.matmul, x_q=code, w_q="s8 u8", q=code,
                            x_scale="f32", w_scale="f32", out_scale="f32", out_zero_point="s32",
                            choice="scales", **matrices))
    return "openvino", openvino.__version__.partition("-")[0], offers
