#include <limits>

#include "kernels/elementwise.hpp"
#include "kernels/exp.hpp"
#include "kernels/f32_batch.hpp"

namespace kvscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

}  // namespace

float max_of(const float* x, int n) {
  FloatBatch a(minus_infinity), b = a;  // one chain would wait for its own results
  int i = 0;
  for (; i + 2 * float_lanes <= n; i += 2 * float_lanes) {
    a = larger(a, load_batch(x + i));
    b = larger(b, load_batch(x + i + float_lanes));
  }
  for (; i < n; i += float_lanes) a = larger(a, load_part(x + i, n - i, minus_infinity));
  return xsimd::reduce_max(larger(a, b));
}

float sum_exp(const float* x, int n, float offset) {
  const FloatBatch offsets(offset);
  FloatBatch sum(0.0f);
  for (int i = 0; i < n; i += float_lanes) {
    sum += exp_batch(load_part(x + i, n - i, minus_infinity) - offsets);
  }
  return xsimd::reduce_add(sum);
}

void softmax(float* x, int n) {
  const FloatBatch largest(max_of(x, n));
  FloatBatch sum(0.0f);
  for (int i = 0; i < n; i += float_lanes) {
    const FloatBatch e = exp_batch(load_part(x + i, n - i, minus_infinity) - largest);
    store_part(e, x + i, n - i);
    sum += e;
  }
  const float scale = 1.0f / xsimd::reduce_add(sum);
  for (int i = 0; i < n; ++i) x[i] *= scale;
}

}  // namespace kvscope
