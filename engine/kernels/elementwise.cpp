#include "kernels/elementwise.hpp"

#include <cmath>
#include <limits>

#include "kernels/exp.hpp"
#include "kernels/f32_batch.hpp"

namespace kvscope {
namespace {

float sum_of_squares(const float* x, int n) {
  FloatBatch even(0.0f), odd(0.0f);  // two chains: one would wait for its own result
  int i = 0;
  for (; i + 2 * float_lanes <= n; i += 2 * float_lanes) {
    const FloatBatch a = load_batch(x + i), b = load_batch(x + i + float_lanes);
    even = madd(a, a, even);
    odd = madd(b, b, odd);
  }
  float sum = xsimd::reduce_add(even + odd);
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

/// silu(gate) * up; the exponential of -|gate| cannot overflow.
FloatBatch swiglu_batch(FloatBatch gate, FloatBatch up) {
  const FloatBatch one(1.0f);
  const FloatBatch e = exp_nonpositive(-xsimd::abs(gate));
  const FloatBatch numerator = xsimd::select(gate < FloatBatch(0.0f), e, one);
  return gate * up * numerator / (one + e);
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
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    swiglu_batch(load_batch(gate + i), load_batch(up + i)).store_unaligned(out + i);
  }
  if (i == n) return;
  alignas(64) float g[float_lanes] = {}, u[float_lanes] = {};
  for (int j = i; j < n; ++j) g[j - i] = gate[j], u[j - i] = up[j];
  swiglu_batch(FloatBatch::load_aligned(g), FloatBatch::load_aligned(u)).store_aligned(g);
  for (int j = i; j < n; ++j) out[j] = g[j - i];
}

void add(float* x, const float* y, int n) {
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    (load_batch(x + i) + load_batch(y + i)).store_unaligned(x + i);
  }
  for (; i < n; ++i) x[i] += y[i];
}

int argmax(const float* x, int n) {
  float largest = -std::numeric_limits<float>::infinity();
  int i = 0;
  if (n >= float_lanes) {
    FloatBatch batch(largest);
    for (; i + float_lanes <= n; i += float_lanes) {
      const FloatBatch values = load_batch(x + i);
      batch = xsimd::select(values > batch, values, batch);  // a NaN never wins
    }
    largest = xsimd::reduce_max(batch);
  }
  for (; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int j = 0; j < n; ++j) {
    if (x[j] == largest) return j;
  }
  return 0;  // only when every value is NaN
}

}  // namespace kvscope
