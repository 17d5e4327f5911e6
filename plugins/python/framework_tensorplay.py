# SPDX-License-Identifier: Apache-2.0
"""TensorPlay's native quantization kernels, its observers, and its straight-through gradient."""
import numpy as np
import tensorplay as tp
from tensorplay.quantization import fake_quant, observer

from adapter import Offer

QTYPES = {"s8": tp.qint8, "u8": tp.quint8}
NATIVE = tp._C


def tensor(call, name):
    array = np.array(call[name])  # a copy of its own: frames are read-only
    return tp.from_numpy(array)


def quantize(call):
    x, qtype = tensor(call, "x"), QTYPES[call.dtypes["q"]]
    if call.axis is None:
        q = tp.quantize_per_tensor(x, float(call["scale"]), int(call["zero_point"]), qtype)
    else:
        q = tp.quantize_per_channel(x, tensor(call, "scale"), tensor(call, "zero_point"),
                                    call.axis, qtype)
    return q.int_repr().numpy()


def dequantize(call):
    q = tensor(call, "q")
    if call.axis is None:
        held = NATIVE._make_per_tensor_quantized_tensor(q, float(call["scale"]),
                                                        int(call["zero_point"]))
    else:
        held = NATIVE._make_per_channel_quantized_tensor(
            q, tensor(call, "scale"), tensor(call, "zero_point"), call.axis)
    return held.dequantize().numpy()


def fake_quantize(call):
    x, grid = tensor(call, "x"), call.grid()
    if call.axis is None:
        y, mask = tp.fake_quantize_per_tensor_affine_cachemask(
            x, float(call["scale"]), int(call["zero_point"]), *grid)
    else:
        y, mask = tp.fake_quantize_per_channel_affine_cachemask(
            x, tensor(call, "scale"), tensor(call, "zero_point"), call.axis, *grid)
    return y.numpy(), mask.numpy().astype(np.uint8)


def straight_through(call):
    """The gradient of the Python function, whose mask is that of the real bounds."""
    x, grid = tensor(call, "x"), call.grid()
    x.requires_grad_(True)
    if call.axis is None:
        y = fake_quant.fake_quantize_per_tensor(x, float(call["scale"]),
                                                int(call["zero_point"]), *grid)
    else:
        y = fake_quant.fake_quantize_per_channel(x, tensor(call, "scale"),
                                                 tensor(call, "zero_point"), call.axis, *grid)
    y.backward(tensor(call, "grad"))
    return x.grad.numpy()


def native_gradient(call):
    """The gradient of the native kernel, whose mask is that of the rounded code."""
    x, grid = tensor(call, "x"), call.grid()
    if call.axis is None:
        _, mask = tp.fake_quantize_per_tensor_affine_cachemask(
            x, float(call["scale"]), int(call["zero_point"]), *grid)
        back = tp.fake_quantize_per_tensor_affine_cachemask_backward
    else:
        _, mask = tp.fake_quantize_per_channel_affine_cachemask(
            x, tensor(call, "scale"), tensor(call, "zero_point"), call.axis, *grid)
        back = tp.fake_quantize_per_channel_affine_cachemask_backward
    return back(tensor(call, "grad"), mask).numpy()


def choose_qparams(call):
    scale, zero_point = observer.ObserverBase._calculate_qparams(
        float(call["min"]), float(call["max"]), *call.grid())
    return np.float64(scale), np.int64(zero_point)


def observe(call):
    moving = {} if call.observer == "min_max" else {"averaging_constant": call.averaging}
    watcher = (observer.MovingAverageMinMaxObserver if moving else
               observer.MinMaxObserver)(**moving)
    if call.get("old_min") is not None:
        watcher.min_val, watcher.max_val = float(call["old_min"]), float(call["old_max"])
    watcher.record(tensor(call, "x"))
    return np.float32(watcher.min_val), np.float32(watcher.max_val)


def linear_f32(call):
    rows = call["w_q"].shape[:1]
    scales = tp.from_numpy(np.broadcast_to(call["w_scale"], rows).copy())
    zero_points = tp.from_numpy(np.broadcast_to(call["w_zero_point"], rows).copy())
    x = NATIVE._make_per_tensor_quantized_tensor(tensor(call, "x_q"), float(call["x_scale"]),
                                                 int(call["x_zero_point"]))
    w = NATIVE._make_per_channel_quantized_tensor(tensor(call, "w_q"), scales, zero_points, 0)
    return tp.quantized_linear(
        x, w, float(call["x_scale"]), int(call["x_zero_point"]), scales, zero_points,
        None if call.get("bias") is None else tensor(call, "bias")).numpy()


def describe():
    claim = {"claims": "tensorplay-doc", "strided": False}
    one = {"scale": "f64", "zero_point": "s64", **claim}
    channels = {"scale": "f32", "zero_point": "s64", "granularity": "per_channel",
                "rank": (1, 6), **claim}
    floats = {**channels, "zero_point": "f32"}
    offers = [Offer("choose_qparams", choose_qparams, min="f32 f64", max="f32 f64", scale="f64",
                    zero_point="s64", grid="full narrow", choice="affine", rank=(0, 0), **claim)]
    for args in one, channels:
        offers += [Offer("quantize", quantize, x="f32", q="s8 u8", **args),
                   Offer("dequantize", dequantize, q="s8 u8", y="f32", **args)]
    for args in one, channels, floats:
        for dtype in "f32", "f64":
            grads = {"grad": dtype, "x": dtype, "dx": dtype, "grid": "full narrow", **args}
            offers += [
                Offer("fake_quantize", fake_quantize, x=dtype, y=dtype, mask="u8",
                      grid="full narrow", **args),
                Offer("fake_quantize_grad", straight_through, choice="real", **grads),
                Offer("fake_quantize_grad", native_gradient, choice="grid", **grads)]
    for state in {}, {"old_min": "f32", "old_max": "f32"}:
        offers.append(Offer("observe", observe, x="f32", min="f32", max="f32",
                            choice="min_max moving_average", **state, **claim))
    for bias in {}, {"bias": "f32"}:
        offers.append(Offer("quantized_linear_f32", linear_f32, x_q="s8", w_q="s8", y="f32",
                            x_scale="f64", w_scale="f32", x_zero_point="s64",
                            w_zero_point="s64", rank=(2, 2), **bias, **claim))
    return "tensorplay", tp.__version__.partition("+")[0], offers
