#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/kv_pages.hpp"

namespace kvscope {

/// Where the components of one position lie in a page: K's 8 elements apart, V's in slices.
template <class Element>
struct KvSlot {
  Element* page_k;
  Element* page_v;
  std::size_t in_page;
  std::size_t page_tokens;
  std::size_t head_dim;

  KvSlot(const KvPages& kv, int position)
      : page_k(reinterpret_cast<Element*>(kv.pages[position / kv.page_tokens] + kv.k_offset)),
        page_v(reinterpret_cast<Element*>(kv.pages[position / kv.page_tokens] + kv.v_offset)),
        in_page(static_cast<std::size_t>(position % kv.page_tokens)),
        page_tokens(static_cast<std::size_t>(kv.page_tokens)),
        head_dim(static_cast<std::size_t>(kv.head_dim)) {}

  Element& k(std::size_t d) const {
    return page_k[in_page / 8 * 8 * head_dim + d * 8 + in_page % 8];
  }
  Element& v(std::size_t d) const {
    const std::size_t slice = d / kv_slice_dims * kv_slice_dims;
    const std::size_t width = std::min<std::size_t>(kv_slice_dims, head_dim - slice);
    return page_v[slice * page_tokens + in_page * width + (d - slice)];
  }
};

/// The same for q8_0: each block of 32 components is a page of its own kind, with its scales behind
/// K's codes and before V's.
struct KvBlockSlot {
  std::int8_t* group_k;  // the block's codes of the position's group of 8
  std::int8_t* page_v;   // the block's codes of the whole page
  std::byte* k_scale;
  std::byte* v_scale;
  std::size_t in_page;
  std::size_t page_tokens;
  std::size_t width;  // 32, or less in the last block

  KvBlockSlot(const KvPages& kv, int position, int block)
      : in_page(static_cast<std::size_t>(position % kv.page_tokens)),
        page_tokens(static_cast<std::size_t>(kv.page_tokens)),
        width(static_cast<std::size_t>(
            std::min(kv_block_dims, kv.head_dim - block * kv_block_dims))) {
    constexpr std::size_t block_bytes = kv_block_dims + kv_scale_bytes;  // of one position
    const auto before = static_cast<std::size_t>(block) * block_bytes;
    std::byte* page = kv.pages[position / kv.page_tokens];
    std::byte* k =
        page + kv.k_offset + in_page / 8 * 8 * kv_row_bytes(kv.type, kv.head_dim) + 8 * before;
    std::byte* v = page + kv.v_offset + page_tokens * before;
    group_k = reinterpret_cast<std::int8_t*>(k);
    k_scale = k + 8 * width + in_page % 8 * kv_scale_bytes;
    v_scale = v + in_page * kv_scale_bytes;
    page_v = reinterpret_cast<std::int8_t*>(v + page_tokens * kv_scale_bytes);
  }

  std::int8_t& k(std::size_t d) const { return group_k[d * 8 + in_page % 8]; }
  std::int8_t& v(std::size_t d) const {
    const std::size_t slice = d / kv_slice_dims * kv_slice_dims;
    const std::size_t slice_width = std::min<std::size_t>(kv_slice_dims, width - slice);
    return page_v[slice * page_tokens + in_page * slice_width + (d - slice)];
  }
};

/// blocks(slot, first component) for each block of a q8_0 position, or floats(slot) once.
template <class Blocks, class Floats>
void with_slot(const KvPages& kv, int position, Blocks&& blocks, Floats&& floats) {
  switch (kv.type) {
    case KvType::f32: return floats(KvSlot<float>(kv, position));
    case KvType::f16: return floats(KvSlot<std::uint16_t>(kv, position));
    case KvType::q8_0:
      for (int d = 0; d < kv.head_dim; d += kv_block_dims) {
        blocks(KvBlockSlot(kv, position, d / kv_block_dims), d);
      }
  }
}

}  // namespace kvscope
