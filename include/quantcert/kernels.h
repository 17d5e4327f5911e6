/* SPDX-License-Identifier: Apache-2.0 */
/* The production library: kernels that a framework links. Correctly rounded on every input,
   vectorised where the CPU allows, without global state.

   Every function checks its arguments first and returns QC_INVALID with a message that names
   the argument, what was expected and what was found; outputs are then untouched. All are
   thread-safe. Sources: profile `ideal`, spec/semantics.md, rules named at each function.
   Modules that hold a state, fake quantizers and linear layers, stand in modules.h. */
#ifndef QUANTCERT_KERNELS_H
#define QUANTCERT_KERNELS_H

#include "quantcert/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The zeroed struct is the default: ideal, per tensor, the whole grid, dividing, one thread. */
typedef struct qc_kernel_options {
    const char *profile; /* NULL: "ideal"; "tensorplay-doc" */
    int32_t per_channel; /* 0: per tensor; 1: one scale, zero_point per index of axis */
    int32_t axis;        /* -rank ... rank-1; read only when per_channel */
    int32_t narrow;      /* 0: the whole grid of the code dtype; 1: qmin ... qmax below */
    int32_t qmin;        /* lowest and highest code, in codes; read only when narrow */
    int32_t qmax;
    int32_t scale_form; /* qc_scale_form; 0: the scale divides */
    int32_t threads;    /* 0 and 1: the calling thread alone */
    int32_t mask_form;  /* qc_mask_form; 0: the mask of the rounded code */
} qc_kernel_options;

/* q = clamp(RNE(x / scale) + zero_point, qmin, qmax) (rules Q1 to Q3). NaN gives the zero
   point clamped into the grid; infinities saturate.
   x: f32 f64 f16 bf16, any shape and strides. scale: f32 f64, finite and > 0, in units of x
   per code (multiply: codes per x); rank 0, or [dims[axis]]. zero_point: s32 s64 inside the
   grid, or f32 finite, in codes; shaped as scale. q: s8 u8, the dims of x, no stride 0. */
qc_status qc_quantize(const qc_tensor *x, const qc_tensor *scale,
                      const qc_tensor *zero_point, const qc_tensor *q,
                      const qc_kernel_options *options, qc_message *message);

/* y = (q - zero_point) * scale, rounded once into y's dtype (rule D1). An exact zero is +0.
   q: s8 u8; y: f32 f64 f16 bf16; scale and zero_point as in qc_quantize. */
qc_status qc_dequantize(const qc_tensor *q, const qc_tensor *scale,
                        const qc_tensor *zero_point, const qc_tensor *y,
                        const qc_kernel_options *options, qc_message *message);

/* y = dequantize(quantize(x)), bit for bit, and mask = 1 where the rounded code lies in the
   grid before the clamp, else 0 (rules K1, M1). NaN: y of the code that qc_quantize gives,
   mask 0. mask may be NULL. y has x's dtype. The default grid is -128 ... 127. */
qc_status qc_fake_quantize(const qc_tensor *x, const qc_tensor *scale,
                           const qc_tensor *zero_point, const qc_tensor *y,
                           const qc_tensor *mask, const qc_kernel_options *options,
                           qc_message *message);

/* Parameters from ranges (rules R1 to R4). affine: zero is taken into the range, scale =
   span / (qmax - qmin) rounded once, zero_point = RNE(qmin - min / scale) with that scale,
   clamped. symmetric: scale = max(|min|, |max|) / floor((qmax - qmin) / 2), zero_point the
   middle of the grid. An empty range gives scale 1; no scale is 0.
   min, max: f32 f64 f16 bf16, one dtype, any dims, finite, min <= max, in units of x. scale:
   f32 f64, in units of x per code; zero_point: s32 s64, in codes; both of min's dims. scheme:
   qc_scheme. Grid: qmin ... qmax of the options where narrow, else -128 ... 127. Scales
   beyond their dtype are QC_INVALID. Profile tensorplay-doc: rule T30. */
qc_status qc_choose_qparams(const qc_tensor *min, const qc_tensor *max, uint32_t scheme,
                            const qc_tensor *scale, const qc_tensor *zero_point,
                            const qc_kernel_options *options, qc_message *message);

/* The range of what was seen so far (rules R5 to R8): the batch's least and greatest values,
   NaN skipped, joined with the old state. observer: qc_observer; moving_average takes
   averaging, above 0 and at most 1, and gives RN(old + averaging (new - old)).
   x: f32 f64 f16 bf16, any dims and strides; all other tensors have its dtype and are rank
   0, or [dims[axis]] where options say per_channel. old_min, old_max: both NULL before the
   first batch, which then must hold a value in every channel. min, max: outputs, not the
   memory of the old ones. */
qc_status qc_observe(const qc_tensor *x, const qc_tensor *old_min,
                     const qc_tensor *old_max, uint32_t observer, double averaging,
                     const qc_tensor *min, const qc_tensor *max,
                     const qc_kernel_options *options, qc_message *message);

/* An observer: feeds on batches and gives parameters. One object belongs to one thread at a
   time; different objects do not know of each other. */
typedef struct qc_range_observer qc_range_observer;

/* The zeroed struct is the default: min_max per tensor, affine on -128 ... 127, ideal. */
typedef struct qc_range_observer_options {
    const char *profile; /* NULL: "ideal"; "tensorplay-doc" */
    uint32_t observer;   /* qc_observer */
    uint32_t scheme;     /* qc_scheme */
    double averaging;    /* weight of a new batch, read only by moving_average */
    int32_t per_channel; /* 1: a range for each index of axis */
    int32_t axis;        /* -rank ... rank-1 of every batch */
    int32_t narrow;      /* 1: the grid is qmin ... qmax */
    int32_t qmin;
    int32_t qmax;
    uint32_t scale_dtype; /* QC_F32, QC_F64; QC_NONE: f64 per tensor, f32 per channel */
} qc_range_observer_options;

/* QC_INVALID names the option; QC_NO_MEMORY. */
qc_status qc_range_observer_open(const qc_range_observer_options *options,
                                 qc_range_observer **observer_ret, qc_message *message);
void qc_range_observer_close(qc_range_observer *observer);

/* Takes a batch in (rule R5 or R6). x: f32 f64 f16 bf16; the first batch fixes the dtype and
   how many channels there are, and nothing is allocated after it. A channel whose first
   batches hold nothing but NaN, or no element, stays unobserved. */
qc_status qc_range_observer_record(qc_range_observer *observer, const qc_tensor *x,
                                   qc_message *message);

/* Parameters of what was recorded: scale of the scale dtype, zero_point s32 or s64; both rank
   0, or [channels]. QC_INVALID where nothing was observed (which channel), or where a range
   is infinite. */
qc_status qc_range_observer_calculate(qc_range_observer *observer, const qc_tensor *scale,
                                      const qc_tensor *zero_point, qc_message *message);

/* Forgets all batches, their dtype and the number of channels. */
void qc_range_observer_reset(qc_range_observer *observer);
/* The arguments of linear, by the names of spec/ops.def; NULL where absent.
   x_q [M,K] and w_q [N,K]: s8 u8, any strides. x_zero_point, out_zero_point: s32 s64, rank 0;
   w_zero_point: s32 s64, rank 0 or [N]; all inside the code dtype of what they belong to.
   bias: [N], f32 finite or s32. */
typedef struct qc_linear_args {
    const qc_tensor *x_q;
    const qc_tensor *w_q;
    const qc_tensor *x_zero_point;
    const qc_tensor *w_zero_point;
    const qc_tensor *x_scale;   /* f32 f64, rank 0, real units per code, finite and > 0 */
    const qc_tensor *w_scale;   /* f32, rank 0 or [N], the same */
    const qc_tensor *out_scale; /* f32 f64, rank 0, the same */
    const qc_tensor
        *multiplier;        /* f32 > 0, or s32 >= 0 with params fixed; rank 0 or [N] */
    const qc_tensor *shift; /* s8, rank 0 or [N]: the multiplier times 2^shift */
    const qc_tensor *bias;
    const qc_tensor *out_zero_point;
    int32_t params; /* qc_params of qc_quantized_linear: scales, multiplier or fixed */
} qc_linear_args;

/* acc [M,N] = sum over k of (x_q - x_zero_point)(w_q[n] - w_zero_point[n]), exactly (rule W1).
   acc: s32, where a sum that does not fit leaves its low 32 bits, or s64, which holds every
   sum. Takes the first four arguments. */
qc_status qc_linear_s32(const qc_linear_args *args, const qc_tensor *acc,
                        const qc_kernel_options *options, qc_message *message);

/* q [M,N], s8 u8 = the exact sum scaled, with its bias, rounded half to even, out_zero_point
   added, clamped into the grid: one rounding in all (rules W2, W3). params scales takes
   x_scale, w_scale, out_scale and a bias in real units (f32) or in accumulator units (s32);
   multiplier and fixed take a bias in accumulator units. */
qc_status qc_quantized_linear(const qc_linear_args *args, const qc_tensor *q,
                              const qc_kernel_options *options, qc_message *message);

/* y [M,N], f32 = x_scale w_scale[n] times the exact sum plus bias[n] (f32), rounded once (rule
   W4). */
qc_status qc_quantized_linear_f32(const qc_linear_args *args, const qc_tensor *y,
                                  const qc_kernel_options *options, qc_message *message);

/* mask = 1 where x passes a straight-through gradient, else 0; NaN and infinities: 0.
   mask_form grid: the rounded code lies in the grid before the clamp (rule M1). real:
   qmin - zero_point <= x / scale <= qmax - zero_point (multiply: x * scale) in real
   arithmetic (rule M2); under tensorplay-doc by bounds as TensorPlay rounds them (rule T4).
   x: f32 f64 f16 bf16, any shape and strides; mask: u8, the dims of x, no stride 0. scale and
   zero_point as in qc_quantize. The default grid is -128 ... 127. */
qc_status qc_ste_mask(const qc_tensor *x, const qc_tensor *scale,
                      const qc_tensor *zero_point, const qc_tensor *mask,
                      const qc_kernel_options *options, qc_message *message);

/* dx = grad where qc_ste_mask of x is 1, else +0 (rule G1). Bits are selected: NaN and
   infinite gradients pass unchanged, or become +0. In units of grad.
   grad, x: f32 f64 f16 bf16, one shape, any strides; their dtypes may differ. dx: the dtype
   and dims of grad, no stride 0. The rest as in qc_ste_mask. */
qc_status qc_fake_quantize_grad(const qc_tensor *grad, const qc_tensor *x,
                                const qc_tensor *scale, const qc_tensor *zero_point,
                                const qc_tensor *dx, const qc_kernel_options *options,
                                qc_message *message);

/* q = clamp(RNE(acc * M) + zero_point, qmin, qmax) (rules U1, U2). M is the multiplier, or
   multiplier * 2^shift where the multiplier is s32: the exact product, rounded once.
   acc: s32 s64, any shape and strides. multiplier: f32 f64, finite and > 0, shift NULL; or
   s32, 0 or more, with shift s8, which is signed: -1 halves. Both rank 0, or [dims[axis]],
   in codes per unit of acc. zero_point: s32 s64 inside the grid, shaped likewise. q: s8 u8,
   the dims of acc, no stride 0. */
qc_status qc_requantize(const qc_tensor *acc, const qc_tensor *multiplier,
                        const qc_tensor *shift, const qc_tensor *zero_point,
                        const qc_tensor *q, const qc_kernel_options *options,
                        qc_message *message);

/* The rung that the dispatch ladder stands on: "portable", "avx2". QC_CPU_MASK lowers it;
   when it names no rung this is "none", and every function above returns QC_FAULT. */
const char *qc_kernels_rung(void);

#ifdef __cplusplus
}
#endif
#endif
