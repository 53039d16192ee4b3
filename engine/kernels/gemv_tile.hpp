#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// What turns a tile's sums into results: the header's scale, and what is left of the 2^112.
inline float tile_scale(const std::byte* tile, float lift) {
  TileHeader header;
  std::memcpy(&header, tile, sizeof header);
  return header.scale * lift;
}

/// Writes y = sums * scale, or adds it to y, for the n_rows <= 16 rows of a tile.
inline void finish_tile(float* y, const float* sums, simd::Vec scale, int n_rows, bool accumulate) {
  float padded[PackedMatrix::tile_rows] = {};
  const bool whole = n_rows == PackedMatrix::tile_rows;
  float* out = whole ? y : padded;
  if (!whole && accumulate) std::copy_n(y, n_rows, padded);
  for (int r = 0; r < PackedMatrix::tile_rows; r += 4) {
    simd::Vec result = simd::f32x4_mul(simd::load(sums + r), scale);
    if (accumulate) result = simd::f32x4_add(result, simd::load(out + r));
    simd::store(out + r, result);
  }
  if (!whole) std::copy_n(padded, n_rows, y);
}

/// The loop over tiles that all GEMV kernels share. compute_tile(blocks, sums) leaves 16 sums in
/// 4 vectors.
template <class ComputeTile>
void gemv_tiles(const GemvJob& job, float lift, ComputeTile compute_tile) {
  const int rows = job.w->rows();
  for (int t = job.tile_begin; t < job.tile_end; ++t) {
    const std::byte* tile = job.w->tile(t);
    simd::Vec v[4];
    compute_tile(reinterpret_cast<const std::uint8_t*>(tile + sizeof(TileHeader)), v);
    float sums[PackedMatrix::tile_rows];
    for (int r = 0; r < 4; ++r) simd::store(sums + 4 * r, v[r]);
    const int first_row = t * PackedMatrix::tile_rows;
    finish_tile(job.y + first_row, sums, simd::f32x4_splat(tile_scale(tile, lift)),
                std::min(PackedMatrix::tile_rows, rows - first_row), job.accumulate);
  }
}

}  // namespace kvscope
