#include "model/model.hpp"

namespace kvscope {

std::size_t Model::weight_bytes() const {
  std::size_t bytes = token_embd.bytes() + output_norm.bytes() + (output ? output->bytes() : 0);
  for (const Layer& l : layers) {
    bytes += l.attn_norm.bytes() + l.wq.bytes() + l.wk.bytes() + l.wv.bytes() + l.wo.bytes() +
             l.ffn_norm.bytes() + l.w_gate.bytes() + l.w_up.bytes() + l.w_down.bytes();
  }
  return bytes;
}

}  // namespace kvscope
