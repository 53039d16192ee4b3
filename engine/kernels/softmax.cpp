#include <cmath>
#include <limits>

#include "kernels/elementwise.hpp"
#include "kernels/exp.hpp"
#include "kernels/f32_batch.hpp"

namespace kvscope {
namespace {

float largest_of(const float* x, int n) {
  float largest = x[0];
  int i = 0;
  if (n >= float_lanes) {
    FloatBatch batch = load_batch(x);
    for (; i + float_lanes <= n; i += float_lanes) batch = xsimd::max(batch, load_batch(x + i));
    largest = xsimd::reduce_max(batch);
  }
  for (; i < n; ++i) largest = std::fmax(largest, x[i]);
  return largest;
}

}  // namespace

void softmax(float* x, int n) {
  const FloatBatch largest(largest_of(x, n));
  FloatBatch sums(0.0f);
  int i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    const FloatBatch e = exp_nonpositive(load_batch(x + i) - largest);
    e.store_unaligned(x + i);
    sums += e;
  }
  if (i < n) {
    alignas(64) float rest[float_lanes];
    for (int j = 0; j < float_lanes; ++j) {
      rest[j] = i + j < n ? x[i + j] : -std::numeric_limits<float>::infinity();
    }
    const FloatBatch e = exp_nonpositive(FloatBatch::load_aligned(rest) - largest);
    e.store_aligned(rest);
    for (int j = 0; i + j < n; ++j) x[i + j] = rest[j];
    sums += e;
  }
  const float scale = 1.0f / xsimd::reduce_add(sums);
  for (i = 0; i + float_lanes <= n; i += float_lanes) {
    (load_batch(x + i) * FloatBatch(scale)).store_unaligned(x + i);
  }
  for (; i < n; ++i) x[i] *= scale;
}

}  // namespace kvscope
