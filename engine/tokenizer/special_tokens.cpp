#include "tokenizer/special_tokens.hpp"

#include <algorithm>

namespace kvscope {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const TokenType type = vocabulary.type(id);
    const bool special =
        type == TokenType::user_defined || type == TokenType::control || type == TokenType::unknown;
    if (special && !vocabulary.text(id).empty()) by_text_.push_back(id);
  }
  // A heap sort is 1 KB of WebAssembly, std::sort 14 KB.
  const auto by_text = [&](TokenId a, TokenId b) {
    return vocabulary.text(a) < vocabulary.text(b);
  };
  std::make_heap(by_text_.begin(), by_text_.end(), by_text);
  std::sort_heap(by_text_.begin(), by_text_.end(), by_text);
  for (const TokenId id : by_text_) {
    ++begins_[static_cast<unsigned char>(vocabulary.text(id)[0]) + 1u];
  }
  for (std::size_t b = 1; b < begins_.size(); ++b) begins_[b] += begins_[b - 1];
}

SpecialTokens::Match SpecialTokens::next(std::string_view text, std::size_t from,
                                         bool parse_special, const Vocabulary& vocabulary) const {
  if (!by_text_.empty()) {
    for (std::size_t at = from; at < text.size(); ++at) {
      const Match match = longest_at(text, at, parse_special, vocabulary);
      if (match.id >= 0) return match;
    }
  }
  return {text.size(), 0, no_token};
}

/// Narrows the sorted list byte by byte to the texts that begin as the text does.
SpecialTokens::Match SpecialTokens::longest_at(std::string_view text, std::size_t at,
                                               bool parse_special,
                                               const Vocabulary& vocabulary) const {
  const auto byte_at = [&](TokenId id, std::size_t i) {  // -1 beyond the end, which sorts first
    const std::string_view t = vocabulary.text(id);
    return i < t.size() ? static_cast<unsigned char>(t[i]) : -1;
  };
  const auto first = static_cast<unsigned char>(text[at]);
  auto low = by_text_.begin() + begins_[first];
  auto high = by_text_.begin() + begins_[first + 1u];
  Match best{at, 0, no_token};
  for (std::size_t n = 1; low != high; ++n) {
    const bool whole = vocabulary.text(*low).size() == n;
    const bool allowed = parse_special || vocabulary.type(*low) == TokenType::user_defined;
    if (whole && allowed) best = {at, n, *low};
    if (at + n == text.size()) break;
    const int wanted = static_cast<unsigned char>(text[at + n]);
    low = std::partition_point(low, high, [&](TokenId id) { return byte_at(id, n) < wanted; });
    high = std::partition_point(low, high, [&](TokenId id) { return byte_at(id, n) == wanted; });
  }
  return best;
}

}  // namespace kvscope
