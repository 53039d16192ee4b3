#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/exp.hpp"
#include "kernels/f32_batch.hpp"

namespace kvscope {
namespace {

float sum_of_squares(const float* x, int n) {
  FloatBatch a(0.0f), b(0.0f), c(0.0f), d(0.0f);  // one chain would wait for its own results
  int i = 0;
  for (; i + 4 * float_lanes <= n; i += 4 * float_lanes) {
    const FloatBatch x0 = load_batch(x + i), x1 = load_batch(x + i + float_lanes);
    const FloatBatch x2 = load_batch(x + i + 2 * float_lanes);
    const FloatBatch x3 = load_batch(x + i + 3 * float_lanes);
    a = madd(x0, x0, a);
    b = madd(x1, x1, b);
    c = madd(x2, x2, c);
    d = madd(x3, x3, d);
  }
  float sum = xsimd::reduce_add((a + b) + (c + d));
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

/// silu(gate) * up = gate * up / (1 + e^-gate). Far out on the left the exponential stops growing;
/// what is left there is below 1e-35.
FloatBatch swiglu_batch(FloatBatch gate, FloatBatch up) {
  const FloatBatch lowest(exp_constants.lowest), one(exp_constants.one);
  return gate * up / (one + exp_batch(FloatBatch(0.0f) - larger(gate, lowest)));
}

}  // namespace

void rms_norm(const float* x, const float* weight, int n, float eps, float* out) {
  const float scale = 1.0f / std::sqrt(sum_of_squares(x, n) / static_cast<float>(n) + eps);
  const FloatBatch scales(scale);
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    (load_batch(x + i) * scales * load_batch(weight + i)).store_unaligned(out + i);
  }
  for (; i < n; ++i) out[i] = x[i] * scale * weight[i];
}

void swiglu(const float* gate, const float* up, int n, float* out) {
  for (int i = 0; i < n; i += float_lanes) {
    const FloatBatch g = load_part(gate + i, n - i, 0), u = load_part(up + i, n - i, 0);
    store_part(swiglu_batch(g, u), out + i, n - i);
  }
}

void add(float* x, const float* y, int n) {
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    (load_batch(x + i) + load_batch(y + i)).store_unaligned(x + i);
  }
  for (; i < n; ++i) x[i] += y[i];
}

int argmax(const float* x, int n) {
  // The largest of each stretch, then where it stands in one of them: half as long as finding the
  // largest of all and looking for it again from the start.
  constexpr int stretch = 64;
  float largest = -std::numeric_limits<float>::infinity();
  int begin = 0;
  for (int i = 0; i < n; i += stretch) {
    const float value = max_of(x + i, std::min(stretch, n - i));
    if (!(value > largest)) continue;
    largest = value;
    begin = i;
  }
  for (int j = begin; j < n; ++j) {
    if (x[j] == largest) return j;
  }
  return 0;  // only when every value is NaN
}

}  // namespace kvscope
