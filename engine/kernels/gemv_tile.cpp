#include "kernels/gemv_tile.hpp"

#include <algorithm>

#include "kernels/float_columns.hpp"

namespace kvscope {

namespace {

constexpr int tile_rows = PackedMatrix::tile_rows;

}  // namespace

void finish_part(float* y, const float* sums, simd::Vec scale, int n_rows, bool accumulate) {
  float padded[tile_rows] = {};
  if (accumulate) std::copy_n(y, n_rows, padded);
  finish_tile<true>(padded, sums, scale);
  std::copy_n(padded, n_rows, y);
}

void start_sums(const PackedMatrix& w, int tile, const float* d_sum, float sums[16]) {
  const bool has_mins = quant_shape(w.format()).mins;
  const int n_blocks = has_mins ? w.cols() / block_cols : 0;
  gemv_columns(HalfWeights{}, tile_data(w, tile), d_sum, n_blocks, sums);
}

void finish_sums(const GemvJob& job, int tile, const float sums[16]) {
  const simd::Vec scale = simd::f32x4_splat(tile_scale(*job.w, tile));
  float* y = job.y + tile * tile_rows;
  const int n_rows = job.w->rows() - tile * tile_rows;
  if (n_rows < tile_rows) {
    finish_part(y, sums, scale, n_rows, job.accumulate);
  } else if (job.accumulate) {
    finish_tile<true>(y, sums, scale);
  } else {
    finish_tile<false>(y, sums, scale);
  }
}

}  // namespace kvscope
