#include "kernels/float_columns.hpp"
#include "kernels/gemm_panel.hpp"

// Several tokens, float weights: 8 rows x 4 tokens, a column at a time.

namespace kvscope {

namespace {

template <class Weights>
void gemm(const GemmJob& job) {
  constexpr int most = 128;  // 8 KB, of which the L1 cache has 32
  const Weights weights;
  const std::uint8_t* w = tile_data(*job.w, job.tile);
  alignas(64) float panel[most * 16];
  for_parts(
      job, job.w->cols(), most,
      [&](int, int n) {
        for (int i = 0; i < 4 * n; ++i, w += 4 * weights.bytes) {
          simd::store(panel + 4 * i, weights.load4(w));
        }
      },
      [&](int half, int first, int n, const std::byte* x, float* sums) {
        const auto* values = reinterpret_cast<const float*>(x) + first * group_tokens;
        const auto* part = reinterpret_cast<const std::uint8_t*>(panel + 8 * half);
        gemm_columns(FloatWeights{}, part, values, n, first > 0, sums);
      });
}

}  // namespace

GemmKernel gemm_float(PackedFormat format) {
  switch (format) {
    case PackedFormat::f32: return gemm<FloatWeights>;
    case PackedFormat::f16: return gemm<HalfWeights>;
    case PackedFormat::bf16: return gemm<BfloatWeights>;
    default: return nullptr;
  }
}

}  // namespace kvscope
