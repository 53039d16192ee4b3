#include <vector>

#include "kernels/matmul.hpp"

namespace kvscope {

void matmul_scalar(const PackedMatrix& w, const float* x, int n_tokens, float* y,
                   std::size_t y_stride) {
  std::vector<float> row(static_cast<std::size_t>(w.cols()));
  for (int r = 0; r < w.rows(); ++r) {
    w.unpack_row(r, row.data());
    for (int t = 0; t < n_tokens; ++t) {
      const float* xt = x + static_cast<std::size_t>(t) * row.size();
      double sum = 0;
      for (std::size_t c = 0; c < row.size(); ++c) sum += double{row[c]} * double{xt[c]};
      y[static_cast<std::size_t>(t) * y_stride + static_cast<std::size_t>(r)] =
          static_cast<float>(sum);
    }
  }
}

}  // namespace kvscope
