# SPDX-License-Identifier: Apache-2.0
"""LiteRT (TensorFlow Lite): QUANTIZE, DEQUANTIZE and FULLY_CONNECTED, each as a model of one
operator that this file builds, since scales and zero points are part of a model there.

The argument names the kernels: `reference`, `builtin` (optimized), or `xnnpack` (what the
interpreter chooses by default)."""
import functools
import importlib.metadata

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from adapter import Offer

KERNELS = {"reference": OpResolverType.BUILTIN_REF,
           "builtin": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
           "xnnpack": OpResolverType.AUTO}
TYPES = {"f32": schema.TensorType.FLOAT32, "s8": schema.TensorType.INT8,
         "u8": schema.TensorType.UINT8, "s32": schema.TensorType.INT32}
CLAIMS = {"reference": "tflite", "builtin": "tflite-builtin", "xnnpack": "xnnpack"}
resolver = KERNELS["xnnpack"]


def tensor(name, dtype, shape, scale=None, zero_point=None, axis=0, buffer=0):
    made = schema.TensorT()
    made.name, made.type, made.shape, made.buffer = name, TYPES[dtype], list(shape), buffer
    if scale is not None:
        made.quantization = schema.QuantizationParametersT()
        made.quantization.scale = np.atleast_1d(scale).astype(np.float32)
        made.quantization.zeroPoint = np.atleast_1d(zero_point).astype(np.int64)
        made.quantization.quantizedDimension = axis
    return made


def model(operator, version, tensors, constants, options):
    """One operator; the last tensor is its output, the first its input, others constant."""
    whole, graph, node, code = (schema.ModelT(), schema.SubGraphT(), schema.OperatorT(),
                                schema.OperatorCodeT())
    code.builtinCode = getattr(schema.BuiltinOperator, operator)
    code.deprecatedBuiltinCode, code.version = code.builtinCode, version
    node.inputs, node.outputs = list(range(len(tensors) - 1)), [len(tensors) - 1]
    node.builtinOptions = options
    node.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__[:-1])
    graph.tensors, graph.operators = tensors, [node]
    graph.inputs, graph.outputs = [0], node.outputs
    whole.version, whole.operatorCodes, whole.subgraphs = 3, [code], [graph]
    whole.buffers = [schema.BufferT() for _ in range(len(constants) + 1)]
    for buffer, data in zip(whole.buffers[1:], constants):
        buffer.data = np.frombuffer(data, np.uint8)
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), b"TFL3")
    return bytes(builder.Output())


@functools.lru_cache(maxsize=16)
def interpreter(content):
    ready = Interpreter(model_content=content, experimental_op_resolver_type=resolver,
                        num_threads=1)
    ready.allocate_tensors()
    return (ready, ready.get_input_details()[0]["index"],
            ready.get_output_details()[0]["index"])


def run(content, value):
    ready, source, sink = interpreter(content)
    ready.set_tensor(source, np.ascontiguousarray(value))
    ready.invoke()
    return ready.get_tensor(sink)


def quantize(call):
    x, q = call["x"], call.dtypes["q"]
    return run(model("QUANTIZE", 1, [
        tensor("x", "f32", x.shape),
        tensor("q", q, x.shape, call["scale"], call["zero_point"], call.axis or 0)],
        [], schema.QuantizeOptionsT()), x)


def dequantize(call):
    q = call["q"]
    return run(model("DEQUANTIZE", 2, [
        tensor("q", call.dtypes["q"], q.shape, call["scale"], call["zero_point"],
               call.axis or 0),
        tensor("y", "f32", q.shape)], [], schema.DequantizeOptionsT()), q)


def fully_connected(call):
    x, w, bias = call["x_q"], call["w_q"], call.get("bias")
    product = np.float32(call["x_scale"]) * call["w_scale"]
    held = [tensor("x", call.dtypes["x_q"], x.shape, call["x_scale"], call["x_zero_point"]),
            tensor("w", call.dtypes["w_q"], w.shape, call["w_scale"],
                   np.broadcast_to(call["w_zero_point"], call["w_scale"].shape), 0, 1)]
    constants = [w.tobytes()]
    if bias is not None:
        held.append(tensor("bias", "s32", bias.shape, product, np.zeros(product.shape), 0, 2))
        constants.append(bias.tobytes())
    held.append(tensor("q", call.dtypes["q"], (len(x), len(w)), call["out_scale"],
                       call["out_zero_point"]))
    options = schema.FullyConnectedOptionsT()
    options.keepNumDims = False
    return run(model("FULLY_CONNECTED", 5, held, constants, options), x)


def describe(kernels="xnnpack"):
    global resolver
    resolver = KERNELS[kernels]
    common = {"claims": "ideal", "strided": False}
    affine = {"scale": "f32", "zero_point": "s32", "strided": False, "rank": (1, 6),
              "claims": CLAIMS[kernels]}
    if kernels == "xnnpack":  # it takes no other
        affine["scale_range"] = (2.0**-126, 2.0**127)
    channels = {**affine, "granularity": "per_channel", "rank": (1, 4),
                "claims": CLAIMS[kernels] if kernels == "reference" else "tflite-builtin"}
    offers = []
    for args in affine, channels:
        codes = "s8 u8" if args is affine else "s8"
        offers += [Offer("quantize", quantize, x="f32", q=codes, **args),
                   Offer("dequantize", dequantize, q=codes, y="f32", **args)]
    for bias in {}, {"bias": "s32"}:
        offers.append(Offer(
            "quantized_linear", fully_connected, x_q="s8", w_q="s8", q="s8", x_scale="f32",
            w_scale="f32", out_scale="f32", x_zero_point="s32", w_zero_point="s32",
            out_zero_point="s32", choice="scales", rank=(2, 2), zero_points="zero",
            terms=(1, 0), granularity="per_tensor per_channel", multiplier=(2.0**-31, 1.0),
            **bias, **common))
    return f"litert-{kernels}", importlib.metadata.version("ai-edge-litert"), offers
