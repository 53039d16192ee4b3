#include "tokenizer/byte_bpe.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "gguf/quoted.hpp"
#include "tokenizer/best_first_merge.hpp"
#include "tokenizer/utf8.hpp"

namespace kvscope {
namespace {

constexpr char merges_key[] = "tokenizer.ggml.merges";

/// GPT-2's alphabet: a printable byte stands for itself, the 68 others are written U+0100, U+0101,
/// … in the order of the bytes (encoder.py, bytes_to_unicode).
constexpr bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

constexpr int n_code_points = 0x100 + 68;

struct Alphabet {
  std::array<char16_t, 256> code_point{};
  std::array<std::int16_t, n_code_points> byte{};  // -1: not of the alphabet

  constexpr Alphabet() {
    byte.fill(-1);
    char16_t next = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
      code_point[b] = is_printable(b) ? static_cast<char16_t>(b) : next++;
      byte[code_point[b]] = static_cast<std::int16_t>(b);
    }
  }
};
constexpr Alphabet alphabet;

void append_letter(std::string& out, unsigned char byte) {
  const unsigned c = alphabet.code_point[byte];  // below U+0800: one or two bytes of UTF-8
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::uint32_t pair_hash(TokenId left, TokenId right) {
  const std::uint64_t pair = static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
                             static_cast<std::uint32_t>(right);
  return static_cast<std::uint32_t>(pair * 0x9E3779B97F4A7C15u >> 32);
}

}  // namespace

Result<ByteBpe> ByteBpe::create(const gguf::Metadata& metadata, const Vocabulary& vocabulary,
                                const PreTokenizerInfo& pretokenizer) {
  const gguf::StringArray* merges = metadata.strings(merges_key);
  if (!merges) {
    return Error{ErrorCode::missing_key,
                 concat(merges_key, " is missing: this kind of vocabulary needs it")};
  }
  ByteBpe bpe;
  bpe.pretokenizer_ = pretokenizer;
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string letter;
    append_letter(letter, static_cast<unsigned char>(byte));
    bpe.byte_ids_[byte] = vocabulary.find(letter);
  }
  if (Status status = bpe.read_merges(*merges, vocabulary); !status) return status.error();
  return bpe;
}

Status ByteBpe::read_merges(const gguf::StringArray& merges, const Vocabulary& vocabulary) {
  const std::size_t n = merges.size();
  rules_.reserve(n);
  TokenId merged = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view rule = merges[i];
    const std::size_t space = rule.find(' ', 1);
    const std::string_view left = rule.substr(0, space);
    const std::string_view right =
        space == std::string_view::npos ? std::string_view() : rule.substr(space + 1);
    merged = vocabulary.find_near(merged, left, right);
    rules_.push_back({vocabulary.find(left), vocabulary.find(right), merged});
    const MergeRule& ids = rules_.back();
    if (ids.left < 0 || ids.right < 0 || ids.merged < 0) {
      return Error{ErrorCode::bad_gguf, concat("merge ", i, " of ", n, ", ", gguf::quoted(rule),
                                               ", is of or into text that is not a token")};
    }
  }

  const std::uint32_t free_slot = static_cast<std::uint32_t>(n);
  slots_.assign(std::bit_ceil(n * 2 + 1), free_slot);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t& slot = slot_of(rules_[i].left, rules_[i].right);
    if (slot == free_slot) slot = i;  // a rule given twice counts where it comes first
  }
  return {};
}

std::uint32_t& ByteBpe::slot_of(TokenId left, TokenId right) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = pair_hash(left, right) & mask;
  while (slots_[slot] != rules_.size() &&
         (rules_[slots_[slot]].left != left || rules_[slots_[slot]].right != right)) {
    slot = (slot + 1) & mask;
  }
  return slots_[slot];
}

std::size_t ByteBpe::rank_of(TokenId left, TokenId right) const {
  return const_cast<ByteBpe*>(this)->slot_of(left, right);
}

void ByteBpe::encode(std::string_view text, const Vocabulary& vocabulary,
                     std::vector<TokenId>& out) const {
  BestFirstMerger merger;
  std::vector<Symbol> symbols;
  std::string letters;
  const auto find_merge = [this](const Symbol& left, const Symbol& right) {
    const std::size_t rank = rank_of(left.id, right.id);
    return rank < rules_.size() ? Merge{static_cast<double>(rank), rules_[rank].merged}
                                : Merge{0, no_token};
  };

  for (const std::string_view word : pretokenize(text, pretokenizer_.kind, classes_)) {
    if (pretokenizer_.ignore_merges) {
      letters.clear();
      for (const char c : word) append_letter(letters, static_cast<unsigned char>(c));
      if (const TokenId id = vocabulary.find(letters); id >= 0) {
        out.push_back(id);
        continue;
      }
    }
    symbols.clear();
    const int n = static_cast<int>(word.size());
    for (int i = 0; i < n; ++i) {
      const auto byte = static_cast<unsigned char>(word[static_cast<std::size_t>(i)]);
      symbols.push_back(
          {static_cast<std::uint32_t>(i), 1, i - 1, i + 1 < n ? i + 1 : -1, byte_ids_[byte]});
    }
    merger.run(symbols, find_merge);
    for (int i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
      // A byte that the vocabulary lacks is left out, as tokenizers and llama.cpp do: SmolLM2 has
      // no token for some control characters, and its unknown token would end the text.
      const TokenId id = symbols[static_cast<std::size_t>(i)].id;
      if (id >= 0) out.push_back(id);
    }
  }
}

std::string ByteBpe::bytes_of(std::string_view token_text) {
  std::string out;
  for (std::size_t at = 0; at < token_text.size();) {
    const utf8::Step step = utf8::decode(token_text, at);
    const bool is_letter = step.status == utf8::Status::complete &&
                           step.code_point < n_code_points && alphabet.byte[step.code_point] >= 0;
    if (is_letter) {
      out += static_cast<char>(alphabet.byte[step.code_point]);
    } else {
      out += token_text.substr(at, step.n_bytes);  // no letter of the alphabet: itself
    }
    at += step.n_bytes;
  }
  return out;
}

}  // namespace kvscope
