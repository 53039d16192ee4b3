#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gguf/metadata.hpp"
#include "tokenizer/tokenizer.hpp"

namespace kvscope {

/// The numbers of tokenizer.ggml.token_type.
enum class TokenType : std::uint8_t {
  undefined = 0,
  normal = 1,
  unknown = 2,
  control = 3,       // never text: <|im_end|>
  user_defined = 4,  // always one token, cut out before anything else
  unused = 5,
  byte = 6,  // <0x41>, one byte
};

constexpr TokenId no_token = -1;

/// The tokens of a model, as its file has them: texts, types, scores, and the way from a text to
/// its token. Compact, because vocabularies reach 260,000 tokens: one block of text and one table
/// of ids.
class Vocabulary {
 public:
  /// Errors: missing_key, bad_gguf (arrays of different length, unknown types, a text twice, scores
  /// that are not numbers). Scores are read only when `with_scores`, and then needed.
  static Result<Vocabulary> create(const gguf::Metadata& metadata, bool with_scores);

  int size() const { return static_cast<int>(texts_.size()); }
  std::string_view text(TokenId id) const { return texts_[static_cast<std::size_t>(id)]; }
  TokenType type(TokenId id) const { return types_[static_cast<std::size_t>(id)]; }
  void set_type(TokenId id, TokenType type) { types_[static_cast<std::size_t>(id)] = type; }
  float score(TokenId id) const { return scores_[static_cast<std::size_t>(id)]; }
  std::size_t max_text_bytes() const { return max_text_bytes_; }

  /// The token whose text is `first` followed by `second`, or no_token.
  TokenId find(std::string_view first, std::string_view second = {}) const;

  /// The same, looking at `guess` and the token after it first: the merges of a file make one token
  /// after the other, and a look-up costs three cache misses.
  TokenId find_near(TokenId guess, std::string_view first, std::string_view second) const;

  /// The id that the key holds; no_token when the key is absent or holds the 32-bit -1.
  /// Errors: bad_gguf when it is no id of this vocabulary.
  Result<TokenId> id_of_key(const gguf::Metadata& metadata, const char* key) const;

 private:
  Status read_types(const gguf::Metadata& metadata);
  Status read_scores(const gguf::Metadata& metadata);
  Status build_index();
  bool equals(TokenId id, std::string_view first, std::string_view second) const;

  gguf::StringArray texts_;
  std::vector<TokenType> types_;
  std::vector<float> scores_;
  std::vector<TokenId> slots_;  // open addressing, a power of two, at most half full
  std::size_t max_text_bytes_ = 0;
};

/// The byte that "<0x41>" names.
std::optional<std::uint8_t> byte_of_text(std::string_view text);

}  // namespace kvscope
