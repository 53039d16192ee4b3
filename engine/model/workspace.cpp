#include "model/workspace.hpp"

#include <algorithm>

#include "kernels/attention.hpp"

namespace kvscope {

Workspace::Workspace(const Hparams& h, int max_tokens, int max_context, int n_threads)
    : max_tokens(max_tokens),
      attention_floats(attention_scratch_floats(h.group(), h.head_dim, max_context)),
      activations(max_tokens, std::max({h.dim, h.q_dim(), h.ffn_dim})) {
  const auto rows_of = [&](int n) {
    return AlignedBuffer<float>(static_cast<std::size_t>(max_tokens) * static_cast<std::size_t>(n));
  };
  x = rows_of(h.dim);
  normed = rows_of(h.dim);
  q = rows_of(h.q_dim());
  k = rows_of(h.kv_dim());
  v = rows_of(h.kv_dim());
  mixed = rows_of(h.q_dim());
  gate = rows_of(h.ffn_dim);
  up = rows_of(h.ffn_dim);
  rope = rows_of(h.n_rot);
  attention = AlignedBuffer<float>(attention_floats * static_cast<std::size_t>(n_threads));
  attention_parts = AlignedBuffer<float>(attention_part_floats(h.group(), h.head_dim) *
                                         static_cast<std::size_t>(h.n_kv_heads * n_threads));
}

bool Workspace::valid() const {
  return x.valid() && normed.valid() && q.valid() && k.valid() && v.valid() && mixed.valid() &&
         gate.valid() && up.valid() && rope.valid() && attention.valid() &&
         attention_parts.valid() && activations.valid();
}

std::size_t Workspace::bytes() const {
  return x.bytes() + normed.bytes() + q.bytes() + k.bytes() + v.bytes() + mixed.bytes() +
         gate.bytes() + up.bytes() + rope.bytes() + attention.bytes() + attention_parts.bytes() +
         activations.bytes();
}

}  // namespace kvscope
