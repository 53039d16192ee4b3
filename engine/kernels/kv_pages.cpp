#include "kernels/kv_pages.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/f32_batch.hpp"
#include "tensor/half.hpp"

namespace kvscope {
namespace {

/// Where the components of one position are: K's 8 elements apart, V's in slices.
template <class Element>
struct Slot {
  Element* page_k;
  Element* page_v;
  std::size_t in_page;
  std::size_t page_tokens;
  std::size_t head_dim;

  Element& k(std::size_t d) const {
    return page_k[in_page / 8 * 8 * head_dim + d * 8 + in_page % 8];
  }
  Element& v(std::size_t d) const {
    const std::size_t slice = d / kv_slice_dims * kv_slice_dims;
    const std::size_t width = std::min<std::size_t>(kv_slice_dims, head_dim - slice);
    return page_v[slice * page_tokens + in_page * width + (d - slice)];
  }
};

/// f(slot), with the slot's elements of the type that is stored.
template <class F>
void with_slot(const KvPages& kv, int position, F&& f) {
  std::byte* page = kv.pages[position / kv.page_tokens];
  const auto slot = [&]<class Element>(Element*) {
    return Slot<Element>{reinterpret_cast<Element*>(page + kv.k_offset),
                         reinterpret_cast<Element*>(page + kv.v_offset),
                         static_cast<std::size_t>(position % kv.page_tokens),
                         static_cast<std::size_t>(kv.page_tokens),
                         static_cast<std::size_t>(kv.head_dim)};
  };
  if (kv.type == KvType::f32) {
    f(slot(static_cast<float*>(nullptr)));
  } else {
    f(slot(static_cast<std::uint16_t*>(nullptr)));
  }
}

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

void assign(float& out, float x) { out = x; }
void assign(float& out, std::uint16_t x) { out = half_to_float(x); }

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

void store(const Slot<float>& slot, const float* k, const float* v) {
  for (std::size_t d = 0; d < slot.head_dim; ++d) {
    slot.k(d) = k[d];
    slot.v(d) = v[d];
  }
}

void store(const Slot<std::uint16_t>& slot, const float* k, const float* v) {
  for_each_rounded(k, slot.head_dim, [&](std::size_t d, std::uint16_t x) { slot.k(d) = x; });
  for_each_rounded(v, slot.head_dim, [&](std::size_t d, std::uint16_t x) { slot.v(d) = x; });
}

}  // namespace

void kv_store(const KvPages& kv, int position, const float* k, const float* v) {
  with_slot(kv, position, [&](const auto& slot) { store(slot, k, v); });
}

void kv_load_k(const KvPages& kv, int position, float* k) {
  with_slot(kv, position, [&](const auto& slot) {
    for (std::size_t d = 0; d < slot.head_dim; ++d) assign(k[d], slot.k(d));
  });
}

void kv_load_v(const KvPages& kv, int position, float* v) {
  with_slot(kv, position, [&](const auto& slot) {
    for (std::size_t d = 0; d < slot.head_dim; ++d) assign(v[d], slot.v(d));
  });
}

void kv_store_elements(const KvPages& kv, int position, const std::byte* k, const std::byte* v) {
  with_slot(kv, position, [&](const auto& slot) {
    constexpr std::size_t size = sizeof(slot.k(0));
    for (std::size_t d = 0; d < slot.head_dim; ++d) {
      std::memcpy(&slot.k(d), k + size * d, size);
      std::memcpy(&slot.v(d), v + size * d, size);
    }
  });
}

void kv_load_elements(const KvPages& kv, int position, std::byte* k, std::byte* v) {
  with_slot(kv, position, [&](const auto& slot) {
    constexpr std::size_t size = sizeof(slot.k(0));
    for (std::size_t d = 0; d < slot.head_dim; ++d) {
      std::memcpy(k + size * d, &slot.k(d), size);
      std::memcpy(v + size * d, &slot.v(d), size);
    }
  });
}

}  // namespace kvscope
