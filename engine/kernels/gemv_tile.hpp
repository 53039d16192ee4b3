#pragma once

#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// y = sums * factors, or y += …, for 16 rows.
inline void finish_rows(float* y, const float* sums, const std::uint16_t* factors,
                        bool accumulate) {
  for (int r = 0; r < PackedMatrix::tile_rows; r += 4) {
    simd::Vec result = simd::f32x4_mul(simd::load(sums + r), simd::f32x4_load_bfloat(factors + r));
    if (accumulate) result = simd::f32x4_add(result, simd::load(y + r));
    simd::store(y + r, result);
  }
}

/// The same where only n_rows exist, fewer than 16.
void finish_part(float* y, const float* sums, const std::uint16_t* factors, int n_rows,
                 bool accumulate);

/// The same for a tile of w. y: of its first row.
inline void finish_tile(const PackedMatrix& w, int tile, const float* sums, bool accumulate,
                        float* y) {
  const int n_rows = w.rows() - tile * PackedMatrix::tile_rows;
  const std::uint16_t* factors = row_factors(w, tile);
  if (n_rows < PackedMatrix::tile_rows) {
    finish_part(y, sums, factors, n_rows, accumulate);
  } else {
    finish_rows(y, sums, factors, accumulate);
  }
}

/// The loop over tiles that the GEMV kernels share: sum_tile(blocks, sums) computes the 16 sums of
/// a tile. Each tile is finished at once, its factors being the next bytes in memory.
template <class SumTile>
void gemv_tiles(const GemvJob& job, SumTile sum_tile) {
  for (int tile = job.tile_begin; tile < job.tile_end; ++tile) {
    alignas(64) float sums[PackedMatrix::tile_rows];
    sum_tile(tile_data(*job.w, tile), sums);
    finish_tile(*job.w, tile, sums, job.accumulate, job.y + tile * PackedMatrix::tile_rows);
  }
}

}  // namespace kvscope
