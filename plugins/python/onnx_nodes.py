# SPDX-License-Identifier: Apache-2.0
"""ONNX operators, each as a model of one node, for any runtime that compiles such models. Zero
points have the dtype of the codes in ONNX, so that they are relabelled; the weights of its
matrix products are [K,N]."""
import functools

import numpy as np
from onnx import TensorProto, helper

TYPES = {"f32": TensorProto.FLOAT, "s8": TensorProto.INT8, "u8": TensorProto.UINT8,
         "s32": TensorProto.INT32}
CODES = {"s8": np.int8, "u8": np.uint8}
# Whose dtype a zero point takes.
CODE_OF = {"x_zero_point": "x_q", "w_zero_point": "w_q", "out_zero_point": "q"}
GEMM = ("x_q", "x_scale", "x_zero_point", "w_q", "w_scale", "w_zero_point")
MATMUL = ("x_q", "x_scale", "x_zero_point", "w_q", "w_scale", "w_zero_point", "out_scale",
          "out_zero_point")


def model(node, inputs, output, domain="", **attributes):
    """Inputs as (name, dtype, shape) in the node's order, without a name where left out; output
    as (dtype, shape). A shape is dims, or None where it is left open."""
    def value(name, dtype, shape):
        return helper.make_tensor_value_info(name, TYPES[dtype], shape)
    graph = helper.make_graph(
        [helper.make_node(node, [name for name, _, _ in inputs], ["y"], domain=domain,
                          **attributes)],
        node, [value(*given) for given in inputs if given[0]], [value("y", *output)])
    made = helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)])
    return made.SerializeToString()


class Nodes:
    """The operators on one runtime; `compiled(model)` is a function of a dict of arrays. With
    `fixed` every shape has a model of its own, for runtimes that take no open ranks."""

    def __init__(self, compiled, fixed=False):
        self.fixed = fixed

        @functools.lru_cache(maxsize=64)
        def ready(node, inputs, output, attributes):
            return compiled(model(node, inputs, output, **dict(attributes)))
        self.ready = ready

    def run(self, node, feeds, names, dtype, dims, **attributes):
        dtypes = {"float32": "f32", "int8": "s8", "uint8": "u8", "int32": "s32"}
        def shape(dims):
            return tuple(dims) if self.fixed else None
        inputs = tuple((name, dtypes[feeds[name].dtype.name], shape(feeds[name].shape))
                       if name else ("", "", None) for name in names)
        return self.ready(node, inputs, (dtype, shape(dims)), tuple(attributes.items()))(feeds)

    def affine(self, node, call, value, code):
        feeds = {value: call[value], "scale": call["scale"],
                 "zero_point": call["zero_point"].astype(CODES[call.dtypes[code]])}
        axis = {} if call.axis is None else {"axis": call.axis}
        output = call.dtypes["q" if node == "QuantizeLinear" else "y"]
        return self.run(node, feeds, tuple(feeds), output, call[value].shape, **axis)

    def quantize(self, call):
        return self.affine("QuantizeLinear", call, "x", "q")

    def dequantize(self, call):
        return self.affine("DequantizeLinear", call, "q", "q")

    def linear(self, node, call, names, output, transposed, **attributes):
        feeds = {name: np.ascontiguousarray(call[name]) for name in names
                 if name and call.get(name) is not None}
        for name, code in CODE_OF.items():
            if name in feeds:
                feeds[name] = feeds[name].astype(CODES[call.dtypes[code]])
        if transposed:
            feeds["w_q"] = np.ascontiguousarray(feeds["w_q"].T)
        names = tuple(name if name in feeds else "" for name in names)
        rows = call["x_q"].shape[0], call["w_q"].shape[0]
        return self.run(node, feeds, names, output, rows, **attributes)

    def linear_s32(self, call):
        return self.linear("MatMulInteger", call,
                           ("x_q", "w_q", "x_zero_point", "w_zero_point"), "s32", True)

    def matmul(self, call):
        return self.linear("QLinearMatMul", call, MATMUL, call.dtypes["q"], True)

    def gemm(self, call):
        return self.linear("QGemm", call, (*GEMM, "bias", "out_scale", "out_zero_point"),
                           call.dtypes["q"], False, domain="com.microsoft", transB=1)

    def gemm_f32(self, call):
        return self.linear("QGemm", call, GEMM, "f32", False, domain="com.microsoft", transB=1)
