#include "kernels/kv_pages.hpp"

#include "tensor/half.hpp"

namespace kvscope {
namespace {

/// Where one position lies: K's components are 8 elements apart, V's side by side.
struct Slot {
  std::byte* page;
  std::size_t k_first;  // index of K's first component, in elements
  std::size_t v_first;
};

Slot slot_of(const KvPages& kv, int position) {
  const std::size_t in_page = static_cast<std::size_t>(position % kv.page_tokens);
  const std::size_t head_dim = static_cast<std::size_t>(kv.head_dim);
  return {kv.pages[position / kv.page_tokens], in_page / 8 * 8 * head_dim + in_page % 8,
          in_page * head_dim};
}

float to_float(float x) { return x; }
float to_float(std::uint16_t x) { return half_to_float(x); }
void assign(float& out, float x) { out = x; }
void assign(std::uint16_t& out, float x) { out = float_to_half(x); }

template <class Element>
void store(const KvPages& kv, int position, const float* k, const float* v) {
  const Slot slot = slot_of(kv, position);
  Element* k_out = reinterpret_cast<Element*>(slot.page + kv.k_offset) + slot.k_first;
  Element* v_out = reinterpret_cast<Element*>(slot.page + kv.v_offset) + slot.v_first;
  for (int d = 0; d < kv.head_dim; ++d) {
    assign(k_out[8 * d], k[d]);
    assign(v_out[d], v[d]);
  }
}

template <class Element>
void load(const std::byte* first, int head_dim, int step, float* out) {
  const Element* in = reinterpret_cast<const Element*>(first);
  for (int d = 0; d < head_dim; ++d) out[d] = to_float(in[d * step]);
}

void load(const KvPages& kv, const std::byte* base, std::size_t first, int step, float* out) {
  const std::byte* at = base + first * kv_type_bytes(kv.type);
  if (kv.type == KvType::f32) {
    load<float>(at, kv.head_dim, step, out);
  } else {
    load<std::uint16_t>(at, kv.head_dim, step, out);
  }
}

}  // namespace

void kv_store(const KvPages& kv, int position, const float* k, const float* v) {
  if (kv.type == KvType::f32) {
    store<float>(kv, position, k, v);
  } else {
    store<std::uint16_t>(kv, position, k, v);
  }
}

void kv_load_k(const KvPages& kv, int position, float* k) {
  const Slot slot = slot_of(kv, position);
  load(kv, slot.page + kv.k_offset, slot.k_first, 8, k);
}

void kv_load_v(const KvPages& kv, int position, float* v) {
  const Slot slot = slot_of(kv, position);
  load(kv, slot.page + kv.v_offset, slot.v_first, 1, v);
}

}  // namespace kvscope
