#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/float_columns.hpp"
#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// y = sums * scale, or y += …, for the 16 rows of a tile.
template <bool accumulate>
void finish_tile(float* y, const float* sums, simd::Vec scale) {
  for (int r = 0; r < PackedMatrix::tile_rows; r += 4) {
    simd::Vec result = simd::f32x4_mul(simd::load(sums + r), scale);
    if (accumulate) result = simd::f32x4_add(result, simd::load(y + r));
    simd::store(y + r, result);
  }
}

/// The same for a matrix's last tile, of which only n_rows exist.
inline void finish_part(float* y, const float* sums, simd::Vec scale, int n_rows, bool accumulate) {
  float padded[PackedMatrix::tile_rows] = {};
  if (accumulate) std::copy_n(y, n_rows, padded);
  finish_tile<true>(padded, sums, scale);
  std::copy_n(padded, n_rows, y);
}

/// Where the results of a tile begin: its minima's share (of no blocks, zero).
inline void start_sums(const std::uint8_t* mins, const float* d_sum, int n_blocks,
                       simd::Vec sums[4]) {
  gemv_columns(RawHalfWeights{}, mins, d_sum, n_blocks, sums);
}

/// The loop over tiles that all GEMV kernels share. compute_tile(blocks, sums) leaves 16 sums in
/// 4 vectors.
template <class ComputeTile>
void gemv_tiles(const GemvJob& job, float lift, ComputeTile compute_tile) {
  const int rows = job.w->rows();
  for (int t = job.tile_begin; t < job.tile_end; ++t) {
    simd::Vec v[4];
    compute_tile(tile_data(*job.w, t), v);
    float sums[PackedMatrix::tile_rows];
    for (int r = 0; r < 4; ++r) simd::store(sums + 4 * r, v[r]);
    const simd::Vec scale = simd::f32x4_splat(tile_scale(*job.w, t) * lift);
    float* y = job.y + t * PackedMatrix::tile_rows;
    const int n_rows = rows - t * PackedMatrix::tile_rows;
    if (n_rows < PackedMatrix::tile_rows) {
      finish_part(y, sums, scale, n_rows, job.accumulate);
    } else if (job.accumulate) {
      finish_tile<true>(y, sums, scale);
    } else {
      finish_tile<false>(y, sums, scale);
    }
  }
}

}  // namespace kvscope
