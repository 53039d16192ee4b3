#include <limits>

#include "kernels/elementwise.hpp"
#include "kernels/exp.hpp"
#include "kernels/f32_batch.hpp"

namespace kvscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// The last n < float_lanes values, then such as have no weight.
FloatBatch load_rest(const float* x, int n) {
  alignas(64) float lanes[float_lanes];
  for (int i = 0; i < float_lanes; ++i) lanes[i] = i < n ? x[i] : minus_infinity;
  return FloatBatch::load_aligned(lanes);
}

void store_rest(FloatBatch batch, float* x, int n) {
  alignas(64) float lanes[float_lanes];
  batch.store_aligned(lanes);
  for (int i = 0; i < n; ++i) x[i] = lanes[i];
}

}  // namespace

float max_of(const float* x, int n) {
  FloatBatch a(minus_infinity), b = a;  // one chain would wait for its own results
  int i = 0;
  for (; i + 2 * float_lanes <= n; i += 2 * float_lanes) {
    a = larger(a, load_batch(x + i));
    b = larger(b, load_batch(x + i + float_lanes));
  }
  for (; i < n; i += float_lanes) {
    a = larger(a, i + float_lanes <= n ? load_batch(x + i) : load_rest(x + i, n - i));
  }
  return xsimd::reduce_max(larger(a, b));
}

float sum_exp(const float* x, int n, float offset) {
  const FloatBatch offsets(offset);
  FloatBatch sum(0.0f);
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    sum += exp_batch(load_batch(x + i) - offsets);
  }
  if (i < n) sum += exp_batch(load_rest(x + i, n - i) - offsets);
  return xsimd::reduce_add(sum);
}

void softmax(float* x, int n) {
  const FloatBatch largest(max_of(x, n));
  FloatBatch sum(0.0f);
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    const FloatBatch e = exp_batch(load_batch(x + i) - largest);
    e.store_unaligned(x + i);
    sum += e;
  }
  if (i < n) {
    const FloatBatch e = exp_batch(load_rest(x + i, n - i) - largest);
    store_rest(e, x + i, n - i);
    sum += e;
  }
  const float scale = 1.0f / xsimd::reduce_add(sum);
  for (i = 0; i + float_lanes <= n; i += float_lanes) {
    (load_batch(x + i) * FloatBatch(scale)).store_unaligned(x + i);
  }
  for (; i < n; ++i) x[i] *= scale;
}

}  // namespace kvscope
