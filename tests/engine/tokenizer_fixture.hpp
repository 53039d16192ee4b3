#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../reference/tokenizer_ids.hpp"
#include "gguf/metadata.hpp"
#include "tokenizer/tokenizer.hpp"

namespace kvscope::test {

/// The arrays of a vocabulary as GGUF metadata holds them.
struct VocabularyArrays {
  gguf::StringArray texts, merges;
  std::vector<float> scores;
  std::vector<std::int64_t> types;

  void add(std::string_view text, int type = 1, double score = 0) {
    texts.push_back(text);
    types.push_back(type);
    scores.push_back(static_cast<float>(score));
  }
};

inline std::string utf8_of(unsigned c) {  // below U+0800
  if (c < 0x80) return std::string(1, static_cast<char>(c));
  return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
}

/// The letters of the 256 bytes in the order of the bytes, as GPT-2's encoder.py gives them.
inline void add_byte_letters(VocabularyArrays& arrays) {
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    arrays.add(utf8_of(printable ? byte : next++));
  }
}

inline VocabularyArrays small_bpe() {
  VocabularyArrays arrays;
  add_byte_letters(arrays);
  for (const auto& token : reference::small_bpe_tokens) arrays.add(token.text, token.type);
  for (const std::string_view merge : reference::small_bpe_merges) arrays.merges.push_back(merge);
  return arrays;
}

inline gguf::Metadata bpe_metadata(const VocabularyArrays& arrays, std::string pre = "gpt-2") {
  gguf::Metadata m;
  m.insert("tokenizer.ggml.model", std::string("gpt2"));
  m.insert("tokenizer.ggml.pre", std::move(pre));
  m.insert("tokenizer.ggml.tokens", arrays.texts);
  m.insert("tokenizer.ggml.token_type", arrays.types);
  m.insert("tokenizer.ggml.merges", arrays.merges);
  return m;
}

inline VocabularyArrays small_spm() {
  VocabularyArrays arrays;
  arrays.add("<unk>", 2);
  arrays.add("<s>", 3);
  arrays.add("</s>", 3);
  constexpr char digits[] = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    arrays.add(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + '>', 6);
  }
  for (const auto& token : reference::small_spm_tokens) {
    arrays.add(token.text, token.type, token.score);
  }
  return arrays;
}

inline gguf::Metadata spm_metadata(const VocabularyArrays& arrays, bool add_space_prefix = true) {
  gguf::Metadata m;
  m.insert("tokenizer.ggml.model", std::string("llama"));
  m.insert("tokenizer.ggml.tokens", arrays.texts);
  m.insert("tokenizer.ggml.token_type", arrays.types);
  m.insert("tokenizer.ggml.scores", arrays.scores);
  m.insert("tokenizer.ggml.add_space_prefix", add_space_prefix);
  return m;
}

inline Tokenizer make(const gguf::Metadata& metadata) {
  Result<Tokenizer> tokenizer = Tokenizer::create(metadata);
  REQUIRE_MESSAGE(tokenizer.ok(), (tokenizer ? "" : tokenizer.error().message));
  return std::move(tokenizer).value();
}

/// Replaces a key's value.
inline void set(gguf::Metadata& metadata, const std::string& key, gguf::Value value) {
  metadata.erase(key);
  metadata.insert(key, std::move(value));
}

void check_ids(const Tokenizer& tokenizer, std::span<const reference::Ids> recorded,
               bool parse_special = false);

/// Pseudo-random text: runs from many scripts, white space, digits, marks, emoji and, when asked,
/// bytes that are no UTF-8.
std::string random_text(std::mt19937& random, bool any_bytes = false);

}  // namespace kvscope::test
