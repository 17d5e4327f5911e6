# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's CPU kernels, each as a model of one node that this file builds. Zero points
have the dtype of the codes there, so that they are relabelled; weights of MatMul are [K,N]."""
import functools

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from adapter import Offer

TYPES = {"f32": TensorProto.FLOAT, "s8": TensorProto.INT8, "u8": TensorProto.UINT8,
         "s32": TensorProto.INT32}
CODES = {"s8": np.int8, "u8": np.uint8}


@functools.lru_cache(maxsize=None)
def session(node, inputs, output, domain="", **attributes):
    """One node: inputs as (name, dtype) in its order, an empty name where one is left out."""
    graph = helper.make_graph(
        [helper.make_node(node, [name for name, _ in inputs], ["y"], domain=domain,
                          **attributes)], node,
        [helper.make_tensor_value_info(name, TYPES[dtype], None)
         for name, dtype in inputs if name],
        [helper.make_tensor_value_info("y", TYPES[output], None)])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])


def run(node, call, names, output, values=(), **attributes):
    values = dict(values)
    feeds = {name: values.get(name, call.get(name)) for name in names if name}
    inputs = []
    for name in names:
        code = CODE_OF.get(name)
        if name and code:
            feeds[name] = feeds[name].astype(CODES[call.dtypes[code]])
        inputs.append((name, call.dtypes[code or name] if name else ""))
    return session(node, tuple(inputs), output, **attributes).run(None, feeds)[0]


# Whose dtype a zero point takes.
CODE_OF = {"x_zero_point": "x_q", "w_zero_point": "w_q", "out_zero_point": "q"}


def affine(node, code, value):
    def kernel(call):
        held = session(node, ((value, call.dtypes[value]), ("scale", "f32"),
                              ("zero_point", call.dtypes[code])),
                       call.dtypes["q" if node == "QuantizeLinear" else "y"],
                       **({} if call.axis is None else {"axis": call.axis}))
        zero_point = call["zero_point"].astype(CODES[call.dtypes[code]])
        return held.run(None, {value: call[value], "scale": call["scale"],
                               "zero_point": zero_point})[0]
    return kernel


def linear_s32(call):
    w = np.ascontiguousarray(call["w_q"].T)
    return run("MatMulInteger", call, ("x_q", "w_q", "x_zero_point", "w_zero_point"), "s32",
               {"w_q": w})


def matmul(call):
    w = np.ascontiguousarray(call["w_q"].T)
    return run("QLinearMatMul", call,
               ("x_q", "x_scale", "x_zero_point", "w_q", "w_scale", "w_zero_point",
                "out_scale", "out_zero_point"), call.dtypes["q"], {"w_q": w})


GEMM = ("x_q", "x_scale", "x_zero_point", "w_q", "w_scale", "w_zero_point")


def gemm(call):
    return run("QGemm", call, (*GEMM, "bias", "out_scale", "out_zero_point"), call.dtypes["q"],
               domain="com.microsoft", transB=1)


def gemm_f32(call):
    return run("QGemm", call, GEMM, "f32", domain="com.microsoft", transB=1)


def describe():
    common = {"claims": "onnxruntime", "strided": False}
    both = {**common, "granularity": "per_tensor per_channel"}
    points = {"x_zero_point": "s32", "w_zero_point": "s32"}
    offers = [
        Offer("quantize", affine("QuantizeLinear", "q", "x"), x="f32", scale="f32",
              zero_point="s32", q="s8 u8", **both),
        Offer("dequantize", affine("DequantizeLinear", "q", "q"), q="s8 u8", scale="f32",
              zero_point="s32", y="f32", **both),
        Offer("linear_s32", linear_s32, x_q="s8 u8", w_q="s8 u8", acc="s32", rank=(2, 2),
              **points, **both),
    ]
    scales = {"x_scale": "f32", "w_scale": "f32", **points}
    for x, w in ("s8", "s8"), ("u8", "s8"), ("u8", "u8"):
        codes = {"x_q": x, "w_q": w, "rank": (2, 2), **scales, **both}
        out = {"q": x, "out_scale": "f32", "out_zero_point": "s32", "choice": "scales"}
        offers += [Offer("quantized_linear", matmul, **codes, **out),
                   Offer("quantized_linear", gemm, bias="s32", **codes, **out),
                   Offer("quantized_linear_f32", gemm_f32, y="f32", **codes)]
    return "onnxruntime", onnxruntime.__version__, offers
