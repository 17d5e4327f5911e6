/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of the production library: kernels.h with a state. A fake quantizer learns its
   parameters from what it sees; a linear module is packed once and run many times.

   Sources: TensorPlay's documentation of ao.quantization.fake_quantize and
   ao.nn.quantized.linear; where it leaves a step open, or computes it badly, the rules of
   spec/semantics.md that stand at each function, under profile `ideal`, or `tensorplay-doc`.

   Functions that return a qc_status check their arguments first. On an error the message
   names the argument, what was expected and what was found, and no output is written; what
   `*_ret` points to is then NULL. */
#ifndef QUANTCERT_MODULES_H
#define QUANTCERT_MODULES_H

#include "quantcert/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A fake quantizer, per tensor or per channel. One object belongs to one thread at a time;
   one that is frozen is only read by record, forward, backward and calculate_qparams, which
   any number of threads may then call at once. */
typedef struct qc_fake_quantizer qc_fake_quantizer;

/* The zeroed struct is the default: a min-max observer per tensor on -128 ... 127, ideal, the
   documented mask. */
typedef struct qc_fake_quantizer_options {
    /* Profile, grid, granularity, axis, dtype of the scale, and how ranges are observed.
       Under tensorplay-doc its grid is that of the parameters alone: forward and backward
       have the default grid, -128 ... 127, as the documentation says. */
    qc_range_observer_options observer;
    /* Explicit parameters, copied: both, or both NULL. With them the quantizer is stateless
       and frozen. scale: f32 f64, finite and > 0, in units of x per code; zero_point: s32
       s64 in the grid of forward, or f32, rounded half to even (tensorplay-doc: truncated)
       and then in that grid; rank 0, or [channels] where observer.per_channel. */
    const qc_tensor *scale;
    const qc_tensor *zero_point;
    int32_t mask_is_grid; /* 0: the documented mask, real bounds (M2; tensorplay-doc: T4);
                             1: the mask of the rounded code (M1) */
    int32_t reserved;     /* 0 */
} qc_fake_quantizer_options;

/* options NULL: the default. QC_INVALID names the option; QC_NO_MEMORY. */
qc_status qc_fake_quantizer_open(const qc_fake_quantizer_options *options,
                                 qc_fake_quantizer **quantizer_ret, qc_message *message);
void qc_fake_quantizer_close(qc_fake_quantizer *quantizer);

/* Feeds the observer with x, as qc_range_observer_record (R5 to R8): f32 f64 f16 bf16, any
   dims and strides. Does nothing, and looks at nothing, once the quantizer is frozen or
   disable_observer was called. The first batch allocates, later ones do not. */
qc_status qc_fake_quantizer_record(qc_fake_quantizer *quantizer, const qc_tensor *x,
                                   qc_message *message);

/* Derives the parameters of what was recorded (R1 to R4; tensorplay-doc: T30), unless they
   are fixed, and writes them. scale: the observer's scale dtype, that of an explicit scale,
   or QC_F64 per tensor and QC_F32 per channel, in units of x per code; zero_point: s32 s64,
   in codes; rank 0, or [channels]. QC_INVALID where nothing was observed (which channel), or
   a range is infinite. */
qc_status qc_fake_quantizer_calculate_qparams(qc_fake_quantizer *quantizer,
                                              const qc_tensor *scale,
                                              const qc_tensor *zero_point,
                                              qc_message *message);

/* Derives the parameters of what was recorded so far and fixes them; nothing is recorded
   afterwards. Repeated, or with explicit parameters, it does nothing. QC_INVALID as
   calculate_qparams: then nothing is fixed. QC_UNSUPPORTED per channel, where the
   documentation has no freeze. */
qc_status qc_fake_quantizer_freeze(qc_fake_quantizer *quantizer, qc_message *message);

/* From here on nothing is recorded: parameters stay those of what was. */
void qc_fake_quantizer_disable_observer(qc_fake_quantizer *quantizer);

/* Records x, derives the parameters, and gives y = dequantize(quantize(x)) under them (K1, K2)
   and, unless it is NULL, the mask that backward applies to a gradient of x: 1 passes.
   x: f32 f64 f16 bf16, any dims and strides; y: x's dtype and dims; mask: u8, x's dims.
   Layouts are checked before x is recorded. Values are not: a batch whose range has no
   parameters stays recorded, as with record. */
qc_status qc_fake_quantizer_forward(qc_fake_quantizer *quantizer, const qc_tensor *x,
                                    const qc_tensor *y, const qc_tensor *mask,
                                    qc_message *message);

/* dx = grad where x lies inside the mask under the parameters that were derived last, by
   forward, calculate_qparams or freeze, else +0 (G1). Tensors as qc_fake_quantize_grad's.
   QC_INVALID where none were derived. */
qc_status qc_fake_quantizer_backward(const qc_fake_quantizer *quantizer,
                                     const qc_tensor *grad, const qc_tensor *x,
                                     const qc_tensor *dx, qc_message *message);

/* A quantized linear layer. Its type is not called qc_quantized_linear because C has one name
   space for types and functions, and that is the kernel. A packed module is never written
   again: any number of threads may run it. */
typedef struct qc_linear_module qc_linear_module;

/* Copies weights and parameters into contiguous memory of the module's own. args, with
   params scales and x_q NULL: w_q s8 [N,K], codes; w_scale f32, finite and > 0, and
   w_zero_point s32 s64, rank 0 or [N]; x_scale and out_scale f32 f64, rank 0; x_zero_point
   and out_zero_point s32 s64, rank 0; bias f32 [N], finite, in real units, or NULL. Scales
   in real units per code, zero points in -128 ... 127.
   options: profile, and the grid of the output; NULL: ideal, the whole of s8. */
qc_status qc_linear_module_pack(const qc_linear_args *args,
                                const qc_kernel_options *options,
                                qc_linear_module **module_ret, qc_message *message);
void qc_linear_module_close(qc_linear_module *module);

/* q[m,n] = requantize(x_scale w_scale[n] sum over k of (x_q - x_zero_point)(w_q[n] -
   w_zero_point[n]) + bias[n]) under (out_scale, out_zero_point): exact, then one rounding,
   half to even (W2; tensorplay-doc: T4). Allocates nothing.
   x_q: s8 [M,K], any M and strides; any other dtype must be quantized first. x_scale and
   x_zero_point: both NULL where x_q is raw codes, which get the module's parameters; else
   those that x_q stands under, rank 0, which must be the module's. q: s8 [M,N]. */
qc_status qc_linear_module_run(const qc_linear_module *module, const qc_tensor *x_q,
                               const qc_tensor *x_scale, const qc_tensor *x_zero_point,
                               const qc_tensor *q, qc_message *message);

/* What the module holds: views of its memory, valid until it is closed, not to be written.
   w_q s8 [N,K], w_scale f32 [N], w_zero_point s64 [N], bias f32 [N] or NULL, x_scale and
   out_scale f64, x_zero_point and out_zero_point s64; all else NULL. */
const qc_linear_args *qc_linear_module_args(const qc_linear_module *module);

/* A float linear layer and where its parameters come from. */
typedef struct qc_linear_float {
    const qc_tensor *weight; /* f32 f64 f16 bf16, [N,K] */
    const qc_tensor *bias;   /* f32 [N], in real units, or NULL */
    /* Explicit parameters of input and output, as pack takes them. Where both of a side are
       NULL, those of its observer, which must be per tensor and calibrated. */
    const qc_tensor *x_scale;
    const qc_tensor *x_zero_point;
    const qc_tensor *out_scale;
    const qc_tensor *out_zero_point;
    qc_range_observer *x_observer;
    qc_range_observer *out_observer;
    /* NULL: per row from the row's range (R1, f32 scales; tensorplay-doc: T30), on -128 ...
       127. Else a QAT weight quantizer, per channel on axis 0, or per tensor for all rows. It
       is fed the weight once more, and its scale, zero point and grid are kept; a scale in
       f64 is rounded to f32, in which modules hold scales. */
    qc_fake_quantizer *weight_quantizer;
} qc_linear_float;

/* Quantizes the weight (Q1, by the scales that the module holds) and packs. QC_INVALID names
   what is missing, and the side or row whose parameters cannot be had. options as pack's. */
qc_status qc_linear_module_from_float(const qc_linear_float *layer,
                                      const qc_kernel_options *options,
                                      qc_linear_module **module_ret, qc_message *message);

#ifdef __cplusplus
}
#endif
#endif
