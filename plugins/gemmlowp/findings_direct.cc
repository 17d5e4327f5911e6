// SPDX-License-Identifier: Apache-2.0
// The findings on gemmlowp, each by the library alone: no judgement of quantcert is asked.
#include <cstdint>
#include <cstdio>

#include <gemmlowp/public/gemmlowp.h>

namespace
{

using gemmlowp::MapOrder;

// What the library's output stages make of `count` equal accumulators.
void Stages(std::int32_t acc, std::int32_t multiplier, std::int32_t exponent,
            std::int32_t zero_point, std::uint8_t *q, int count)
{
    gemmlowp::OutputStageScaleInt32ByFixedPointAndExponent scale;
    scale.result_fixedpoint_multiplier = multiplier;
    scale.result_exponent = exponent;
    scale.result_offset_after_shift = zero_point;
    const auto pipeline =
        std::make_tuple(scale, gemmlowp::OutputStageSaturatingCastToUint8());
    // K = 1: the accumulator is the bias plus 0 * 0.
    std::uint8_t zeros[64] = {0};
    std::int32_t bias_values[64];
    for (int i = 0; i < count; i++) {
        bias_values[i] = acc;
    }
    using Bias = gemmlowp::VectorMap<const std::int32_t, gemmlowp::VectorShape::Col>;
    gemmlowp::OutputStageBiasAddition<Bias> bias;
    bias.bias_vector = Bias(bias_values, count);
    const gemmlowp::MatrixMap<const std::uint8_t, MapOrder::RowMajor> lhs(zeros, count,
                                                                          1);
    const gemmlowp::MatrixMap<const std::uint8_t, MapOrder::ColMajor> rhs(zeros, 1, 1);
    gemmlowp::MatrixMap<std::uint8_t, MapOrder::ColMajor> result(q, count, 1);
    gemmlowp::GemmContext context;
    context.set_max_num_threads(1);
    gemmlowp::GemmWithOutputPipeline<std::uint8_t, std::uint8_t,
                                     gemmlowp::DefaultL8R8BitDepthParams>(
        &context, lhs, rhs, &result, 0, 0,
        std::tuple_cat(std::make_tuple(bias), pipeline));
}

void Show(const char *what, std::int32_t acc, std::int32_t multiplier,
          std::int32_t exponent, std::int32_t zero_point, const char *exact)
{
    std::uint8_t q[5] = {0};
    Stages(acc, multiplier, exponent, zero_point, q, 5);
    std::printf(
        "%s: acc %d, multiplier %d, exponent %d, offset %d: got %d %d %d %d %d, %s\n",
        what, acc, multiplier, exponent, zero_point, q[0], q[1], q[2], q[3], q[4], exact);
}

} // namespace

int main()
{
    std::uint8_t x[1] = {0};
    std::int32_t y[4] = {1234, 1234, 1234, 1234};
    const gemmlowp::MatrixMap<const std::uint8_t, MapOrder::RowMajor> lhs(x, 2, 0);
    const gemmlowp::MatrixMap<const std::uint8_t, MapOrder::ColMajor> rhs(x, 0, 2);
    gemmlowp::MatrixMap<std::int32_t, MapOrder::RowMajor> result(y, 2, 2);
    gemmlowp::GemmContext context;
    gemmlowp::GemmWithOutputPipeline<std::uint8_t, std::int32_t,
                                     gemmlowp::DefaultL8R8BitDepthParams>(
        &context, lhs, rhs, &result, 0, 0, std::make_tuple());
    std::printf("GEMM of depth 0: got %d %d %d %d, exact 0 0 0 0\n", y[0], y[1], y[2],
                y[3]);
    Show("left shift beyond s32", 1 << 30, 1 << 30, 2, 7, "exact 255 everywhere");
    Show("negative halves", -2, 1 << 30, -1, 10, "by the header (-1 + 1 >> 1) + 10 = 10");
    Show("offset wraps", INT32_MAX, INT32_MAX, 0, 255, "exact 255 everywhere");
    return 0;
}
