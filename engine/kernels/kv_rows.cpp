// One position of the cache at a time, for those who look at it or save it. Apart from kv_store(),
// which every token calls, so that it can be compiled for size.
#include <cstring>

#include "kernels/kv_pages.hpp"
#include "kernels/kv_slots.hpp"
#include "tensor/half.hpp"

namespace kvscope {
namespace {

float value_of(float x) { return x; }
float value_of(std::uint16_t x) { return half_to_float(x); }

}  // namespace

void kv_load_k(const KvPages& kv, int position, float* k) {
  with_slot(
      kv, position,
      [&](const KvBlockSlot& slot, int first) {
        const float scale = load_half(slot.k_scale);
        for (std::size_t d = 0; d < slot.width; ++d) k[first + d] = scale * slot.k(d);
      },
      [&](const auto& slot) {
        for (std::size_t d = 0; d < slot.head_dim; ++d) k[d] = value_of(slot.k(d));
      });
}

void kv_load_v(const KvPages& kv, int position, float* v) {
  with_slot(
      kv, position,
      [&](const KvBlockSlot& slot, int first) {
        const float scale = load_half(slot.v_scale);
        for (std::size_t d = 0; d < slot.width; ++d) v[first + d] = scale * slot.v(d);
      },
      [&](const auto& slot) {
        for (std::size_t d = 0; d < slot.head_dim; ++d) v[d] = value_of(slot.v(d));
      });
}

void kv_store_row(const KvPages& kv, int position, const std::byte* k, const std::byte* v) {
  const auto take = [](const std::byte*& from, void* to, std::size_t n) {
    std::memcpy(to, from, n);
    from += n;
  };
  with_slot(
      kv, position,
      [&](const KvBlockSlot& slot, int) {
        take(k, slot.k_scale, kv_scale_bytes);
        take(v, slot.v_scale, kv_scale_bytes);
        for (std::size_t d = 0; d < slot.width; ++d) take(k, &slot.k(d), 1);
        for (std::size_t d = 0; d < slot.width; ++d) take(v, &slot.v(d), 1);
      },
      [&](const auto& slot) {
        for (std::size_t d = 0; d < slot.head_dim; ++d) {
          take(k, &slot.k(d), sizeof(slot.k(0)));
          take(v, &slot.v(d), sizeof(slot.v(0)));
        }
      });
}

void kv_load_row(const KvPages& kv, int position, std::byte* k, std::byte* v) {
  const auto give = [](const void* from, std::byte*& to, std::size_t n) {
    std::memcpy(to, from, n);
    to += n;
  };
  with_slot(
      kv, position,
      [&](const KvBlockSlot& slot, int) {
        give(slot.k_scale, k, kv_scale_bytes);
        give(slot.v_scale, v, kv_scale_bytes);
        for (std::size_t d = 0; d < slot.width; ++d) give(&slot.k(d), k, 1);
        for (std::size_t d = 0; d < slot.width; ++d) give(&slot.v(d), v, 1);
      },
      [&](const auto& slot) {
        for (std::size_t d = 0; d < slot.head_dim; ++d) {
          give(&slot.k(d), k, sizeof(slot.k(0)));
          give(&slot.v(d), v, sizeof(slot.v(0)));
        }
      });
}

}  // namespace kvscope
