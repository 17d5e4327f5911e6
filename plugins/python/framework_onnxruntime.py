# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's CPU kernels: QuantizeLinear, DequantizeLinear, MatMulInteger, QLinearMatMul,
and QGemm of its own domain."""
import onnxruntime

from adapter import Offer
from onnx_nodes import Nodes


def compiled(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)[0]


def describe():
    nodes = Nodes(compiled)
    common = {"claims": "onnxruntime onnx", "strided": False}
    both = {**common, "granularity": "per_tensor per_channel"}
    matrices = {"x_zero_point": "s32", "w_zero_point": "s32", "rank": (2, 2), **common}
    offers = [
        Offer("quantize", nodes.quantize, x="f32", scale="f32", zero_point="s32", q="s8 u8",
              **both),
        Offer("dequantize", nodes.dequantize, q="s8 u8", scale="f32", zero_point="s32", y="f32",
              **both),
        Offer("linear_s32", nodes.linear_s32, x_q="s8 u8", w_q="s8 u8", acc="s32", **matrices)]
    for x, w in ("s8", "s8"), ("u8", "s8"), ("u8", "u8"):
        codes = {"x_q": x, "w_q": w, "x_scale": "f32", "w_scale": "f32", **matrices}
        out = {"q": x, "out_scale": "f32", "out_zero_point": "s32", "choice": "scales"}
        offers += [Offer("quantized_linear", nodes.matmul, **codes, **out),
                   Offer("quantized_linear", nodes.gemm, bias="s32", **codes, **out),
                   Offer("quantized_linear_f32", nodes.gemm_f32, y="f32", **codes)]
    return "onnxruntime", onnxruntime.__version__, offers
