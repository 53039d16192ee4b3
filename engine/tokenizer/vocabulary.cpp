#include "tokenizer/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/format.hpp"

namespace kvscope {
namespace {

constexpr char tokens_key[] = "tokenizer.ggml.tokens";
constexpr char types_key[] = "tokenizer.ggml.token_type";
constexpr char scores_key[] = "tokenizer.ggml.scores";

// FNV-1a, its low bits stirred: slots are picked by them.
std::uint32_t hash(std::string_view first, std::string_view second) {
  std::uint32_t h = 2166136261u;
  for (const char c : first) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  for (const char c : second) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h ^ h >> 15;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

Error length_error(const char* key, std::size_t n, std::size_t n_tokens) {
  return {ErrorCode::bad_gguf, concat(key, " has ", n, " entries for ", n_tokens,
                                      " tokens; the file is damaged or badly converted")};
}

}  // namespace

std::optional<std::uint8_t> byte_of_text(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  const int high = hex_digit(text[3]), low = hex_digit(text[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<std::uint8_t>(high * 16 + low);
}

Result<Vocabulary> Vocabulary::create(const gguf::Metadata& metadata, bool with_scores) {
  const gguf::StringArray* texts = metadata.strings(tokens_key);
  if (!texts) {
    return Error{ErrorCode::missing_key,
                 concat(tokens_key, " is missing: the file has no vocabulary")};
  }
  if (texts->size() == 0 || texts->size() > (1u << 24)) {
    return Error{ErrorCode::bad_gguf,
                 concat(tokens_key, " has ", texts->size(), " entries; 1 to 2^24 are possible")};
  }
  Vocabulary vocabulary;
  vocabulary.texts_ = *texts;
  if (Status status = vocabulary.read_types(metadata); !status) return status.error();
  if (with_scores) {
    if (Status status = vocabulary.read_scores(metadata); !status) return status.error();
  }
  if (Status status = vocabulary.build_index(); !status) return status.error();
  return vocabulary;
}

Status Vocabulary::read_types(const gguf::Metadata& metadata) {
  const std::size_t n = texts_.size();
  types_.assign(n, TokenType::normal);
  if (!metadata.contains(types_key)) return {};
  const std::vector<std::int64_t>* types = metadata.integers(types_key);
  if (!types || types->size() != n) return length_error(types_key, types ? types->size() : 0, n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t type = (*types)[i];
    if (type < 0 || type > static_cast<int>(TokenType::byte)) {
      return Error{ErrorCode::bad_gguf,
                   concat("token ", i, " has type ", type, "; 0 to 6 are defined")};
    }
    types_[i] = static_cast<TokenType>(type);
    if (types_[i] == TokenType::byte && !byte_of_text(texts_[i])) {
      return Error{ErrorCode::bad_gguf,
                   concat("token ", i, " is a byte by its type but its text is not <0xNN>")};
    }
  }
  return {};
}

Status Vocabulary::read_scores(const gguf::Metadata& metadata) {
  const std::size_t n = texts_.size();
  if (!metadata.contains(scores_key)) {
    return Error{ErrorCode::missing_key,
                 concat(scores_key, " is missing: this kind of vocabulary merges by score")};
  }
  if (const std::vector<float>* scores = metadata.floats(scores_key)) {
    scores_ = *scores;
  } else if (const std::vector<std::int64_t>* whole = metadata.integers(scores_key)) {
    scores_.assign(whole->begin(), whole->end());
  }
  if (scores_.size() != n) return length_error(scores_key, scores_.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(scores_[i])) {
      return Error{ErrorCode::bad_gguf, concat("the score of token ", i, " is not a number")};
    }
  }
  return {};
}

Status Vocabulary::build_index() {
  slots_.assign(std::bit_ceil(texts_.size() * 2), no_token);
  const std::size_t mask = slots_.size() - 1;
  for (TokenId id = 0; id < size(); ++id) {
    const std::string_view word = text(id);
    max_text_bytes_ = std::max(max_text_bytes_, word.size());
    if (word.empty()) continue;  // padding of some converters; no text leads to it
    std::size_t slot = hash(word, {}) & mask;
    for (; slots_[slot] != no_token; slot = (slot + 1) & mask) {
      if (text(slots_[slot]) == word) {
        return Error{ErrorCode::bad_gguf,
                     concat("tokens ", slots_[slot], " and ", id, " have the same text")};
      }
    }
    slots_[slot] = id;
  }
  return {};
}

bool Vocabulary::equals(TokenId id, std::string_view first, std::string_view second) const {
  const std::string_view word = text(id);
  return word.size() == first.size() + second.size() && word.starts_with(first) &&
         word.ends_with(second);
}

TokenId Vocabulary::find(std::string_view first, std::string_view second) const {
  const std::size_t n_bytes = first.size() + second.size();
  if (n_bytes == 0 || n_bytes > max_text_bytes_) return no_token;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash(first, second) & mask;
  while (slots_[slot] != no_token && !equals(slots_[slot], first, second)) {
    slot = (slot + 1) & mask;
  }
  return slots_[slot];
}

TokenId Vocabulary::find_near(TokenId guess, std::string_view first,
                              std::string_view second) const {
  if (first.empty() && second.empty()) return no_token;
  for (TokenId id = std::max(guess, 0); id < size() && id <= guess + 1; ++id) {
    if (equals(id, first, second)) return id;
  }
  return find(first, second);
}

Result<TokenId> Vocabulary::id_of_key(const gguf::Metadata& metadata, const char* key) const {
  constexpr std::int64_t none = 0xFFFFFFFF;
  const std::int64_t id = metadata.integer(key).value_or(none);
  if (id == none || id == -1) return no_token;
  if (id < 0 || id >= size()) {
    return Error{ErrorCode::bad_gguf,
                 concat(key, " is ", id, ", but the vocabulary has ", size(), " tokens")};
  }
  return static_cast<TokenId>(id);
}

}  // namespace kvscope
