#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/result.hpp"
#include "kernels/kv_pages.hpp"

namespace kvscope {

struct KvShape {
  int n_layers;
  int n_kv_heads;
  int head_dim;
  KvType type;
  int capacity_tokens;
};

/// K and V of every position that went through the network, for all layers and KV heads. Memory
/// grows in pages of page_tokens() positions; within a page each (layer, head) has its K block,
/// then its V block, as kv_pages.hpp lays them out.
class KvCache {
 public:
  explicit KvCache(const KvShape& shape);

  const KvShape& shape() const { return shape_; }
  int capacity_tokens() const { return shape_.capacity_tokens; }
  int tokens() const { return tokens_; }
  int page_tokens() const { return page_tokens_; }

  /// Makes room for n_tokens positions in all; the present ones stay.
  /// Errors: context_full beyond the capacity, out_of_memory; the cache is then as before.
  Status reserve(int n_tokens);

  /// Where the kernels find one layer and head. Stays valid while the cache grows.
  KvPages pages(int layer, int kv_head) const;

  /// Declares positions 0 … n_tokens - 1 stored. n_tokens is within what was reserved.
  void set_tokens(int n_tokens) { tokens_ = n_tokens; }
  void advance(int n_tokens) { tokens_ += n_tokens; }

  /// Forgets the positions from n_tokens on and frees the pages that held only such.
  void truncate(int n_tokens);
  void clear() { truncate(0); }

  /// 2 (K and V) * n_layers * n_kv_heads * kv_row_bytes(type, head_dim).
  std::size_t bytes_per_token() const;
  std::size_t bytes() const { return bytes_per_token() * static_cast<std::size_t>(tokens_); }
  std::size_t k_bytes_per_head() const;
  std::size_t v_bytes_per_head() const { return k_bytes_per_head(); }
  std::size_t k_bytes_per_layer() const;
  std::size_t v_bytes_per_layer() const { return k_bytes_per_layer(); }
  /// Of the pages allocated now: what the process really holds.
  std::size_t reserved_bytes() const { return pages_.size() * page_bytes(); }

  /// What save() writes: a header with the shape, then for each layer and head K and V, one row of
  /// kv_row_bytes() a position; independent of the page size.
  std::size_t snapshot_bytes() const;
  /// out.size() == snapshot_bytes().
  void save(std::span<std::byte> out) const;
  /// Replaces the contents. Errors: bad_snapshot when the bytes are no snapshot of a cache of this
  /// shape or hold more than the capacity, out_of_memory; the cache is then as before.
  Status restore(std::span<const std::byte> snapshot);

 private:
  std::size_t page_bytes() const;

  KvShape shape_;
  int page_tokens_;
  int tokens_ = 0;
  std::vector<AlignedBuffer<std::byte>> pages_;
  std::vector<std::byte*> page_pointers_;  // room for the whole capacity: never moves
};

}  // namespace kvscope
