#include "kernels/kv_pages.hpp"

#include <algorithm>
#include <cstring>

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

void assign(float& out, float x) { out = x; }
void assign(std::uint16_t& out, float x) { out = float_to_half(x); }
void assign(float& out, std::uint16_t x) { out = half_to_float(x); }

}  // namespace

void kv_store(const KvPages& kv, int position, const float* k, const float* v) {
  with_slot(kv, position, [&](const auto& slot) {
    for (std::size_t d = 0; d < slot.head_dim; ++d) {
      assign(slot.k(d), k[d]);
      assign(slot.v(d), v[d]);
    }
  });
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
