#include "kernels/kv_pages.hpp"

#include <cstring>

#include "tensor/half.hpp"

namespace kvscope {
namespace {

/// One position's K, whose components are 8 elements apart, and V, whose are side by side.
template <class Element>
struct Slot {
  Element* k;
  Element* v;
};

template <class Element>
Slot<Element> slot_of(const KvPages& kv, int position) {
  std::byte* page = kv.pages[position / kv.page_tokens];
  const auto in_page = static_cast<std::size_t>(position % kv.page_tokens);
  const auto head_dim = static_cast<std::size_t>(kv.head_dim);
  return {reinterpret_cast<Element*>(page + kv.k_offset) + in_page / 8 * 8 * head_dim + in_page % 8,
          reinterpret_cast<Element*>(page + kv.v_offset) + in_page * head_dim};
}

/// f(slot), with the slot's elements of the type that is stored.
template <class F>
void with_slot(const KvPages& kv, int position, F&& f) {
  if (kv.type == KvType::f32) {
    f(slot_of<float>(kv, position));
  } else {
    f(slot_of<std::uint16_t>(kv, position));
  }
}

void assign(float& out, float x) { out = x; }
void assign(std::uint16_t& out, float x) { out = float_to_half(x); }
void assign(float& out, std::uint16_t x) { out = half_to_float(x); }

}  // namespace

void kv_store(const KvPages& kv, int position, const float* k, const float* v) {
  with_slot(kv, position, [&](auto slot) {
    for (int d = 0; d < kv.head_dim; ++d) {
      assign(slot.k[8 * d], k[d]);
      assign(slot.v[d], v[d]);
    }
  });
}

void kv_load_k(const KvPages& kv, int position, float* k) {
  with_slot(kv, position, [&](auto slot) {
    for (int d = 0; d < kv.head_dim; ++d) assign(k[d], slot.k[8 * d]);
  });
}

void kv_load_v(const KvPages& kv, int position, float* v) {
  with_slot(kv, position, [&](auto slot) {
    for (int d = 0; d < kv.head_dim; ++d) assign(v[d], slot.v[d]);
  });
}

void kv_store_elements(const KvPages& kv, int position, const std::byte* k, const std::byte* v) {
  with_slot(kv, position, [&](auto slot) {
    constexpr std::size_t size = sizeof(*slot.k);
    for (int d = 0; d < kv.head_dim; ++d) std::memcpy(slot.k + 8 * d, k + size * d, size);
    std::memcpy(slot.v, v, size * kv.head_dim);
  });
}

void kv_load_elements(const KvPages& kv, int position, std::byte* k, std::byte* v) {
  with_slot(kv, position, [&](auto slot) {
    constexpr std::size_t size = sizeof(*slot.k);
    for (int d = 0; d < kv.head_dim; ++d) std::memcpy(k + size * d, slot.k + 8 * d, size);
    std::memcpy(v, slot.v, size * kv.head_dim);
  });
}

}  // namespace kvscope
