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

/// The sums of a tile, whose rows come in runs of 4 n, each with a block for every block of x.
/// add_block(w, x, total) adds a block to a run's totals and returns what lies behind it.
template <int n, class Block, class AddBlock>
void sum_tile(const std::uint8_t* w, const Block* x, int n_blocks, AddBlock add_block,
              float* sums) {
  for (int run = 0; run < 4; run += n, sums += 4 * n) {
    simd::Vec total[n];
    for (int r = 0; r < n; ++r) total[r] = simd::f32x4_splat(0);
    for (int b = 0; b < n_blocks; ++b) w = add_block(w, x + b, total);
    for (int r = 0; r < n; ++r) simd::store(sums + 4 * r, total[r]);
  }
}

/// Places of a matrix that are read by turns.
inline constexpr int n_places = 4;

/// The same of several tiles, a block of each by turns. The totals wait in memory.
template <int n, class Block, class AddBlock>
void sum_side_by_side(const std::uint8_t* (&w)[n_places], const Block* x, int n_blocks,
                      AddBlock add_block, float (*sums)[PackedMatrix::tile_rows]) {
  for (int run = 0; run < 4; run += n) {
    for (int b = 0; b < n_blocks; ++b) {
      KVSCOPE_ROLLED
      for (int i = 0; i < n_places; ++i) {
        float* run_sums = sums[i] + 4 * run;
        simd::Vec total[n];
        for (int r = 0; r < n; ++r) total[r] = simd::load(run_sums + 4 * r);
        w[i] = add_block(w[i], x + b, total);
        for (int r = 0; r < n; ++r) simd::store(run_sums + 4 * r, total[r]);
      }
    }
  }
}

/// The loop over tiles that the GEMV kernels of quantised weights share. Each tile is finished at
/// once, its factors being the next bytes in memory.
template <int n, class Block, class AddBlock>
void gemv_tiles(const GemvJob& job, AddBlock add_block) {
  const PackedMatrix& w = *job.w;
  const auto* x = static_cast<const Block*>(job.x);
  const int n_blocks = w.cols() / block_cols;
  const auto finish = [&](int tile, const float* sums) {
    finish_tile(w, tile, sums, job.accumulate, job.y + tile * PackedMatrix::tile_rows);
  };
  int tile = job.tile_begin;
  if (has_read_orders && job.order == ReadOrder::by_turns) {
    const int stride = (job.tile_end - tile) / n_places;
    for (const int end = tile + stride; tile < end; ++tile) {
      alignas(64) float sums[n_places][PackedMatrix::tile_rows] = {};
      const std::uint8_t* blocks[n_places];
      for (int i = 0; i < n_places; ++i) blocks[i] = tile_data(w, tile + i * stride);
      sum_side_by_side<n>(blocks, x, n_blocks, add_block, sums);
      for (int i = 0; i < n_places; ++i) finish(tile + i * stride, sums[i]);
    }
    tile += (n_places - 1) * stride;
  }
  for (; tile < job.tile_end; ++tile) {
    alignas(64) float sums[PackedMatrix::tile_rows];
    sum_tile<n>(tile_data(w, tile), x, n_blocks, add_block, sums);
    finish(tile, sums);
  }
}

}  // namespace kvscope
