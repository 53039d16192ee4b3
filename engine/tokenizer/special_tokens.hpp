#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace kvscope {

/// Finds in running text the tokens that are cut out before anything else: user-defined ones
/// always, control and unknown ones only when asked for.
class SpecialTokens {
 public:
  SpecialTokens() = default;
  explicit SpecialTokens(const Vocabulary& vocabulary);

  struct Match {
    std::size_t begin;
    std::size_t n_bytes;
    TokenId id;  // no_token: none; begin is then text.size()
  };
  /// The first match at or after `from`; the longest one where several begin at the same place.
  Match next(std::string_view text, std::size_t from, bool parse_special,
             const Vocabulary& vocabulary) const;

 private:
  Match longest_at(std::string_view text, std::size_t at, bool parse_special,
                   const Vocabulary& vocabulary) const;

  std::vector<TokenId> by_text_;             // sorted by text
  std::array<std::uint32_t, 257> begins_{};  // where in by_text_ the texts with first byte b begin
};

}  // namespace kvscope
