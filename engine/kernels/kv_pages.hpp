#pragma once

#include <cstddef>
#include <cstdint>

namespace kvscope {

enum class KvType : std::uint8_t { f32, f16 };

constexpr std::size_t kv_type_bytes(KvType type) { return type == KvType::f32 ? 4 : 2; }

/// Components of V that lie together.
constexpr int kv_slice_dims = 8;

/// Where the attention kernels find K and V of one layer and one KV head. The cache owns the memory
/// in pages of `page_tokens` positions; within a page, for this layer and head,
///   K is [page_tokens / 8][head_dim][8]   eight positions side by side: one load scores 8 tokens
///   V is [head_dim / 8][page_tokens][8]   eight components of all positions, then the next eight;
///                                         the last slice holds head_dim % 8 if that is not 0
/// so that scoring and mixing each read their half of the page from its first byte to its last: at
/// a context of 4000 that is 1.2 (f16) to 1.4 times (f32) as fast as V in rows. page_tokens is a
/// multiple of 8.
struct KvPages {
  std::byte* const* pages;  // page p holds positions [p * page_tokens, (p + 1) * page_tokens)
  std::size_t k_offset;     // bytes from a page's start to this layer's and head's K
  std::size_t v_offset;     // … and V
  KvType type;
  int page_tokens;
  int head_dim;
};

/// Stores k and v, head_dim floats each, at `position`; in f16 rounded to nearest even, and beyond
/// its range the largest finite value.
void kv_store(const KvPages& kv, int position, const float* k, const float* v);

/// Reads one position back as floats.
void kv_load_k(const KvPages& kv, int position, float* k);
void kv_load_v(const KvPages& kv, int position, float* v);

/// The same with the elements as they are stored: k and v are rows of head_dim elements.
void kv_store_elements(const KvPages& kv, int position, const std::byte* k, const std::byte* v);
void kv_load_elements(const KvPages& kv, int position, std::byte* k, std::byte* v);

}  // namespace kvscope
