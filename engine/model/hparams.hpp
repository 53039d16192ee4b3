#pragma once

#include <string>

#include "base/result.hpp"
#include "gguf/metadata.hpp"
#include "kernels/elementwise.hpp"

namespace kvscope {

/// The shape of a llama-family transformer, read from a GGUF file's metadata; nothing is assumed of
/// a particular model.
struct Hparams {
  std::string architecture;
  int n_layers = 0;
  int dim = 0;
  int n_heads = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  int ffn_dim = 0;
  int context_length = 0;  // what the model was trained for
  int n_rot = 0;           // rotated components of a head, the first ones
  float rope_base = 10000;
  float rope_scale = 1;  // position * rope_scale before rotation (linear scaling)
  RopePairs rope_pairs = RopePairs::adjacent;
  float rms_eps = 1e-5f;

  int q_dim() const { return n_heads * head_dim; }
  int kv_dim() const { return n_kv_heads * head_dim; }
  int group() const { return n_heads / n_kv_heads; }

  /// Errors: unsupported_architecture, missing_key, bad_gguf (a number out of range or shapes that
  /// contradict one another).
  static Result<Hparams> read(const gguf::Metadata& metadata);
};

}  // namespace kvscope
