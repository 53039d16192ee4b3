#include "tokenizer/spm.hpp"

#include "tokenizer/utf8.hpp"

namespace kvscope {
namespace {

constexpr std::string_view space_mark = "\xE2\x96\x81";  // U+2581

/// Tokens that text can become; the others stand for no text of their own.
bool is_text(const Vocabulary& vocabulary, TokenId id) {
  const TokenType type = vocabulary.type(id);
  return type == TokenType::normal || type == TokenType::user_defined ||
         type == TokenType::undefined;
}

}  // namespace

struct Spm::Scratch {
  BestFirstMerger merger;
  std::vector<Symbol> symbols;
  std::string escaped;
};

Spm::Spm(Vocabulary& vocabulary, TokenId unknown) : unknown_(unknown) {
  byte_ids_.fill(no_token);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const auto byte = byte_of_text(vocabulary.text(id));
    if (!byte) continue;
    byte_ids_[*byte] = id;
    vocabulary.set_type(id, TokenType::byte);
  }
  sends_space_mark_as_bytes_ = true;
  for (const char c : space_mark) {
    if (byte_ids_[static_cast<unsigned char>(c)] < 0) sends_space_mark_as_bytes_ = false;
  }
}

void Spm::encode(std::string_view text, const Vocabulary& vocabulary,
                 std::vector<TokenId>& out) const {
  Scratch scratch;
  if (!sends_space_mark_as_bytes_) return encode_segment(text, vocabulary, scratch, out);
  // A U+2581 that somebody typed would come back as a space: send it as bytes, which come back as
  // they are. llama.cpp does not, and loses it.
  for (;;) {
    const std::size_t typed = text.find(space_mark);
    encode_segment(text.substr(0, typed), vocabulary, scratch, out);
    if (typed == std::string_view::npos) return;
    append_bytes(space_mark, out);
    text.remove_prefix(typed + space_mark.size());
  }
}

void Spm::encode_segment(std::string_view segment, const Vocabulary& vocabulary, Scratch& scratch,
                         std::vector<TokenId>& out) const {
  auto& [merger, symbols, escaped] = scratch;
  symbols.clear();
  escaped.clear();
  for (std::size_t at = 0; at < segment.size();) {
    const std::size_t n_bytes = utf8::decode(segment, at).n_bytes;
    const std::string_view character = segment.substr(at, n_bytes);
    at += n_bytes;

    const int i = static_cast<int>(symbols.size());
    const auto begin = static_cast<std::uint32_t>(escaped.size());
    escaped += character == " " ? space_mark : character;
    const std::string_view written = std::string_view(escaped).substr(begin);
    const TokenId id = vocabulary.find(written);
    symbols.push_back({begin, static_cast<std::uint32_t>(written.size()), i - 1,
                       at < segment.size() ? i + 1 : -1,
                       id >= 0 && is_text(vocabulary, id) ? id : no_token});
  }
  if (symbols.empty()) return;

  const auto text_of = [&](const Symbol& symbol) {
    return std::string_view(escaped).substr(symbol.begin, symbol.n_bytes);
  };
  merger.run(symbols, [&](const Symbol& left, const Symbol& right) {
    const TokenId id = vocabulary.find(text_of(left), text_of(right));
    return id >= 0 && is_text(vocabulary, id) ? Merge{-double(vocabulary.score(id)), id}
                                              : Merge{0, no_token};
  });
  for (int i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
    const Symbol& symbol = symbols[static_cast<std::size_t>(i)];
    if (symbol.id >= 0) {
      out.push_back(symbol.id);
    } else {
      append_bytes(text_of(symbol), out);
    }
  }
}

/// One token for each byte; for bytes that have no token the unknown one, once, if there is one.
void Spm::append_bytes(std::string_view bytes, std::vector<TokenId>& out) const {
  const std::size_t before = out.size();
  for (const char c : bytes) {
    const TokenId id = byte_ids_[static_cast<unsigned char>(c)];
    if (id >= 0) {
      out.push_back(id);
      continue;
    }
    out.resize(before);
    if (unknown_ >= 0) out.push_back(unknown_);
    return;
  }
}

std::string Spm::bytes_of(std::string_view token_text) {
  std::string out;
  for (;;) {
    const std::size_t mark = token_text.find(space_mark);
    out += token_text.substr(0, mark);
    if (mark == std::string_view::npos) return out;
    out += ' ';
    token_text.remove_prefix(mark + space_mark.size());
  }
}

}  // namespace kvscope
