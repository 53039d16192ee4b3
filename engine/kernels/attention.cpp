#include "kernels/attention.hpp"

#include <algorithm>

#include "base/elementary.hpp"
#include "base/thread_pool.hpp"
#include "kernels/attention_block.hpp"

namespace kvscope {
namespace {

/// f(block) for blocks of rows that cover the call.
template <class F>
void for_each_block(const AttentionArgs& args, F&& f) {
  const int n_rows = args.n_tokens * args.group;
  for (int row = 0; row < n_rows; row += AttentionBlock::max_rows) {
    AttentionBlock block(args, row, std::min(AttentionBlock::max_rows, n_rows - row));
    f(block, row);
  }
}

}  // namespace

std::size_t attention_scratch_floats(int /*group*/, int head_dim, int /*max_context*/) {
  return AttentionBlock::scratch_floats(head_dim);
}

void attention(const AttentionArgs& args) {
  for_each_block(args, [](AttentionBlock& block, int) {
    block.attend(0, block.end_position());
    block.write_out();
  });
}

AttentionShare attention_share(int kv_head, int n_kv_heads, int n_positions, int thread,
                               int n_threads) {
  constexpr int group_tokens = attention_tiles::group_tokens;
  const int groups = (n_positions + group_tokens - 1) / group_tokens;
  const auto [first, last] = ThreadPool::range_of(n_kv_heads * groups, 1, thread, n_threads);
  const auto position = [&](int on_line) {
    return std::min(std::clamp(on_line - kv_head * groups, 0, groups) * group_tokens, n_positions);
  };
  return {position(first), position(last)};
}

std::size_t attention_part_floats(int group, int head_dim) {
  return static_cast<std::size_t>(group) * (static_cast<std::size_t>(head_dim) + 2);
}

void attention_part(const AttentionArgs& args, int begin, int end, float* part) {
  for_each_block(args, [&](AttentionBlock& block, int row) {
    block.attend(begin, std::min(end, block.end_position()));
    block.write_part(part + attention_part_floats(row, args.kv.head_dim));
  });
}

void attention_join(const float* parts, int n_parts, int group, int head_dim, float* out) {
  const std::size_t part_floats = attention_part_floats(group, head_dim);
  for (int h = 0; h < group; ++h, out += head_dim) {
    const float* first = parts + attention_part_floats(h, head_dim);
    float largest = first[head_dim];
    for (int i = 1; i < n_parts; ++i) {
      largest = std::max(largest, first[i * part_floats + head_dim]);
    }
    float sum = 0;
    std::fill_n(out, head_dim, 0.0f);
    for (int i = 0; i < n_parts; ++i) {
      const float* mixed = first + i * part_floats;
      const auto weight = static_cast<float>(exp_of(mixed[head_dim] - largest));
      sum += weight * mixed[head_dim + 1];
      for (int d = 0; d < head_dim; ++d) out[d] += weight * mixed[d];
    }
    for (int d = 0; d < head_dim; ++d) out[d] /= sum;
  }
}

}  // namespace kvscope
