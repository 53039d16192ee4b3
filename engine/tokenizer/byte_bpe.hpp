#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenizer/pretokenizer.hpp"
#include "tokenizer/vocabulary.hpp"

namespace kvscope {

/// Byte-level BPE as GPT-2 has it: the text is cut into words, each word into bytes, and neighbours
/// are merged in the order of the merge list.
class ByteBpe {
 public:
  /// Errors: missing_key (no merges), bad_gguf (a merge of or into something that is no token).
  static Result<ByteBpe> create(const gguf::Metadata& metadata, const Vocabulary& vocabulary,
                                const PreTokenizerInfo& pretokenizer);

  /// Appends the tokens of text that holds no special token.
  void encode(std::string_view text, const Vocabulary& vocabulary, std::vector<TokenId>& out) const;

  /// The bytes that a token's text stands for.
  static std::string bytes_of(std::string_view token_text);

 private:
  struct MergeRule {
    TokenId left, right, merged;
  };

  Status read_merges(const gguf::StringArray& merges, const Vocabulary& vocabulary);
  std::uint32_t& slot_of(TokenId left, TokenId right);
  /// The place in the merge list; rules_.size() when the two do not merge.
  std::size_t rank_of(TokenId left, TokenId right) const;

  std::vector<MergeRule> rules_;  // the lower the place in the list, the earlier the merge
  std::vector<std::uint32_t>
      slots_;  // open addressing over rules_; rules_.size() marks a free slot
  std::array<TokenId, 256> byte_ids_{};
  CharClasses classes_;
  PreTokenizerInfo pretokenizer_{};
};

}  // namespace kvscope
