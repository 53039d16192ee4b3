#pragma once

#include <vector>

#include "base/aligned_buffer.hpp"
#include "kernels/matmul.hpp"
#include "model/hparams.hpp"

namespace kvscope {

/// Every intermediate of a forward pass over up to max_tokens tokens: taken once, reused by each
/// pass.
struct Workspace {
  Workspace(const Hparams& h, int max_tokens, int max_context, int n_threads);

  /// False when memory ran out.
  bool valid() const;
  std::size_t bytes() const;

  int max_tokens;
  AlignedBuffer<float> x;          // (max_tokens, dim)  the residual stream
  AlignedBuffer<float> normed;     // (max_tokens, dim)
  AlignedBuffer<float> q;          // (max_tokens, n_heads * head_dim)
  AlignedBuffer<float> k;          // (max_tokens, n_kv_heads * head_dim)
  AlignedBuffer<float> v;          // (max_tokens, n_kv_heads * head_dim)
  AlignedBuffer<float> mixed;      // (max_tokens, n_heads * head_dim)  attention's output
  AlignedBuffer<float> gate;       // (max_tokens, ffn_dim)
  AlignedBuffer<float> up;         // (max_tokens, ffn_dim)
  AlignedBuffer<float> rope;       // (max_tokens, n_rot)
  AlignedBuffer<float> attention;  // (n_threads, attention_floats)
  std::size_t attention_floats;
  AlignedBuffer<float> attention_parts;  // (n_kv_heads, n_threads, attention_part_floats())
  Activations activations;
};

}  // namespace kvscope
