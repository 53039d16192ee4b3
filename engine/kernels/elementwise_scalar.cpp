#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/elementwise.hpp"

namespace kvscope::scalar {

void rms_norm(const float* x, const float* weight, int n, float eps, float* out) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
  const double scale = 1.0 / std::sqrt(sum / n + static_cast<double>(eps));
  for (int i = 0; i < n; ++i) out[i] = static_cast<float>(x[i] * scale * weight[i]);
}

void rope(float* x, int n_heads, int head_dim, int n_rot, RopePairs pairs, const float* table) {
  const bool adjacent = pairs == RopePairs::adjacent;
  for (int h = 0; h < n_heads; ++h) {
    float* head = x + static_cast<std::ptrdiff_t>(h) * head_dim;
    for (int i = 0; i < n_rot / 2; ++i) {
      float& a = head[adjacent ? 2 * i : i];
      float& b = head[adjacent ? 2 * i + 1 : i + n_rot / 2];
      const double cos = table[2 * i], sin = table[2 * i + 1];
      const double a0 = a, b0 = b;
      a = static_cast<float>(a0 * cos - b0 * sin);
      b = static_cast<float>(a0 * sin + b0 * cos);
    }
  }
}

void softmax(float* x, int n) {
  const double largest = *std::max_element(x, x + n);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += std::exp(x[i] - largest);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(std::exp(x[i] - largest) / sum);
}

void swiglu(const float* gate, const float* up, int n, float* out) {
  for (int i = 0; i < n; ++i) {
    const double g = gate[i];
    out[i] = static_cast<float>(g / (1.0 + std::exp(-g)) * up[i]);
  }
}

}  // namespace kvscope::scalar
