#include "cache/kv_cache.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace kvscope {
namespace {

// 256 positions are long enough runs for the memory's prefetcher; a page of more than 8 MB would
// make a short conversation with a large model hold much that it never uses.
constexpr int largest_page_tokens = 256;
constexpr std::size_t largest_page_bytes = std::size_t{8} << 20;
constexpr int smallest_page_tokens = 8;  // one group of K

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

std::size_t token_bytes(const KvShape& s) {
  return 2 * size_of(s.n_layers) * size_of(s.n_kv_heads) * kv_row_bytes(s.type, s.head_dim);
}

int page_tokens_for(const KvShape& shape) {
  int n = largest_page_tokens;
  while (n > smallest_page_tokens &&
         (size_of(n) * token_bytes(shape) > largest_page_bytes || n / 2 >= shape.capacity_tokens)) {
    n /= 2;
  }
  return n;
}

}  // namespace

KvCache::KvCache(const KvShape& shape) : shape_(shape), page_tokens_(page_tokens_for(shape)) {
  const std::size_t most = size_of((shape.capacity_tokens + page_tokens_ - 1) / page_tokens_);
  pages_.reserve(most);
  page_pointers_.reserve(most);
}

std::size_t KvCache::bytes_per_token() const { return token_bytes(shape_); }

std::size_t KvCache::page_bytes() const { return size_of(page_tokens_) * bytes_per_token(); }

std::size_t KvCache::k_bytes_per_head() const {
  return size_of(tokens_) * kv_row_bytes(shape_.type, shape_.head_dim);
}

std::size_t KvCache::k_bytes_per_layer() const {
  return size_of(shape_.n_kv_heads) * k_bytes_per_head();
}

Status KvCache::reserve(int n_tokens) {
  if (n_tokens > shape_.capacity_tokens) {
    return Error{ErrorCode::context_full,
                 concat(n_tokens, " tokens do not fit a KV cache of ", shape_.capacity_tokens,
                        "; shorten the text or ask for a longer context")};
  }
  const std::size_t before = pages_.size();
  while (pages_.size() * size_of(page_tokens_) < size_of(std::max(n_tokens, 0))) {
    AlignedBuffer<std::byte> page(page_bytes());
    if (!page.valid()) {
      pages_.resize(before);
      page_pointers_.resize(before);
      return Error{ErrorCode::out_of_memory,
                   concat("no memory for the next ", page_bytes(), " bytes of KV cache (",
                          reserved_bytes(), " bytes are in use, ", n_tokens, " tokens need ",
                          bytes_per_token(), " each); close other sessions or use q8_0")};
    }
    page_pointers_.push_back(page.data());
    pages_.push_back(std::move(page));
  }
  return {};
}

KvPages KvCache::pages(int layer, int kv_head) const {
  const std::size_t block = size_of(page_tokens_) * kv_row_bytes(shape_.type, shape_.head_dim);
  const std::size_t k_offset = 2 * block * size_of(layer * shape_.n_kv_heads + kv_head);
  return {page_pointers_.data(), k_offset,     k_offset + block,
          shape_.type,           page_tokens_, shape_.head_dim};
}

void KvCache::truncate(int n_tokens) {
  tokens_ = std::clamp(n_tokens, 0, tokens_);
  const std::size_t needed = size_of((tokens_ + page_tokens_ - 1) / page_tokens_);
  if (pages_.size() > needed) pages_.resize(needed);
  if (page_pointers_.size() > needed) page_pointers_.resize(needed);
}

}  // namespace kvscope
