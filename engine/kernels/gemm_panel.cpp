#include "kernels/gemm_panel.hpp"

#include <algorithm>

#include "kernels/gemv_tile.hpp"

namespace kvscope {

void write_group(const GemmJob& job, int group, const float* sums) {
  constexpr int tile_rows = PackedMatrix::tile_rows;
  const int first = group * group_tokens, end = std::min(first + group_tokens, job.tokens);
  float* y = job.y + static_cast<std::size_t>(first) * job.y_stride + job.tile * tile_rows;
  for (int t = first; t < end; ++t, sums += tile_rows, y += job.y_stride) {
    finish_tile(*job.w, job.tile, sums, job.accumulate, y);
  }
}

}  // namespace kvscope
