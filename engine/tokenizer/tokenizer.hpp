#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gguf/metadata.hpp"

namespace kvscope {

using TokenId = std::int32_t;

enum class BosMode {
  automatic,  // as tokenizer.ggml.add_bos_token says; and eos at the end if add_eos_token says so
  always,
  never,
};

struct EncodeOptions {
  bool parse_special = false;  // read "<|im_end|>" in the text as that token, not as characters
  BosMode bos = BosMode::automatic;
};

/// Text to token ids and back, as the model's own GGUF metadata says: byte-level BPE
/// (tokenizer.ggml.model = gpt2; pre-tokenizers smollm, gpt-2, llama-bpe, qwen2) or SentencePiece
/// BPE with byte fallback (tokenizer.ggml.model = llama).
class Tokenizer {
 public:
  /// Copies what it needs; the metadata's arrays may be dropped afterwards.
  /// A byte-level vocabulary without tokenizer.ggml.pre, or with "default" (files of before May
  /// 2024), is refused: the ids would be wrong without a sign of it.
  /// Errors: unsupported_tokenizer, missing_key, bad_gguf.
  static Result<Tokenizer> create(const gguf::Metadata& metadata);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// Any bytes are accepted; text is taken as UTF-8 (NFC is the caller's: JavaScript has it).
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;

  /// The bytes that the token stands for in running text; empty for control tokens unless
  /// `with_special`. A token may be part of a character. Only for 0 <= id < vocab_size().
  std::string piece(TokenId id, bool with_special = false) const;

  /// All pieces joined; SentencePiece's leading space prefix is removed.
  std::string decode(const std::vector<TokenId>& ids, bool with_special = false) const;

  int vocab_size() const;
  TokenId bos() const;  // -1 when the model has none
  TokenId eos() const;
  bool is_control(TokenId id) const;
  bool is_end_of_generation(TokenId id) const;  // eos, eot, <|im_end|>, <end_of_turn>, …
  bool adds_space_prefix() const;  // SentencePiece: text is read as if it began with a space
  std::string_view chat_template() const;  // Jinja source, empty when there is none

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvscope
