#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "kernels/kv_pages.hpp"

namespace kvscope::test {

constexpr KvType kv_types[] = {KvType::f32, KvType::f16, KvType::q8_0};

inline std::vector<float> random_floats(std::size_t n, std::mt19937& random, float deviation = 1) {
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> out(n);
  for (float& x : out) x = normal(random);
  return out;
}

/// Pages of one layer and head whose bytes all begin as 0xff: a NaN in f32, in f16 and as a scale
/// of q8_0, so that a kernel that looks at a position nobody stored gives itself away.
class PagesFixture {
 public:
  PagesFixture(KvType type, int page_tokens, int head_dim, int capacity) {
    const std::size_t block = static_cast<std::size_t>(page_tokens) * kv_row_bytes(type, head_dim);
    constexpr std::size_t k_offset = 64;  // anything but 0
    for (int p = 0; p * page_tokens < capacity; ++p) {
      memory_.emplace_back(k_offset + 2 * block, std::byte{0xff});
    }
    for (auto& page : memory_) pointers_.push_back(page.data());
    view_ = {pointers_.data(), k_offset, k_offset + block, type, page_tokens, head_dim};
  }

  const KvPages& view() const { return view_; }

  void fill(int from, int to, std::mt19937& random) {
    for (int position = from; position < to; ++position) {
      const auto k = random_floats(view_.head_dim, random),
                 v = random_floats(view_.head_dim, random);
      kv_store(view_, position, k.data(), v.data());
    }
  }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::byte*> pointers_;
  KvPages view_{};
};

}  // namespace kvscope::test
