#include "kernels/gemv_tile.hpp"

#include <algorithm>

#include "kernels/float_columns.hpp"

namespace kvscope {

namespace {

constexpr int tile_rows = PackedMatrix::tile_rows;

}  // namespace

void finish_part(float* y, const float* sums, RowScales scales, int n_rows, bool accumulate) {
  float padded[tile_rows] = {};
  if (accumulate) std::copy_n(y, n_rows, padded);
  finish_rows<true>(padded, sums, scales);
  std::copy_n(padded, n_rows, y);
}

void multiply_mins(const std::uint8_t* mins, const float* d_sum, int n_blocks, float sums[16]) {
  gemv_columns(IntWeights{}, mins, d_sum, n_blocks, sums);
}

void finish_sums(const GemvJob& job, int first_tile, int n_tiles, const float* sums,
                 const TileHeader* headers) {
  for (int tile = first_tile; tile < first_tile + n_tiles; ++tile, sums += tile_rows) {
    const int row = tile * tile_rows;
    finish_tile(job.y + row, sums, RowScales(*headers++), job.w->rows() - row, job.accumulate);
  }
}

}  // namespace kvscope
