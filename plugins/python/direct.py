# SPDX-License-Identifier: Apache-2.0
"""Findings, each by calling the library itself, without quantcert: direct.py FRAMEWORK

Prints one line a finding: the input, what the library gave, what is exact."""
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
INF, NAN = float("inf"), float("nan")


def show(what, got, exact):
    print(f"{what}: got {got}, exact {exact}")


def attempt(call):
    try:
        return call()
    except Exception as trouble:  # a refusal is what is shown
        return f"{type(trouble).__name__}: {' '.join(str(trouble).split())[:150]}"


def torch_findings():
    import torch
    print("torch", torch.__version__)
    aten, s32 = torch.ops.aten, torch.int32

    def channel(x, scale, zero_point):
        return aten.fake_quantize_per_channel_affine_cachemask(
            torch.tensor([x]), torch.tensor([scale]), torch.tensor([zero_point], dtype=s32), 0,
            -128, 127)[0].item()

    for x in INF, 1e19:
        show(f"fake_quantize_per_channel_affine x={x} scale=1 zero_point=0", channel(x, 1.0, 0),
             127.0)
    show("quantize_per_tensor quint8 x=inf scale=1 zero_point=128",
         torch.quantize_per_tensor(torch.tensor([INF]), 1.0, 128, torch.quint8).int_repr().item(),
         255)
    show("quantize_per_tensor qint8 x=-3e9 scale=1 zero_point=-1",
         torch.quantize_per_tensor(torch.tensor([-3e9]), 1.0, -1, torch.qint8).int_repr().item(),
         -128)
    show("quantize_per_tensor qint8 x=0 scale=1e-39 zero_point=5",
         torch.quantize_per_tensor(torch.tensor([0.0]), 1e-39, 5, torch.qint8).int_repr().item(), 5)
    show("quantize_per_channel qint8 x=0 scale=1e-39 zero_point=-58",
         torch.quantize_per_channel(torch.tensor([0.0]), torch.tensor([1e-39], dtype=torch.float64),
                                    torch.tensor([-58]), 0, torch.qint8).int_repr().item(), -58)
    show("fake_quantize_per_channel_affine of no channels", attempt(
        lambda: torch.fake_quantize_per_channel_affine(
            torch.zeros(0), torch.zeros(0), torch.zeros(0, dtype=s32), 0, -128, 127)),
         "an empty tensor")
    x = torch.tensor([-0.0016542991476230821], dtype=torch.float64)
    y = aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
        x, torch.tensor(8.1380210758652538e-05), torch.tensor(0, dtype=s32), torch.tensor(1),
        -128, 127)[0].item()
    show("fake_quantize f64 x=-0.0016542991476230821 scale=0x1.555556p-14", y.hex(),
         (-20 * float.fromhex("0x1.555556p-14")).hex())
    x = torch.tensor([NAN]).requires_grad_()
    torch.fake_quantize_per_tensor_affine(x, 1.0, 0, -128, 127).backward(torch.tensor([NAN]))
    show("fake_quantize gradient NaN where the mask is 0", x.grad.item(), 0.0)
    from torch.ao.quantization import PerChannelMinMaxObserver
    show("PerChannelMinMaxObserver(ch_axis=0) of one dim", attempt(
        lambda: PerChannelMinMaxObserver(ch_axis=0)(torch.ones(1))), "its extremes")
    for engine in "fbgemm", "x86", "qnnpack":
        torch.backends.quantized.engine = engine

        def linear(x, w, out_scale, out_zero_point):
            packed = torch.ops.quantized.linear_prepack(
                torch._make_per_tensor_quantized_tensor(torch.tensor(w, dtype=torch.int8), 1.0, 0),
                None)
            held = torch._make_per_tensor_quantized_tensor(torch.tensor(x, dtype=torch.uint8), 1.0,
                                                           0)
            return torch.ops.quantized.linear(held, packed, out_scale,
                                              out_zero_point).int_repr().tolist()
        show(f"{engine} linear x=[255,255] w=[127,127] out_scale=512",
             attempt(lambda: linear([[255, 255]], [[127, 127]], 512.0, 0)), [[127]])
        show(f"{engine} linear of K=0, out_zero_point=5, twice",
             attempt(lambda: [linear(np.zeros((2, 0)), np.zeros((3, 0)), 1.0, 5)
                              for _ in range(2)]), "5 everywhere")


def onnx_node(runtime, node, feeds, output, dims, fixed=False, **attributes):
    from onnx_nodes import Nodes
    return attempt(lambda: Nodes(runtime, fixed).run(node, feeds, tuple(feeds), output, dims,
                                                     **attributes).tolist())


def matrices(x, w):
    return {"x_q": np.array(x), "w_q": np.array(w), "x_zero_point": np.array(0, x.dtype),
            "w_zero_point": np.array(0, w.dtype)}


def onnxruntime_findings():
    import onnxruntime
    from framework_onnxruntime import compiled
    print("onnxruntime", onnxruntime.__version__)
    show("MatMulInteger u8 [255,255] by s8 [127,127]", onnx_node(
        compiled, "MatMulInteger", matrices(np.full((1, 2), 255, np.uint8),
                                            np.full((2, 1), 127, np.int8)), "s32", (1, 1)),
         [[64770]])
    for code in np.int8, np.uint8:
        show(f"MatMulInteger {code.__name__} [2,0] by [0,3]", onnx_node(
            compiled, "MatMulInteger", matrices(np.zeros((2, 0), code), np.zeros((0, 3), code)),
            "s32", (2, 3)), "0 everywhere")
    one = np.array(1, np.float32)
    gemm = {"x_q": np.zeros((2, 0), np.uint8), "x_scale": one, "x_zero_point": np.uint8(0),
            "w_q": np.zeros((3, 0), np.uint8), "w_scale": one, "w_zero_point": np.uint8(0)}
    gemm = {name: np.array(value) for name, value in gemm.items()}
    def gemm_f32():
        return onnx_node(compiled, "QGemm", gemm, "f32", (2, 3), domain="com.microsoft", transB=1)
    found = []
    for value in 7.0, -3.0:  # what freed memory may hold
        del_me = [np.full((2, 3), value, np.float32) for _ in range(2000)]
        del del_me
        found.append(gemm_f32())
    show("QGemm to f32 of K=0, twice", found, "0 everywhere")
    gemm.update(x_q=np.array([[1]], np.uint8), w_q=np.array([[1]], np.uint8),
                bias=np.array([2**31 - 1], np.int32), out_scale=np.array(2.0**24, np.float32),
                out_zero_point=np.array(100, np.uint8))
    show("QGemm x=1 w=1 bias=2147483647 out_scale=2^24 out_zero_point=100", onnx_node(
        compiled, "QGemm", gemm, "u8", (1, 1), domain="com.microsoft", transB=1),
         [[min(255, 128 + 100)]])


def openvino_findings():
    import openvino
    from framework_openvino import compiled
    print("openvino", openvino.__version__)

    def quantize(x, scale, zero_point):
        feeds = {"x": np.array([x], np.float32), "scale": np.array(scale, np.float32),
                 "zero_point": np.array(zero_point, np.int8)}
        return onnx_node(compiled, "QuantizeLinear", feeds, "s8", (1,), True)
    show("QuantizeLinear x=0.5 scale=1 zero_point=1", quantize(0.5, 1, 1), [1])
    show("QuantizeLinear x=2.5 scale=1 zero_point=-1", quantize(2.5, 1, -1), [1])
    x, w = np.full((1, 1030), -128, np.int8), np.full((1030, 1), -128, np.int8)
    x[0, 0], w[0, 0] = -127, -127
    show("MatMulInteger K=1030, of -128 but for one pair of -127, zero points 127", onnx_node(
        compiled, "MatMulInteger",
        {**matrices(x, w), "x_zero_point": np.array(127, np.int8),
         "w_zero_point": np.array(127, np.int8)}, "s32", (1, 1), True), [[1029 * 255**2 + 254**2]])
    show("MatMulInteger [0,9] by [9,7]", onnx_node(
        compiled, "MatMulInteger", matrices(np.zeros((0, 9), np.int8), np.zeros((9, 7), np.int8)),
        "s32", (0, 7), True), "no rows")
    show("DequantizeLinear of [3,0] along axis 1", onnx_node(
        compiled, "DequantizeLinear",
        {"q": np.zeros((3, 0), np.int8), "scale": np.zeros(0, np.float32),
         "zero_point": np.zeros(0, np.int8)}, "f32", (3, 0), True, axis=1), "no elements")


def tensorplay_findings():
    import tensorplay as tp
    from tensorplay.quantization.observer import MinMaxObserver
    print("tensorplay", tp.__version__)

    def quantize(x, scale, zero_point, dtype):
        return tp.quantize_per_tensor(tp.tensor([x]), scale, zero_point, dtype).int_repr().tolist()

    def fake(x, scale, zero_point):
        return tp.fake_quantize_per_tensor_affine(tp.tensor([x]), scale, zero_point, -128,
                                                  127).tolist()
    show("quantize_per_tensor x=inf scale=1 zero_point=0", quantize(INF, 1.0, 0, tp.qint8), [127])
    show("quantize_per_tensor x=-inf scale=1 zero_point=-5", quantize(-INF, 1.0, -5, tp.qint8),
         [-128])
    show("quantize_per_tensor quint8 x=inf scale=1 zero_point=251",
         quantize(INF, 1.0, 251, tp.quint8), [255])
    show("fake_quantize x=inf scale=1 zero_point=0", fake(INF, 1.0, 0), [127.0])
    show("fake_quantize x=1e19 scale=1 zero_point=0", fake(1e19, 1.0, 0), [127.0])
    show("quantize_per_tensor x=-0.0015 scale=0.001 (f64) zero_point=0",
         quantize(-0.0015, 0.001, 0, tp.qint8), "RNE(float32(-0.0015)/0.001) = -2")
    q = tp._C._make_per_tensor_quantized_tensor(
        tp.from_numpy(np.array([-7], np.int8)), 4.2528629516406603e-05, -1)
    show("dequantize q=-7 scale=0x1.64c1895555555p-15 (f64) zero_point=-1",
         q.dequantize().tolist()[0].hex(), "-0x1.0b9126p-12")
    observer = MinMaxObserver()
    observer.record(tp.tensor([1.0, NAN, 5.0]))
    show("MinMaxObserver of [1, NaN, 5]", (observer.min_val, observer.max_val), (1.0, 5.0))


def litert_findings():
    import importlib.metadata
    import os
    import framework_litert as litert
    from ai_edge_litert import schema_py_generated as schema
    print("ai-edge-litert", importlib.metadata.version("ai-edge-litert"))

    def quantize(x, scale, zero_point, dtype="s8", axis=0):
        x = np.array(x, np.float32)
        return attempt(lambda: litert.run(litert.model("QUANTIZE", 1, [
            litert.tensor("x", "f32", x.shape),
            litert.tensor("q", dtype, x.shape, np.array(scale, np.float32), np.array(zero_point),
                          axis)], [], schema.QuantizeOptionsT()), x).tolist())
    for kernels in "reference", "builtin", "xnnpack":
        litert.resolver = litert.KERNELS[kernels]
        litert.interpreter.cache_clear()
        for x, zero_point, dtype, exact in ((3e9, 5, "s8", 127), (INF, 128, "u8", 255),
                                            (-3e9, -1, "s8", -128)):
            show(f"{kernels} QUANTIZE {dtype} x={x} scale=1 zero_point={zero_point}",
                 quantize([x], 1, zero_point, dtype), [exact])
        show(f"{kernels} QUANTIZE 9 x 0.5, scale=1", quantize([0.5] * 9, 1, 0), [0] * 9)
        q = np.full(9, 79, np.int8)
        show(f"{kernels} DEQUANTIZE 9 x 79, scale=0x1.555556p+9 zero_point=127", sorted(set(
            litert.run(litert.model("DEQUANTIZE", 2, [
                litert.tensor("q", "s8", q.shape, np.float32(682.66668701171875), 127),
                litert.tensor("y", "f32", q.shape)], [], schema.DequantizeOptionsT()),
                       q).tolist())), [-32768.0])
        for what, call in (
                ("[0,2,5] along axis 2", lambda: quantize(np.zeros((0, 2, 5)), np.ones(5),
                                                          np.zeros(5, np.int64), axis=2)),
                ("with scale 0x1p-149", lambda: quantize(np.zeros(12), 2.0**-149, 0))):
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                answer = call()
                os._exit(7 if isinstance(answer, str) else 0)
            status = os.waitpid(child, 0)[1]
            show(f"{kernels} QUANTIZE {what}",
                 f"signal {status}" if status & 127 else
                 "a refusal" if status else "an answer", "an answer or a refusal")


if __name__ == "__main__":
    for framework in sys.argv[1:]:
        globals()[f"{framework}_findings"]()
