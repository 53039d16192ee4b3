#include "kernels/kv_pages.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/f32_batch.hpp"
#include "kernels/kv_q8_0.hpp"
#include "kernels/kv_slots.hpp"
#include "tensor/half.hpp"

namespace kvscope {
namespace {

/// float_to_half for whole batches, but beyond the range it stays at the largest finite value: an
/// infinite key would make all weights NaN.
IntBatch round_to_half(FloatBatch x) {
  const IntBatch bits = xsimd::bitwise_cast<std::int32_t>(x);
  const IntBatch magnitude = bits & IntBatch(0x7fffffff);
  const IntBatch normal =
      (magnitude + IntBatch(0xfff - 0x38000000) + ((magnitude >> 13) & IntBatch(1))) >> 13;
  const IntBatch subnormal =
      xsimd::bitwise_cast<std::int32_t>(xsimd::bitwise_cast<float>(magnitude) + FloatBatch(0.5f)) -
      IntBatch(0x3f000000);
  IntBatch half = xsimd::select(magnitude < IntBatch(0x38800000), subnormal, normal);
  half = xsimd::select(magnitude < IntBatch(0x477fe000), half, IntBatch(0x7bff));
  half = xsimd::select(magnitude > IntBatch(0x7f800000), IntBatch(0x7e00), half);
  return half | ((bits >> 16) & IntBatch(0x8000));
}

/// put(d, element) for the n components of x, rounded to what is stored.
template <class Put>
void for_each_rounded(const float* x, std::size_t n, Put&& put) {
  constexpr std::size_t lanes = float_lanes;
  for (std::size_t d = 0; d < n; d += lanes) {
    const std::size_t here = std::min(lanes, n - d);
    alignas(64) std::int32_t out[lanes];
    if (here == lanes) {
      round_to_half(load_batch(x + d)).store_aligned(out);
    } else {
      alignas(64) float in[lanes] = {};
      std::copy_n(x + d, here, in);
      round_to_half(FloatBatch::load_aligned(in)).store_aligned(out);
    }
    for (std::size_t i = 0; i < here; ++i) put(d + i, static_cast<std::uint16_t>(out[i]));
  }
}

void store(const KvSlot<float>& slot, const float* k, const float* v) {
  for (std::size_t d = 0; d < slot.head_dim; ++d) {
    slot.k(d) = k[d];
    slot.v(d) = v[d];
  }
}

void store(const KvSlot<std::uint16_t>& slot, const float* k, const float* v) {
  for_each_rounded(k, slot.head_dim, [&](std::size_t d, std::uint16_t x) { slot.k(d) = x; });
  for_each_rounded(v, slot.head_dim, [&](std::size_t d, std::uint16_t x) { slot.v(d) = x; });
}

void store(const KvBlockSlot& slot, const float* k, const float* v) {
  const Q8Block block_k = quantise_q8_0(k, static_cast<int>(slot.width));
  const Q8Block block_v = quantise_q8_0(v, static_cast<int>(slot.width));
  std::memcpy(slot.k_scale, &block_k.scale, kv_scale_bytes);
  std::memcpy(slot.v_scale, &block_v.scale, kv_scale_bytes);
  for (std::size_t d = 0; d < slot.width; ++d) {
    slot.k(d) = block_k.codes[d];
    slot.v(d) = block_v.codes[d];
  }
}

}  // namespace

void kv_store(const KvPages& kv, int position, const float* k, const float* v) {
  with_slot(
      kv, position, [&](const KvBlockSlot& slot, int first) { store(slot, k + first, v + first); },
      [&](const auto& slot) { store(slot, k, v); });
}

}  // namespace kvscope
