#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/best_first_merge.hpp"
#include "tokenizer/vocabulary.hpp"

namespace kvscope {

/// SentencePiece's BPE: the text is cut into characters, a space is written U+2581, and of all
/// neighbours that together are a token the pair of best score merges first. What no token covers
/// is sent byte by byte.
class Spm {
 public:
  Spm() = default;
  /// Corrects the type of tokens that are bytes by their text only.
  Spm(Vocabulary& vocabulary, TokenId unknown);

  /// Appends the tokens of text that holds no special token; the space prefix is the caller's.
  void encode(std::string_view text, const Vocabulary& vocabulary, std::vector<TokenId>& out) const;

  /// The bytes that a normal token's text stands for.
  static std::string bytes_of(std::string_view token_text);

 private:
  struct Scratch;
  void encode_segment(std::string_view segment, const Vocabulary& vocabulary, Scratch& scratch,
                      std::vector<TokenId>& out) const;
  void append_bytes(std::string_view bytes, std::vector<TokenId>& out) const;

  std::array<TokenId, 256> byte_ids_{};
  bool sends_space_mark_as_bytes_ = false;  // the bytes of U+2581 are tokens
  TokenId unknown_ = no_token;
};

}  // namespace kvscope
