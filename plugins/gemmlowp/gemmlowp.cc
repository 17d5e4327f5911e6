// SPDX-License-Identifier: Apache-2.0
// gemmlowp as a backend: its GEMM with zero points, raw (linear_s32) or through its output
// pipeline of bias, fixed-point multiplier, clamp and cast (quantized_linear), and that
// pipeline alone on accumulators (requantize). A shift here is the library's exponent less
// 31. The library adds what it calls offsets: zero points go in negated.
#include <cstdint>
#include <cstring>
#include <vector>

#include <gemmlowp/public/gemmlowp.h>

#include "quantcert/backend.h"

struct qc_plan;

// With SIMD the library has no cast to s8, and no multipliers one per row.
#if defined(GEMMLOWP_SSE4) || defined(GEMMLOWP_AVX2)
#define QC_GEMMLOWP_SIMD 1
#else
#define QC_GEMMLOWP_SIMD 0
#endif

namespace
{

using gemmlowp::MapOrder;
using gemmlowp::VectorShape;
using Rows = gemmlowp::VectorMap<const std::int32_t, VectorShape::Row>;

constexpr std::uint32_t kS32 = QC_DTYPE_BIT(QC_S32);
constexpr std::uint32_t kS8 = QC_DTYPE_BIT(QC_S8);
constexpr std::uint32_t kU8 = QC_DTYPE_BIT(QC_U8);
constexpr std::uint32_t kCodes = QC_GEMMLOWP_SIMD ? kU8 : kU8 | kS8;
constexpr int kFirstExponent = -31; // what RoundingDivideByPOT takes
constexpr int kLastExponent = 30;   // the library computes 1 << exponent in int

std::vector<qc_capability> &Capabilities()
{
    static std::vector<qc_capability> all;
    return all;
}

qc_capability Offer(qc_op op, std::uint32_t rank_low, std::uint32_t rank_high)
{
    qc_capability c = {};
    c.op = op;
    c.granularities = QC_PER_TENSOR | QC_PER_CHANNEL;
    c.scale_forms = QC_FORM_DIVIDE;
    c.grids = QC_GRID_FULL | QC_GRID_NARROW;
    c.min_rank = rank_low;
    c.max_rank = rank_high;
    c.shift_low = kFirstExponent - 31;
    c.shift_high = kLastExponent - 31;
    c.claims[0] = "gemmlowp";
    c.claims[1] = "ideal";
    return c;
}

void OfferAll()
{
    qc_capability requantize = Offer(QC_OP_requantize, 0, QC_MAX_RANK);
    requantize.choices = 1u << QC_PARAMS_fixed;
    const std::uint32_t of_requantize[] = {kS32, kS32, kS8, kS32, kCodes};
    std::memcpy(requantize.arg_dtypes, of_requantize, sizeof of_requantize);
    Capabilities().push_back(requantize);

    qc_capability linear = Offer(QC_OP_linear_s32, 2, 2);
    const std::uint32_t of_linear[] = {kU8, kU8, kS32, kS32, kS32};
    std::memcpy(linear.arg_dtypes, of_linear, sizeof of_linear);
    Capabilities().push_back(linear);

    for (std::uint32_t bias : {kS32, 0u}) {
        qc_capability quantized = Offer(QC_OP_quantized_linear, 2, 2);
        quantized.granularities = QC_PER_TENSOR | (QC_GEMMLOWP_SIMD ? 0 : QC_PER_CHANNEL);
        quantized.choices = 1u << QC_PARAMS_fixed;
        const std::uint32_t dtypes[] = {kU8, kU8,  kS32, kS32, 0,    0,
                                        0,   kS32, kS8,  bias, kS32, kCodes};
        std::memcpy(quantized.arg_dtypes, dtypes, sizeof dtypes);
        Capabilities().push_back(quantized);
    }
}

qc_status Describe(void *, qc_description *about_ret, qc_message *)
{
    if (Capabilities().empty()) {
        OfferAll();
    }
    *about_ret = qc_description();
    about_ret->size_bytes = sizeof *about_ret;
    about_ret->capability_count = static_cast<std::uint32_t>(Capabilities().size());
    about_ret->capabilities = Capabilities().data();
    about_ret->name = QC_GEMMLOWP_NAME;
    about_ret->version = QC_GEMMLOWP_VERSION;
    return QC_OK;
}

qc_status Prepare(void *, const qc_call *call, qc_plan **plan_ret, qc_message *message)
{
    *plan_ret = nullptr;
    return qc_call_check(call, message);
}

template <typename T> T *Data(const qc_tensor &tensor)
{
    return static_cast<T *>(tensor.data);
}

// The n-th of a parameter that is one each, or one for all.
std::int32_t At(const qc_tensor &tensor, std::int64_t n)
{
    const std::int64_t at = tensor.rank ? n : 0;
    return tensor.dtype == QC_S8 ? Data<const std::int8_t>(tensor)[at]
                                 : Data<const std::int32_t>(tensor)[at];
}

gemmlowp::OutputStageClamp Grid(const qc_call *call)
{
    gemmlowp::OutputStageClamp clamp;
    qc_call_grid(call, &clamp.min, &clamp.max);
    return clamp;
}

gemmlowp::OutputStageScaleInt32ByFixedPointAndExponent Scale(std::int32_t multiplier,
                                                             std::int32_t shift,
                                                             std::int32_t zero_point)
{
    gemmlowp::OutputStageScaleInt32ByFixedPointAndExponent scale;
    scale.result_fixedpoint_multiplier = multiplier;
    scale.result_exponent = shift + 31;
    scale.result_offset_after_shift = zero_point;
    return scale;
}

// One block of accumulators down a column, as the library's unpacking hands them on.
template <int kRows, typename Pipeline, typename Out>
int Blocks(const Pipeline &pipeline, const std::int32_t *acc, Out *out, int from,
           int count)
{
    using Block = gemmlowp::RegisterBlock<std::int32_t, kRows, 1>;
    const gemmlowp::OutputPipelineExecutor<Pipeline, Block> executor(pipeline);
    const gemmlowp::MatrixMap<const std::int32_t, MapOrder::ColMajor> source(acc, count,
                                                                             1);
    gemmlowp::MatrixMap<Out, MapOrder::ColMajor> target(out, count, 1);
    for (; from + kRows <= count; from += kRows) {
        executor.Execute(gemmlowp::Load<Block>(source, from, 0), &target, from, 0, from,
                         0);
    }
    return from;
}

template <typename Out, typename Cast>
void Requantize(const qc_call *call, const Cast &cast)
{
    const qc_tensor *const a = call->args;
    const qc_tensor &acc = a[QC_ARG_OF(requantize, acc)];
    const std::int64_t elems = qc_tensor_elems(&acc);
    const std::int32_t axis = call->attrs.axis;
    std::int64_t run = elems; // elements that share their channel
    if (axis != QC_AXIS_NONE) {
        run = 1;
        const std::uint32_t first = axis + (axis < 0 ? acc.rank : 0) + 1;
        for (std::uint32_t d = first; d < acc.rank; d++) {
            run *= acc.dims[d];
        }
    }
    for (std::int64_t i = 0; i < elems; i += run) {
        const std::int64_t c = qc_call_channel(call, i);
        const auto pipeline =
            std::make_tuple(Scale(At(a[QC_ARG_OF(requantize, multiplier)], c),
                                  At(a[QC_ARG_OF(requantize, shift)], c),
                                  At(a[QC_ARG_OF(requantize, zero_point)], c)),
                            Grid(call), cast);
        const std::int32_t *const from = Data<const std::int32_t>(acc) + i;
        Out *const to = Data<Out>(a[QC_ARG_OF(requantize, q)]) + i;
        const int count = static_cast<int>(run);
        int done = Blocks<8>(pipeline, from, to, 0, count);
        done = Blocks<4>(pipeline, from, to, done, count);
        Blocks<1>(pipeline, from, to, done, count);
    }
}

template <typename Out, typename Pipeline>
void Gemm(const qc_call *call, const Pipeline &pipeline)
{
    const qc_tensor *const a = call->args;
    const qc_tensor &x = a[QC_ARG_OF(linear_s32, x_q)];
    const qc_tensor &w = a[QC_ARG_OF(linear_s32, w_q)];
    const qc_tensor &out = a[qc_op_get(call->op)->arg_count - 1];
    const int m = static_cast<int>(x.dims[0]);
    const int n = static_cast<int>(w.dims[0]);
    const int k = static_cast<int>(x.dims[1]);
    std::vector<std::int32_t> offsets(static_cast<std::size_t>(n));
    for (int i = 0; i < n; i++) {
        offsets[static_cast<std::size_t>(i)] =
            -At(a[QC_ARG_OF(linear_s32, w_zero_point)], i);
    }
    const gemmlowp::VectorDup<const std::int32_t, VectorShape::Col> x_offset(
        -At(a[QC_ARG_OF(linear_s32, x_zero_point)], 0), m);
    const gemmlowp::MatrixMap<const std::uint8_t, MapOrder::RowMajor> lhs(
        Data<const std::uint8_t>(x), m, k);
    const gemmlowp::MatrixMap<const std::uint8_t, MapOrder::ColMajor> rhs(
        Data<const std::uint8_t>(w), k, n);
    gemmlowp::MatrixMap<Out, MapOrder::RowMajor> result(Data<Out>(out), m, n);
    gemmlowp::GemmContext context;
    context.set_max_num_threads(1);
    gemmlowp::GemmWithOutputPipelinePC<std::uint8_t, Out,
                                       gemmlowp::DefaultL8R8BitDepthParams>(
        &context, lhs, rhs, &result, x_offset, Rows(offsets.data(), n), pipeline);
}

// With a bias or without: the library's stages are types.
template <typename Out, typename ScaleStage, typename Cast>
void Biased(const qc_call *call, const ScaleStage &scale, const Cast &cast)
{
    const qc_tensor &bias = call->args[QC_ARG_OF(quantized_linear, bias)];
    if (bias.dtype == QC_NONE) {
        return Gemm<Out>(call, std::make_tuple(scale, Grid(call), cast));
    }
    gemmlowp::OutputStageBiasAddition<Rows> add;
    add.bias_vector =
        Rows(Data<const std::int32_t>(bias), static_cast<int>(bias.dims[0]));
    Gemm<Out>(call, std::make_tuple(add, scale, Grid(call), cast));
}

template <typename Out, typename Cast>
void Quantized(const qc_call *call, const Cast &cast)
{
    const qc_tensor *const a = call->args;
    const qc_tensor &multiplier = a[QC_ARG_OF(quantized_linear, multiplier)];
    const qc_tensor &shift = a[QC_ARG_OF(quantized_linear, shift)];
    const std::int32_t zero_point = At(a[QC_ARG_OF(quantized_linear, out_zero_point)], 0);
    if (multiplier.rank == 0 && shift.rank == 0) {
        return Biased<Out>(call, Scale(At(multiplier, 0), At(shift, 0), zero_point),
                           cast);
    }
#if !QC_GEMMLOWP_SIMD
    const int n = static_cast<int>(a[QC_ARG_OF(quantized_linear, w_q)].dims[0]);
    std::vector<std::int32_t> multipliers;
    std::vector<std::int32_t> exponents;
    for (int i = 0; i < n; i++) {
        multipliers.push_back(At(multiplier, i));
        exponents.push_back(At(shift, i) + 31);
    }
    gemmlowp::OutputStageScaleInt32ByFixedPointAndExponentPC<VectorShape::Row> scale;
    scale.result_fixedpoint_multiplier = Rows(multipliers.data(), n);
    scale.result_exponent = Rows(exponents.data(), n);
    scale.result_offset_after_shift = zero_point;
    Biased<Out>(call, scale, cast);
#endif
}

template <typename Out, typename Cast> void Codes(const qc_call *call, const Cast &cast)
{
    if (call->op == QC_OP_requantize) {
        Requantize<Out>(call, cast);
    } else {
        Quantized<Out>(call, cast);
    }
}

qc_status Run(void *, qc_plan *, const qc_call *call, qc_message *)
{
    const qc_tensor &out = call->args[qc_op_get(call->op)->arg_count - 1];
    if (call->op == QC_OP_linear_s32) {
        Gemm<std::int32_t>(call, std::make_tuple());
    } else if (out.dtype == QC_U8) {
        Codes<std::uint8_t>(call, gemmlowp::OutputStageSaturatingCastToUint8());
    }
#if !QC_GEMMLOWP_SIMD
    else {
        Codes<std::int8_t>(call, gemmlowp::OutputStageSaturatingCastToInt8());
    }
#endif
    return QC_OK;
}

} // namespace

extern "C" QC_EXPORT const qc_backend *quantcert_backend(void)
{
    static qc_backend table = {};
    table.abi_version = QC_ABI_VERSION;
    table.size_bytes = sizeof table;
    table.describe = Describe;
    table.prepare = Prepare;
    table.run = Run;
    return &table;
}
