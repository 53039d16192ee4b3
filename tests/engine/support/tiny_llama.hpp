#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/format.hpp"
#include "gguf/header_reader.hpp"
#include "gguf_writer.hpp"
#include "model/loader.hpp"
#include "tensor/half.hpp"

namespace kvscope::testing {

/// The shape of a llama small enough for a test to compute by hand.
struct TinyShape {
  int n_layers = 2;
  int dim = 64;
  int n_heads = 4;
  int n_kv_heads = 2;
  int head_dim = 16;
  int ffn_dim = 96;
  int context_length = 256;
  gguf::TensorType type = gguf::TensorType::F32;  // of the matrices
  bool tied = true;
  bool rope_factors = false;
  std::string leave_out;  // the name of a tensor that the file shall lack
};

/// Blocks of random bytes with scales that keep values near 1 / sqrt(cols).
inline std::vector<std::byte> random_weights(gguf::TensorType type, std::size_t n, float size,
                                             std::mt19937& random) {
  std::normal_distribution<float> normal(0, size);
  std::vector<std::byte> out;
  const auto put = [&](auto value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), p, p + sizeof value);
  };
  const auto put_bytes = [&](int count) {
    for (int i = 0; i < count; ++i) out.push_back(static_cast<std::byte>(random()));
  };
  const std::size_t blocks = n / static_cast<std::size_t>(gguf::traits_of(type).block_values);
  for (std::size_t b = 0; b < blocks; ++b) {
    switch (type) {
      case gguf::TensorType::F32: put(normal(random)); break;
      case gguf::TensorType::F16: put(float_to_half(normal(random))); break;
      case gguf::TensorType::Q4_0:
        put(float_to_half(size / 5));
        put_bytes(16);
        break;
      case gguf::TensorType::Q4_1:
        put(float_to_half(size / 5));
        put(float_to_half(size * -1.5f));
        put_bytes(16);
        break;
      case gguf::TensorType::Q8_0:
        put(float_to_half(size / 70));
        put_bytes(32);
        break;
      default: FAIL("random_weights: a type that no test has asked for yet");
    }
  }
  return out;
}

/// A GGUF file of a random llama with a SentencePiece vocabulary: 3 control tokens, 256 bytes, a
/// few words.
inline GgufWriter tiny_llama_writer(const TinyShape& s, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::string> pieces{"<unk>", "<s>", "</s>"};
  std::vector<float> scores{0, 0, 0};
  std::vector<std::int32_t> types{2, 3, 3};
  constexpr char hex[] = "0123456789ABCDEF";
  for (int b = 0; b < 256; ++b) {
    pieces.push_back(concat("<0x", std::string(1, hex[b / 16]), std::string(1, hex[b % 16]), ">"));
    scores.push_back(0);
    types.push_back(6);
  }
  for (const char* word : {"\u2581", "a", "b", "c", "\u2581a", "\u2581b", "ab", "바", "다",
                           "\u2581바", "\u2581바다", "바다"}) {
    pieces.emplace_back(word);
    scores.push_back(-static_cast<float>(pieces.size()));
    types.push_back(1);
  }
  const auto vocab = static_cast<std::uint64_t>(pieces.size());

  GgufWriter w;
  w.string("general.architecture", "llama")
      .string("general.name", "tiny")
      .u32("llama.block_count", static_cast<std::uint32_t>(s.n_layers))
      .u32("llama.embedding_length", static_cast<std::uint32_t>(s.dim))
      .u32("llama.attention.head_count", static_cast<std::uint32_t>(s.n_heads))
      .u32("llama.attention.head_count_kv", static_cast<std::uint32_t>(s.n_kv_heads))
      .u32("llama.attention.key_length", static_cast<std::uint32_t>(s.head_dim))
      .u32("llama.attention.value_length", static_cast<std::uint32_t>(s.head_dim))
      .u32("llama.rope.dimension_count", static_cast<std::uint32_t>(s.head_dim))
      .u32("llama.feed_forward_length", static_cast<std::uint32_t>(s.ffn_dim))
      .u32("llama.context_length", static_cast<std::uint32_t>(s.context_length))
      .f32("llama.attention.layer_norm_rms_epsilon", 1e-5f)
      .string("tokenizer.ggml.model", "llama")
      .strings("tokenizer.ggml.tokens", pieces)
      .f32s("tokenizer.ggml.scores", scores)
      .i32s("tokenizer.ggml.token_type", types)
      .u32("tokenizer.ggml.bos_token_id", 1)
      .u32("tokenizer.ggml.eos_token_id", 2);

  const auto matrix = [&](const std::string& name, std::uint64_t rows, int cols) {
    if (name == s.leave_out) return;
    const float size = 1.0f / std::sqrt(static_cast<float>(cols));
    const auto data = random_weights(s.type, rows * static_cast<std::size_t>(cols), size, random);
    w.tensor(name, s.type, {static_cast<std::uint64_t>(cols), rows}, data);
  };
  const auto vector = [&](const std::string& name, int n, float mean, float spread) {
    std::vector<float> values;
    std::normal_distribution<float> normal(mean, spread);
    for (int i = 0; i < n; ++i) values.push_back(normal(random));
    w.tensor(name, {static_cast<std::uint64_t>(n)}, values);
  };
  const auto q_dim = static_cast<std::uint64_t>(s.n_heads * s.head_dim);
  const auto kv_dim = static_cast<std::uint64_t>(s.n_kv_heads * s.head_dim);
  matrix("token_embd.weight", vocab, s.dim);
  if (s.rope_factors) vector("rope_freqs.weight", s.head_dim / 2, 3.0f, 0.5f);
  for (int i = 0; i < s.n_layers; ++i) {
    const std::string block = concat("blk.", i, ".");
    vector(block + "attn_norm.weight", s.dim, 1, 0.1f);
    matrix(block + "attn_q.weight", q_dim, s.dim);
    matrix(block + "attn_k.weight", kv_dim, s.dim);
    matrix(block + "attn_v.weight", kv_dim, s.dim);
    matrix(block + "attn_output.weight", static_cast<std::uint64_t>(s.dim), s.n_heads * s.head_dim);
    vector(block + "ffn_norm.weight", s.dim, 1, 0.1f);
    matrix(block + "ffn_gate.weight", static_cast<std::uint64_t>(s.ffn_dim), s.dim);
    matrix(block + "ffn_up.weight", static_cast<std::uint64_t>(s.ffn_dim), s.dim);
    matrix(block + "ffn_down.weight", static_cast<std::uint64_t>(s.dim), s.ffn_dim);
  }
  vector("output_norm.weight", s.dim, 1, 0.1f);
  if (!s.tied) matrix("output.weight", vocab, s.dim);
  return w;
}

inline Result<std::unique_ptr<Model>> load(std::span<const std::byte> file,
                                           Precision precision = Precision::high,
                                           std::size_t chunk = 4096) {
  ModelLoader loader(precision);
  for (std::size_t at = 0; at < file.size(); at += chunk) {
    const Status taken = loader.push(file.subspan(at, std::min(chunk, file.size() - at)));
    if (!taken) return taken.error();
  }
  return loader.finish();
}

inline std::unique_ptr<Model> tiny_llama(const TinyShape& shape = {},
                                         Precision precision = Precision::high) {
  Result<std::unique_ptr<Model>> model = load(tiny_llama_writer(shape).file(), precision);
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? std::string() : model.error().message));
  return std::move(model).value();
}

}  // namespace kvscope::testing
