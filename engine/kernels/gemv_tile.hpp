#pragma once

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
void finish_part(float* y, const float* sums, simd::Vec scale, int n_rows, bool accumulate);

/// Where the 16 results of a tile begin: its minima's share, zero without. d_sum: see
/// activation_blocks.hpp.
void start_sums(const PackedMatrix& w, int tile, const float* d_sum, float sums[16]);

/// Scales the sums of a tile and writes them to job.y.
void finish_sums(const GemvJob& job, int tile, const float sums[16]);

/// The loop over tiles that the GEMV kernels of quantised weights share. add_tile(blocks, sums)
/// adds the tile's products to its 16 sums, which stay in memory (see add_scaled in
/// gemm_panel.hpp).
template <class Block, class AddTile>
void gemv_tiles(const GemvJob& job, AddTile add_tile) {
  const int n_blocks = job.w->cols() / block_cols;
  const auto* d_sum = reinterpret_cast<const float*>(static_cast<const Block*>(job.x) + n_blocks);
  const int min_bytes = n_blocks * quant_shape(job.w->format()).min_bytes();
  for (int t = job.tile_begin; t < job.tile_end; ++t) {
    alignas(64) float sums[PackedMatrix::tile_rows];
    start_sums(*job.w, t, d_sum, sums);
    add_tile(tile_data(*job.w, t) + min_bytes, sums);
    finish_sums(job, t, sums);
  }
}

/// sums += s * scale for 4 rows.
inline void add_scaled(simd::Vec s, simd::Vec scale, float* sums) {
  simd::store(sums, simd::f32x4_madd(simd::f32x4_convert_i32x4(s), scale, simd::load(sums)));
}

}  // namespace kvscope
