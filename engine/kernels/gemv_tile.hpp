#pragma once

#include <algorithm>

#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// The scales of a header as floats.
struct RowScales {
  simd::Vec of[4];

  explicit RowScales(const TileHeader& header) {
    for (int r = 0; r < 4; ++r) of[r] = simd::f32x4_load_bfloat(header.scale + 4 * r);
  }
};

/// y = sums * scales, or y += …, for 16 rows.
template <bool accumulate>
void finish_rows(float* y, const float* sums, const RowScales& scales) {
  for (int r = 0; r < 4; ++r) {
    simd::Vec result = simd::f32x4_mul(simd::load(sums + 4 * r), scales.of[r]);
    if (accumulate) result = simd::f32x4_add(result, simd::load(y + 4 * r));
    simd::store(y + 4 * r, result);
  }
}

/// The same where only n_rows exist, fewer than 16. By value: a reference would keep the scales in
/// memory everywhere.
void finish_part(float* y, const float* sums, RowScales scales, int n_rows, bool accumulate);

/// The same for a tile of which n_rows are left in the matrix, 16 or more but for its last one.
inline void finish_tile(float* y, const float* sums, const RowScales& scales, int n_rows,
                        bool accumulate) {
  if (n_rows < PackedMatrix::tile_rows) {
    finish_part(y, sums, scales, n_rows, accumulate);
  } else if (accumulate) {
    finish_rows<true>(y, sums, scales);
  } else {
    finish_rows<false>(y, sums, scales);
  }
}

/// The minima's share of a tile's 16 results. mins: [n_blocks][16] integers; d_sum: see
/// quantise_activations.hpp.
void multiply_mins(const std::uint8_t* mins, const float* d_sum, int n_blocks, float sums[16]);

/// Writes the sums of n_tiles tiles from first_tile on to job.y: 16 of each times its scales.
void finish_sums(const GemvJob& job, int first_tile, int n_tiles, const float* sums,
                 const TileHeader* headers);

/// Tiles that are finished together: where rows are short, a call for each would take a tenth of
/// the time.
inline constexpr int tile_batch = 8;

/// The loop over tiles that the GEMV kernels of quantised weights share. add_tile(blocks, sums)
/// adds the tile's products to its 16 sums, which stay in memory (see add_scaled in
/// gemm_panel.hpp).
template <class Block, class AddTile>
void gemv_tiles(const GemvJob& job, AddTile add_tile) {
  const int n_blocks = job.w->cols() / block_cols;
  const auto* d_sum = reinterpret_cast<const float*>(static_cast<const Block*>(job.x) + n_blocks);
  const int min_bytes = n_blocks * quant_shape(job.w->format()).min_bytes();
  alignas(64) float sums[tile_batch * PackedMatrix::tile_rows];
  TileHeader headers[tile_batch];
  for (int first = job.tile_begin; first < job.tile_end; first += tile_batch) {
    const int n_tiles = std::min(tile_batch, job.tile_end - first);
    float* of_tile = sums;
    for (int i = 0; i < n_tiles; ++i, of_tile += PackedMatrix::tile_rows) {
      // In the order in which they lie in memory: reading the headers later costs a tenth of the
      // bandwidth.
      headers[i] = tile_header(*job.w, first + i);
      const std::uint8_t* data = tile_data(*job.w, first + i);
      if (min_bytes > 0) {
        multiply_mins(data, d_sum, n_blocks, of_tile);
      } else {
        for (int r = 0; r < PackedMatrix::tile_rows; r += 4) {
          simd::store(of_tile + r, simd::f32x4_splat(0));
        }
      }
      add_tile(data + min_bytes, of_tile);
    }
    finish_sums(job, first, n_tiles, sums, headers);
  }
}

/// sums += s * scale for 4 rows.
inline void add_scaled(simd::Vec s, simd::Vec scale, float* sums) {
  simd::store(sums, simd::f32x4_madd(simd::f32x4_convert_i32x4(s), scale, simd::load(sums)));
}

}  // namespace kvscope
