#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "model/hparams.hpp"
#include "tensor/packed_matrix.hpp"
#include "tokenizer/tokenizer.hpp"

namespace kvscope {

/// Weights of one transformer block. Matrices are (rows = outputs, cols = inputs).
struct Layer {
  AlignedBuffer<float> attn_norm;  // (dim)
  PackedMatrix wq;                 // (n_heads * head_dim, dim)
  PackedMatrix wk;                 // (n_kv_heads * head_dim, dim)
  PackedMatrix wv;                 // (n_kv_heads * head_dim, dim)
  PackedMatrix wo;                 // (dim, n_heads * head_dim)
  AlignedBuffer<float> ffn_norm;   // (dim)
  PackedMatrix w_gate;             // (ffn_dim, dim)
  PackedMatrix w_up;               // (ffn_dim, dim)
  PackedMatrix w_down;             // (dim, ffn_dim)
};

/// What a page says about a model; all of it from the file.
struct ModelCard {
  std::string name;
  std::string description;
  std::string quantization;  // of most weights: "Q4_1"
  std::int64_t n_parameters = 0;
  std::int64_t file_bytes = 0;
  // The head that the model's makers found most telling, kvscope.head.layer and .head; -1 when the
  // file names none.
  int telling_layer = -1;
  int telling_head = -1;
};

/// A loaded model: immutable, shared by its sessions.
struct Model {
  Hparams hparams;
  ModelCard card;
  Tokenizer tokenizer;
  PackedMatrix token_embd;  // (vocab_size, dim)
  std::vector<Layer> layers;
  AlignedBuffer<float> output_norm;    // (dim)
  std::optional<PackedMatrix> output;  // (vocab_size, dim); absent when tied to token_embd
  std::vector<float> rope_factors;     // (n_rot / 2) or empty

  explicit Model(Tokenizer t) : tokenizer(std::move(t)) {}

  int vocab_size() const { return tokenizer.vocab_size(); }
  const PackedMatrix& lm_head() const { return output ? *output : token_embd; }

  /// Bytes that the weights take in memory, packed.
  std::size_t weight_bytes() const;
};

}  // namespace kvscope
