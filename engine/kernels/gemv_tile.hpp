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

/// The loop over tiles that the GEMV kernels share, from `first` on: sum_tile(blocks, sums)
/// computes the 16 sums of a tile. Each tile is finished at once, its factors being the next bytes
/// in memory.
template <class SumTile>
void gemv_tiles(const GemvJob& job, int first, SumTile sum_tile) {
  for (int tile = first; tile < job.tile_end; ++tile) {
    alignas(64) float sums[PackedMatrix::tile_rows];
    sum_tile(tile_data(*job.w, tile), sums);
    finish_tile(*job.w, tile, sums, job.accumulate, job.y + tile * PackedMatrix::tile_rows);
  }
}

/// Places of a matrix that are read by turns.
inline constexpr int n_places = 4;

/// As many tiles as can be computed side by side, a block of each by turns; their totals wait in
/// memory. Returns the first tile that is left. n, add_block: of gemv_blocks(). The places are
/// copied out: a loop over them takes an eighth longer.
template <int n, class Block, class AddBlock>
int gemv_by_turns(const GemvJob& job, AddBlock add_block) {
  const PackedMatrix& w = *job.w;
  const int n_blocks = w.cols() / block_cols;
  const int stride = (job.tile_end - job.tile_begin) / n_places;
  const std::size_t stride_bytes = static_cast<std::size_t>(stride) * w.tile_bytes();
  for (int first = job.tile_begin; first < job.tile_begin + stride; ++first) {
    alignas(64) float sums[n_places][PackedMatrix::tile_rows] = {};
    const std::uint8_t* block = tile_data(w, first);
    for (int run = 0; run < 4; run += n) {
      const Block* x = static_cast<const Block*>(job.x);
      for (int b = 0; b < n_blocks; ++b, ++x) {
        const std::uint8_t* end = nullptr;
#pragma GCC unroll n_places
        for (int i = 0; i < n_places; ++i) {
          float* run_sums = sums[i] + 4 * run;
          simd::Vec total[n];
          for (int r = 0; r < n; ++r) total[r] = simd::load(run_sums + 4 * r);
          end = add_block(block + i * stride_bytes, x, total);
          for (int r = 0; r < n; ++r) simd::store(run_sums + 4 * r, total[r]);
        }
        block = end - (n_places - 1) * stride_bytes;
      }
    }
    for (int i = 0; i < n_places; ++i) {
      const int tile = first + i * stride;
      finish_tile(w, tile, sums[i], job.accumulate, job.y + tile * PackedMatrix::tile_rows);
    }
  }
  return job.tile_begin + n_places * stride;
}

/// GEMV with quantised weights: a tile's rows come in runs of 4 n, each with a block for every
/// block of x. add_block(w, x, total) adds a block to a run's totals and returns what lies behind
/// it.
template <int n, class Block, class AddBlock>
void gemv_blocks(const GemvJob& job, AddBlock add_block) {
  const bool by_turns = has_read_orders && job.order == ReadOrder::by_turns;
  const int first = by_turns ? gemv_by_turns<n, Block>(job, add_block) : job.tile_begin;
  const int n_blocks = job.w->cols() / block_cols;
  gemv_tiles(job, first, [&](const std::uint8_t* w, float* sums) {
    for (int run = 0; run < 4; run += n, sums += 4 * n) {
      const Block* x = static_cast<const Block*>(job.x);
      simd::Vec total[n];
      for (int r = 0; r < n; ++r) total[r] = simd::f32x4_splat(0);
      for (int b = 0; b < n_blocks; ++b, ++x) w = add_block(w, x, total);
      for (int r = 0; r < n; ++r) simd::store(sums + 4 * r, total[r]);
    }
  });
}

}  // namespace kvscope
