#include "kernels/gemm_panel.hpp"

#include <algorithm>

#include "kernels/float_columns.hpp"
#include "kernels/gemv_tile.hpp"

namespace kvscope {

void unpack_scales(const std::uint8_t* halves, int block_bytes, int n_blocks, int scales,
                   float* out) {
  const simd::Vec mask = simd::half_mask();
  for (int b = 0; b < n_blocks; ++b, halves += block_bytes) {
    for (int i = 0; i < scales; ++i, out += 8) {
      simd::store(out, simd::f32x4_load_half(halves + 32 * i, mask));
      simd::store(out + 4, simd::f32x4_load_half(halves + 32 * i + 8, mask));
    }
  }
}

Minima::Minima(const GemmJob& job)
    : n_blocks_(quant_shape(job.w->format()).mins ? job.w->cols() / block_cols : 0),
      halves_(tile_data(*job.w, job.tile)) {
  if (n_blocks_ > most_blocks) return;
  const HalfWeights weights;
  for (int i = 0; i < 4 * n_blocks_; ++i) {
    simd::store(floats_ + 4 * i, weights.load4(halves_ + 8 * i));
  }
}

void Minima::start(int half, const float* d_sum, float* sums) const {
  if (n_blocks_ > most_blocks) {
    gemm_columns(HalfWeights{}, halves_ + 16 * half, d_sum, n_blocks_, false, sums);
  } else {
    const auto* floats = reinterpret_cast<const std::uint8_t*>(floats_ + 8 * half);
    gemm_columns(FloatWeights{}, floats, d_sum, n_blocks_, false, sums);
  }
}

void write_group(const GemmJob& job, int group, const float* sums) {
  constexpr int tile_rows = PackedMatrix::tile_rows;
  const simd::Vec scale = simd::f32x4_splat(tile_scale(*job.w, job.tile));
  const int n_rows = job.w->rows() - job.tile * tile_rows;
  const int first = group * group_tokens, end = std::min(first + group_tokens, job.tokens);
  float* y = job.y + static_cast<std::size_t>(first) * job.y_stride + job.tile * tile_rows;
  for (int t = first; t < end; ++t, sums += tile_rows, y += job.y_stride) {
    finish_tile(y, sums, scale, n_rows, job.accumulate);
  }
}

}  // namespace kvscope
