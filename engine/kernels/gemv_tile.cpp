#include "kernels/gemv_tile.hpp"

#include <algorithm>

namespace kvscope {

void finish_part(float* y, const float* sums, const std::uint16_t* factors, int n_rows,
                 bool accumulate) {
  float padded[PackedMatrix::tile_rows] = {};
  if (accumulate) std::copy_n(y, n_rows, padded);
  finish_rows(padded, sums, factors, accumulate);
  std::copy_n(padded, n_rows, y);
}

}  // namespace kvscope
