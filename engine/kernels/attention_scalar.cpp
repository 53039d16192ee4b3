#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/attention.hpp"

namespace kvscope {

void attention_scalar(const AttentionArgs& args) {
  const int head_dim = args.kv.head_dim;
  std::vector<float> kv(static_cast<std::size_t>(head_dim));
  for (int t = 0; t < args.n_tokens; ++t) {
    const int n = args.first_position + t + 1;
    for (int h = 0; h < args.group; ++h) {
      const float* q = args.q + t * args.q_stride + h * head_dim;
      std::vector<double> weights(static_cast<std::size_t>(n));
      for (int p = 0; p < n; ++p) {
        kv_load_k(args.kv, p, kv.data());
        double dot = 0;
        for (int d = 0; d < head_dim; ++d) dot += static_cast<double>(q[d]) * kv[d];
        weights[p] = dot * static_cast<double>(args.scale);
      }
      const double largest = *std::max_element(weights.begin(), weights.end());
      double sum = 0;
      for (double& w : weights) sum += w = std::exp(w - largest);
      std::vector<double> mixed(static_cast<std::size_t>(head_dim), 0.0);
      for (int p = 0; p < n; ++p) {
        kv_load_v(args.kv, p, kv.data());
        for (int d = 0; d < head_dim; ++d) mixed[d] += weights[p] / sum * kv[d];
      }
      float* out = args.out + t * args.out_stride + h * head_dim;
      for (int d = 0; d < head_dim; ++d) out[d] = static_cast<float>(mixed[d]);
    }
  }
}

}  // namespace kvscope
