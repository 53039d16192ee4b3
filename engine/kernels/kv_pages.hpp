#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kvscope {

/// What K and V are stored as. q8_0 is GGML's: 8-bit codes, 32 of which share a scale in half
/// precision.
enum class KvType : std::uint8_t { f32, f16, q8_0 };

constexpr std::array<std::string_view, 3> kv_type_names{"f32", "f16", "q8_0"};

constexpr std::string_view kv_type_name(KvType type) {
  return kv_type_names[static_cast<std::size_t>(type)];
}

constexpr std::optional<KvType> kv_type_named(std::string_view name) {
  for (std::size_t i = 0; i < kv_type_names.size(); ++i) {
    if (kv_type_names[i] == name) return static_cast<KvType>(i);
  }
  return std::nullopt;
}

/// Components of V that lie together.
constexpr int kv_slice_dims = 8;

/// Components that share a scale in q8_0; the last block of a head holds head_dim % 32 if that is
/// not 0.
constexpr int kv_block_dims = 32;
constexpr int kv_scale_bytes = 2;

/// Bytes that one position takes for one KV head, in K or in V. q8_0: 34 for each 32 components.
constexpr std::size_t kv_row_bytes(KvType type, int head_dim) {
  const auto n = static_cast<std::size_t>(head_dim);
  switch (type) {
    case KvType::f32: return 4 * n;
    case KvType::f16: return 2 * n;
    case KvType::q8_0: return n + (n + kv_block_dims - 1) / kv_block_dims * kv_scale_bytes;
  }
  return 0;
}

/// Where the attention kernels find K and V of one layer and one KV head. The cache owns the memory
/// in pages of `page_tokens` positions; within a page, for this layer and head,
///   K is [page_tokens / 8][head_dim][8]   eight positions side by side: one load scores 8 tokens
///   V is [head_dim / 8][page_tokens][8]   eight components of all positions, then the next eight;
///                                         the last slice holds head_dim % 8 if that is not 0
/// so that scoring and mixing each read their half of the page from its first byte to its last: at
/// a context of 4000 that is 1.2 (f16) to 1.4 times (f32) as fast as V in rows. In q8_0 the scales
/// stand where that reading needs them:
///   K is [page_tokens / 8][head_dim / 32] of { codes [32][8], scales [8] }
///   V is [head_dim / 32] of { scales [page_tokens], codes [4][page_tokens][8] }
/// page_tokens is a multiple of 8.
struct KvPages {
  std::byte* const* pages;  // page p holds positions [p * page_tokens, (p + 1) * page_tokens)
  std::size_t k_offset;     // bytes from a page's start to this layer's and head's K
  std::size_t v_offset;     // … and V
  KvType type;
  int page_tokens;
  int head_dim;
};

/// Stores k and v, head_dim floats each, at `position`. f16 and the scales of q8_0 stay at the
/// largest finite value beyond their range; rounding is to nearest, in f16 ties go to even.
void kv_store(const KvPages& kv, int position, const float* k, const float* v);

/// Reads one position back as floats.
void kv_load_k(const KvPages& kv, int position, float* k);
void kv_load_v(const KvPages& kv, int position, float* v);

/// The same as stored: k and v are rows of kv_row_bytes() bytes, in q8_0 blocks of a scale and its
/// codes.
void kv_store_row(const KvPages& kv, int position, const std::byte* k, const std::byte* v);
void kv_load_row(const KvPages& kv, int position, std::byte* k, std::byte* v);

}  // namespace kvscope
