# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own CPU kernels. Without an argument: quantize, dequantize, fake quantization, its
gradient, and the observers; with the name of a quantized engine: that engine's linear."""
import warnings

import numpy as np
import torch
from torch.ao.quantization import (MinMaxObserver, MovingAverageMinMaxObserver,
                                   MovingAveragePerChannelMinMaxObserver,
                                   PerChannelMinMaxObserver)

from adapter import Offer

warnings.filterwarnings("ignore")
torch.set_num_threads(1)

QTYPES = {"s8": torch.qint8, "u8": torch.quint8}
ATEN = torch.ops.aten
INTEGERS = "s32 s64"


def tensor(call, name):
    """The argument as it lies in memory."""
    array = torch.from_numpy(call[name])
    return array.view(torch.bfloat16) if call.dtypes[name] == "bf16" else array


def numpy(result):
    result = result.detach()
    if result.dtype == torch.bfloat16:
        result = result.contiguous().view(torch.uint16)
    return result.numpy()


def quantize(call):
    x, qtype = tensor(call, "x"), QTYPES[call.dtypes["q"]]
    if call.axis is None:
        q = torch.quantize_per_tensor(x, float(call["scale"]), int(call["zero_point"]), qtype)
    else:
        q = torch.quantize_per_channel(x, tensor(call, "scale"), tensor(call, "zero_point"),
                                       call.axis, qtype)
    return numpy(q.int_repr())


def dequantize(call):
    q = tensor(call, "q")
    if call.axis is None:
        held = torch._make_per_tensor_quantized_tensor(q, float(call["scale"]),
                                                       int(call["zero_point"]))
    else:
        held = torch._make_per_channel_quantized_tensor(q, tensor(call, "scale"),
                                                        tensor(call, "zero_point"), call.axis)
    return numpy(held.dequantize())


def fake_quantize(call):
    x, grid = tensor(call, "x"), call.grid()
    if call.axis is not None:
        y, mask = ATEN.fake_quantize_per_channel_affine_cachemask(
            x, tensor(call, "scale"), tensor(call, "zero_point"), call.axis, *grid)
    elif call.dtypes["scale"] == "f64":
        y, mask = ATEN.fake_quantize_per_tensor_affine_cachemask(
            x, float(call["scale"]), int(call["zero_point"]), *grid)
    else:
        y, mask = ATEN._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
            x, tensor(call, "scale"), tensor(call, "zero_point"), torch.tensor(1), *grid)
    return numpy(y), numpy(mask).view(np.uint8)


def fake_quantize_grad(call):
    x, grid = tensor(call, "x").clone().requires_grad_(), call.grid()
    if call.axis is not None:
        y = torch.fake_quantize_per_channel_affine(
            x, tensor(call, "scale"), tensor(call, "zero_point"), call.axis, *grid)
    else:
        y = torch.fake_quantize_per_tensor_affine(
            x, float(call["scale"]), int(call["zero_point"]), *grid)
    (dx,) = torch.autograd.grad(y, x, tensor(call, "grad"))
    return numpy(dx)


def choose_qparams(call):
    grid = call.grid()
    custom = {} if grid in ((-128, 127), (0, 255)) else dict(zip(("quant_min", "quant_max"), grid))
    observer = MinMaxObserver(
        dtype=torch.qint8 if grid[0] < 0 else torch.quint8, **custom,
        qscheme={"affine": torch.per_tensor_affine,
                 "symmetric": torch.per_tensor_symmetric}[call.scheme])
    scale, zero_point = observer._calculate_qparams(tensor(call, "min").clone(),
                                                    tensor(call, "max").clone())
    shape = call["min"].shape  # no range at all is answered by one pair, for all channels
    count = call["min"].size
    return (numpy(scale).ravel()[:count].reshape(shape),
            numpy(zero_point).astype(np.int64).ravel()[:count].reshape(shape))


def observe(call):
    moving = {} if call.observer == "min_max" else {"averaging_constant": call.averaging}
    if call.axis is None:
        observer = (MovingAverageMinMaxObserver if moving else MinMaxObserver)(**moving)
    else:
        observer = (MovingAveragePerChannelMinMaxObserver if moving else
                    PerChannelMinMaxObserver)(ch_axis=call.axis, **moving)
    if call.get("old_min") is not None:
        observer.min_val.resize_(call["old_min"].shape).copy_(tensor(call, "old_min"))
        observer.max_val.resize_(call["old_max"].shape).copy_(tensor(call, "old_max"))
    observer(tensor(call, "x"))
    return numpy(observer.min_val), numpy(observer.max_val)


def weights(call):
    w, scale, zero_point = tensor(call, "w_q"), call["w_scale"], call["w_zero_point"]
    if scale.ndim == 0 and zero_point.ndim == 0:
        return torch._make_per_tensor_quantized_tensor(w, float(scale), int(zero_point))
    rows = call["w_q"].shape[:1]
    scales = np.broadcast_to(scale, rows).astype(np.float64)
    zero_points = np.broadcast_to(zero_point, rows).astype(np.int64)
    return torch._make_per_channel_quantized_tensor(w, torch.from_numpy(scales),
                                                    torch.from_numpy(zero_points), 0)


def quantized_linear(call):
    bias = call.get("bias")
    packed = torch.ops.quantized.linear_prepack(
        weights(call), None if bias is None else tensor(call, "bias"))
    x = torch._make_per_tensor_quantized_tensor(tensor(call, "x_q"), float(call["x_scale"]),
                                                int(call["x_zero_point"]))
    q = torch.ops.quantized.linear(x, packed, float(call["out_scale"]),
                                   int(call["out_zero_point"]))
    return numpy(q.int_repr())


def kernels():
    channel = {"granularity": "per_channel", "rank": (1, 6), "claims": "pytorch"}
    tensor_args = {"scale": "f32 f64", "zero_point": INTEGERS, "claims": "pytorch"}
    channel_args = {"scale": "f64", "zero_point": "s64", **channel}
    fake_channel = {"scale": "f32", "zero_point": "s32", **channel}
    double = {"scale": "f64", "zero_point": "s64"}
    yield Offer("quantize", quantize, x="f32", q="s8 u8", **tensor_args)
    # Rank 4 and 5 in channels-last order are refused for an axis other than 0 and 1. A scale
    # whose f32 reciprocal is infinite makes NaN of 0, whose cast C++ leaves undefined.
    yield Offer("quantize", quantize, x="f32", q="s8 u8",
                **{**channel_args, "rank": (1, 3), "scale_range": (2.0**-126, 2.0**127)})
    yield Offer("dequantize", dequantize, q="s8 u8", y="f32", **tensor_args)
    yield Offer("dequantize", dequantize, q="s8 u8", y="f32", **channel_args)
    for dtype in "f32", "f64", "f16", "bf16":
        claim = {"claims": "pytorch-f64" if dtype == "f64" else "pytorch"}
        outs = {"x": dtype, "y": dtype, "mask": "u8", "grid": "full narrow"}
        grads = {"x": dtype, "grad": dtype, "dx": dtype, "grid": "full narrow", "choice": "grid"}
        for args in double, {"scale": "f32", "zero_point": "s32"}:
            yield Offer("fake_quantize", fake_quantize, **outs, **args, **claim)
        yield Offer("fake_quantize", fake_quantize, **outs, **{**fake_channel, **claim})
        yield Offer("fake_quantize_grad", fake_quantize_grad, **grads, **double, **claim)
        yield Offer("fake_quantize_grad", fake_quantize_grad, **grads,
                    **{**fake_channel, **claim})
    for scheme, claim in ("affine", "ideal"), ("symmetric", "pytorch"):
        yield Offer("choose_qparams", choose_qparams, min="f32", max="f32", scale="f32",
                    zero_point="s64", grid="full narrow", choice=scheme, claims=claim)
    for state in {}, {"old_min": "f32", "old_max": "f32"}:
        for reach in {}, {"granularity": "per_channel", "rank": (2, 6)}:
            yield Offer("observe", observe, x="f32", min="f32", max="f32", claims="pytorch",
                        choice="min_max moving_average", **reach, **state)


def linear():
    for bias in {}, {"bias": "f32"}:
        yield Offer("quantized_linear", quantized_linear, x_q="u8", w_q="s8",
                    x_zero_point="s64", w_zero_point="s64", x_scale="f64", w_scale="f32",
                    out_scale="f64", out_zero_point="s64", q="u8",
                    granularity="per_tensor per_channel", choice="scales", rank=(2, 2), **bias)


def describe(engine=None):
    if engine is None:
        return "pytorch", torch.__version__, list(kernels())
    torch.backends.quantized.engine = engine
    return f"pytorch-{engine}", torch.__version__, list(linear())
