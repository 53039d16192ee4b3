#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/char_classes.hpp"

namespace kvscope {

/// How a byte-level BPE model cuts text into words before it merges inside each of them.
/// Source of the expressions: llama-vocab of llama.cpp, which took them from each model's
/// tokenizer.json.
enum class PreTokenizer {
  gpt2,    // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  smollm,  // \p{N} first, each number character alone; the GPT-2 expression on what lies between
  qwen2,   // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|
           //   ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  llama3,  // as qwen2, but \p{N}{1,3}
};

/// A value of tokenizer.ggml.pre, with what llama.cpp ties to the name.
struct PreTokenizerInfo {
  std::string_view name;
  PreTokenizer kind;
  bool ignore_merges = false;  // a word that is a token is that token, whatever the merges say
  bool adds_bos = false;       // unless tokenizer.ggml.add_bos_token says otherwise
};

std::optional<PreTokenizerInfo> find_pretokenizer(std::string_view name);

/// Pieces of `text` in order; joined they are `text` again, whatever bytes it has.
std::vector<std::string_view> pretokenize(std::string_view text, PreTokenizer kind,
                                          const CharClasses& classes);

}  // namespace kvscope
