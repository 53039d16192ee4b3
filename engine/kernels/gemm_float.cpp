#include "kernels/float_columns.hpp"
#include "kernels/gemm_panel.hpp"

// Several tokens, float weights: 8 rows x 4 tokens, a column at a time.

namespace kvscope {

namespace {

/// n columns of 16 rows, as floats.
template <class Weights>
void widen(const std::uint8_t* w, int n, float* out) {
  const Weights weights;
  KVSCOPE_ROLLED
  for (const float* end = out + 16 * n; out != end; out += 4, w += 4 * weights.bytes) {
    simd::store(out, weights.load4(w));
  }
}

void multiply(const GemmJob& job, int weight_bytes, decltype(&widen<FloatWeights>) widen) {
  constexpr int most = 128;  // 8 KB, of which the L1 cache has 32
  const std::uint8_t* w = tile_data(*job.w, job.tile);
  alignas(64) float panel[most * 16];
  for_parts(
      job, job.w->cols(), most,
      [&](int first, int n) { widen(w + 16 * first * weight_bytes, n, panel); },
      [&](int half, int first, int n, const std::byte* x, float* sums) {
        const auto* values = reinterpret_cast<const float*>(x) + first * group_tokens;
        const auto* part = reinterpret_cast<const std::uint8_t*>(panel + 8 * half);
        gemm_columns(FloatWeights{}, part, values, n, first > 0, sums);
      });
}

template <class Weights>
void gemm(const GemmJob& job) {
  multiply(job, Weights::bytes, widen<Weights>);
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
