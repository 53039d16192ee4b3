#include "kernels/gemm_panel.hpp"

#include <algorithm>

#include "kernels/float_columns.hpp"
#include "kernels/gemv_tile.hpp"

namespace kvscope {

Minima::Minima(const GemmJob& job)
    : n_blocks_(quant_shape(job.w->format()).mins ? job.w->cols() / block_cols : 0),
      ints_(tile_data(*job.w, job.tile)) {
  if (n_blocks_ > most_blocks) return;
  const IntWeights weights;
  for (int i = 0; i < 4 * n_blocks_; ++i) {
    simd::store(floats_ + 4 * i, weights.load4(ints_ + 8 * i));
  }
}

void Minima::start(int half, const float* d_sum, float* sums) const {
  if (n_blocks_ > most_blocks) {
    gemm_columns(IntWeights{}, ints_ + 16 * half, d_sum, n_blocks_, false, sums);
  } else {
    const auto* floats = reinterpret_cast<const std::uint8_t*>(floats_ + 8 * half);
    gemm_columns(FloatWeights{}, floats, d_sum, n_blocks_, false, sums);
  }
}

void write_group(const GemmJob& job, int group, const float* sums) {
  constexpr int tile_rows = PackedMatrix::tile_rows;
  const RowScales scales(tile_header(*job.w, job.tile));
  const int n_rows = job.w->rows() - job.tile * tile_rows;
  const int first = group * group_tokens, end = std::min(first + group_tokens, job.tokens);
  float* y = job.y + static_cast<std::size_t>(first) * job.y_stride + job.tile * tile_rows;
  for (int t = first; t < end; ++t, sums += tile_rows, y += job.y_stride) {
    finish_tile(y, sums, scales, n_rows, job.accumulate);
  }
}

}  // namespace kvscope
