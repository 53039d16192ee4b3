#include "kernels/kv_q8_0.hpp"

#include <algorithm>

#include "kernels/f32_batch.hpp"
#include "kernels/kv_pages.hpp"
#include "tensor/half.hpp"

namespace kvscope {
namespace {

constexpr std::uint16_t largest_half = 0x7bff;

/// The least half that is not below x >= 0, or the largest there is.
std::uint16_t half_not_below(float x) {
  if (!(x < 65504.0f)) return largest_half;
  const std::uint16_t half = float_to_half(x);
  return static_cast<std::uint16_t>(half_to_float(half) < x ? half + 1 : half);
}

}  // namespace

Q8Block quantise_q8_0(const float* x, int n) {
  alignas(64) float values[kv_block_dims] = {};
  std::copy_n(x, n, values);
  FloatBatch largest(0.0f);
  for (int i = 0; i < kv_block_dims; i += float_lanes) {
    largest = xsimd::max(largest, xsimd::abs(FloatBatch::load_aligned(values + i)));
  }
  Q8Block block;
  block.scale = half_not_below(xsimd::reduce_max(largest) / 127.0f);
  const float scale = half_to_float(block.scale);
  const FloatBatch inverse(scale > 0 ? 1.0f / scale : 0.0f), most(127.0f);
  alignas(64) std::int32_t codes[kv_block_dims];
  for (int i = 0; i < kv_block_dims; i += float_lanes) {
    const FloatBatch code = FloatBatch::load_aligned(values + i) * inverse;
    xsimd::nearbyint_as_int(xsimd::max(xsimd::min(code, most), -most)).store_aligned(codes + i);
  }
  for (int i = 0; i < kv_block_dims; ++i) block.codes[i] = static_cast<std::int8_t>(codes[i]);
  return block;
}

}  // namespace kvscope
