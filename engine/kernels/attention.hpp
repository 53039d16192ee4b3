#pragma once

#include <cstddef>

#include "kernels/kv_pages.hpp"

namespace kvscope {

/// Causal attention of n_tokens queries against one KV head, whose `group` query heads share it
/// (grouped-query attention, Ainslie et al. 2023; group = n_heads / n_kv_heads):
///   out[t, h] = softmax(scale * q[t, h] . K[0 .. first_position + t]) V
/// K and V of positions up to first_position + n_tokens - 1 are already in the pages.
struct AttentionArgs {
  KvPages kv;
  const float* q;        // (n_tokens, q_stride): q[t][h * head_dim + d], this KV head's group only
  std::size_t q_stride;  // floats between tokens
  float* out;            // (n_tokens, out_stride), laid out as q
  std::size_t out_stride;
  int group;
  int first_position;
  int n_tokens;
  float scale;     // usually 1 / sqrt(head_dim)
  float* scratch;  // attention_scratch_floats() floats, this thread's own
};

/// Scratch for one call with up to max_context positions attended.
std::size_t attention_scratch_floats(int group, int head_dim, int max_context);

/// One token takes the decode path, several the blocked prefill path; no n x n buffer in either.
void attention(const AttentionArgs& args);

/// Positions of one KV head that one thread attends to.
struct AttentionShare {
  int begin;
  int end;
};

/// A decode step is shared out as one line: KV head after KV head, each with its positions in
/// groups of 8, cut into n_threads equal parts. Where threads divide the heads each gets whole
/// heads; elsewhere up to n_threads - 1 heads fall to several threads.
AttentionShare attention_share(int kv_head, int n_kv_heads, int n_positions, int thread,
                               int n_threads);

/// Attends to positions [begin, end) only, begin being a multiple of 8, and leaves this share, not
/// yet normalised, in `part`; args.n_tokens is 1 and args.out is not used. An empty range is
/// allowed.
std::size_t attention_part_floats(int group, int head_dim);
void attention_part(const AttentionArgs& args, int begin, int end, float* part);

/// Adds up n_parts shares that lie one after another, at least one of them not empty:
/// out is (group, head_dim), what attention() would have given.
void attention_join(const float* parts, int n_parts, int group, int head_dim, float* out);

/// The oracle: the formula above, in double.
void attention_scalar(const AttentionArgs& args);

}  // namespace kvscope
