#pragma once

#include <cstdint>
#include <span>

#include "base/thread_pool.hpp"
#include "kernels/kv_pages.hpp"
#include "kernels/matmul.hpp"
#include "model/model.hpp"
#include "model/workspace.hpp"

namespace kvscope {

/// What one pass really did, counted beside the work.
struct PassCost {
  std::int64_t macs = 0;               // multiply-accumulates of matrices and attention
  std::int64_t weight_bytes_read = 0;  // packed weights, once a pass
  std::int64_t kv_bytes_read = 0;      // cached K and V that attention read
  std::int64_t kv_bytes_written = 0;   // K and V added to the cache
  std::int64_t q_bytes = 0;            // Q made, used once and dropped

  PassCost& operator+=(const PassCost& o) {
    macs += o.macs;
    weight_bytes_read += o.weight_bytes_read;
    kv_bytes_read += o.kv_bytes_read;
    kv_bytes_written += o.kv_bytes_written;
    q_bytes += o.q_bytes;
    return *this;
  }
};

/// Sees the projections of each layer while they exist; the pointers are good only during the call.
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;

  /// x: (n_tokens, dim), the normalised hidden vectors that W_Q, W_K and W_V multiply;
  /// q: (n_tokens, n_heads * head_dim), k and v: (n_tokens, n_kv_heads * head_dim), before
  /// rotation.
  struct Projections {
    int layer;
    int first_position;  // of the first of n_tokens
    int n_tokens;
    const float* x;
    const float* q;
    const float* k;
    const float* v;
  };
  virtual void on_projections(const Projections& made) = 0;
};

/// One run of tokens through the network.
struct Pass {
  std::span<const TokenId> tokens;  // 1 .. workspace.max_tokens
  int first_position;               // of tokens[0]; K and V of all earlier positions are cached
  std::span<const KvPages> kv;      // (n_layers, n_kv_heads), with room for the new positions
  float* logits;                    // (n_logits, vocab_size)
  int n_logits;                     // how many of the last tokens want logits; 0 when none
  ForwardObserver* observer;        // may be null
  ReadOrder order = ReadOrder::straight;
};

/// The transformer of Llama (Touvron et al. 2023): RMSNorm, rotary positions, grouped-query
/// attention, SwiGLU. Leaves K and V of each token in `kv` and logits where they were asked for.
PassCost forward(const Model& model, Workspace& ws, ThreadPool& pool, const Pass& pass);

}  // namespace kvscope
