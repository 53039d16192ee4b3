#include "kernels/float_weights.hpp"
#include "kernels/gemm_panel.hpp"

// Several tokens, float weights: 8 rows x 4 tokens, a column at a time; 16-bit weights are widened
// to a panel first.

namespace kvscope {

namespace {

using namespace simd;

/// w: 16 rows of each column, of which the 8 at w are taken.
inline void micro(const float* w, const float* x, int cols, float* out) {
  Sums8x4 sums(out);
  KVSCOPE_ROLLED
  for (const float* end = x + cols * group_tokens; x != end; x += group_tokens, w += 16) {
    const Vec w0 = load(w), w1 = load(w + 4);
    for (int t = 0; t < group_tokens; ++t) {
      const Vec xt = load32_splat(x + t);
      sums.v[0][t] = f32x4_madd(w0, xt, sums.v[0][t]);
      sums.v[1][t] = f32x4_madd(w1, xt, sums.v[1][t]);
    }
  }
  sums.store(out);
}

template <PackedFormat format>
void gemm(const GemmJob& job) {
  const FloatWeights<format> weights;
  const int cols = job.col_end - job.col_begin;
  const auto* tile =
      reinterpret_cast<const std::uint8_t*>(job.w->tile(job.tile) + sizeof(TileHeader));
  const std::uint8_t* w = tile + static_cast<std::size_t>(job.col_begin) * 16 * weights.bytes;
  alignas(64) float panel[float_panel_cols * 16];
  const float* columns = panel;
  if constexpr (format == PackedFormat::f32) {
    columns = reinterpret_cast<const float*>(w);
  } else {
    for (int i = 0; i < cols * 4; ++i)
      store(panel + 4 * i, weights.load4(w + 4 * i * weights.bytes));
  }
  const auto x_offset = static_cast<std::size_t>(job.col_begin) * group_tokens;
  for_groups<float>(job, x_offset, [&](int half, const float* x, float* sums) {
    micro(columns + 8 * half, x, cols, sums);
  });
}

}  // namespace

GemmKernel gemm_float(PackedFormat format) {
  switch (format) {
    case PackedFormat::f32: return gemm<PackedFormat::f32>;
    case PackedFormat::f16: return gemm<PackedFormat::f16>;
    case PackedFormat::bf16: return gemm<PackedFormat::bf16>;
    default: return nullptr;
  }
}

}  // namespace kvscope
