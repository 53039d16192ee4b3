#include "tokenizer/pretokenizer.hpp"

#include <cstdint>

#include "tokenizer/utf8.hpp"

namespace kvscope {
namespace {

constexpr PreTokenizerInfo known[] = {
    {"gpt-2", PreTokenizer::gpt2},
    {"phi-2", PreTokenizer::gpt2},
    {"mpt", PreTokenizer::gpt2},
    {"olmo", PreTokenizer::gpt2},
    {"exaone4", PreTokenizer::gpt2},
    {"a.x-4.0", PreTokenizer::gpt2},
    {"trillion", PreTokenizer::gpt2},
    {"smollm", PreTokenizer::smollm},
    {"starcoder", PreTokenizer::smollm},
    {"refact", PreTokenizer::smollm},
    {"command-r", PreTokenizer::smollm},
    {"codeshell", PreTokenizer::smollm},
    {"exaone", PreTokenizer::smollm},
    {"minerva-7b", PreTokenizer::smollm},
    {"qwen2", PreTokenizer::qwen2},
    {"deepseek-r1-qwen", PreTokenizer::qwen2},
    {"stablelm2", PreTokenizer::qwen2},
    {"megrez", PreTokenizer::qwen2},
    {"hunyuan", PreTokenizer::qwen2},
    {"kormo", PreTokenizer::qwen2},
    {"llama-bpe", PreTokenizer::llama3, true, true},
    {"llama3", PreTokenizer::llama3, true, true},
    {"llama-v3", PreTokenizer::llama3, true, true},
    {"falcon3", PreTokenizer::llama3, true, true},
    {"falcon-h1", PreTokenizer::llama3, true, true},
    {"pixtral", PreTokenizer::llama3, true, true},
    {"midm-2.0", PreTokenizer::llama3, true, true},
    {"lfm2", PreTokenizer::llama3, true, true},
    {"smaug-bpe", PreTokenizer::llama3},
    {"dbrx", PreTokenizer::llama3},
};

/// The text as the expressions see it: a class and, for ASCII, the character itself. A maximal
/// ill-formed run of bytes counts as one character of class other.
class Characters {
 public:
  Characters(std::string_view text, const CharClasses& classes) {
    chars_.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      const utf8::Step step = utf8::decode(text, at);
      const bool complete = step.status == utf8::Status::complete;
      chars_.push_back({static_cast<std::uint32_t>(at),
                        complete ? classes.of(step.code_point) : CharClass::other,
                        complete && step.code_point < 128 ? text[at] : '\0'});
      at += step.n_bytes;
    }
    n_ = chars_.size();
    chars_.push_back({static_cast<std::uint32_t>(text.size()), CharClass::none, '\0'});
  }

  std::size_t size() const { return n_; }
  std::size_t byte_offset(std::size_t i) const { return chars_[i].offset; }

  /// An expression that runs on [begin, end) sees nothing beyond `end`.
  CharClass class_at(std::size_t i, std::size_t end) const {
    return i < end ? chars_[i].char_class : CharClass::none;
  }
  char ascii_at(std::size_t i, std::size_t end) const { return i < end ? chars_[i].ascii : '\0'; }

 private:
  struct Char {
    std::uint32_t offset;
    CharClass char_class;
    char ascii;
  };
  std::vector<Char> chars_;
  std::size_t n_ = 0;
};

/// Each matcher takes a position and gives the end of the match, or the position itself for none.
struct Matcher {
  const Characters& text;
  std::size_t end;

  CharClass class_at(std::size_t i) const { return text.class_at(i, end); }
  char ascii_at(std::size_t i) const { return text.ascii_at(i, end); }
  bool is_line_end(std::size_t i) const { return ascii_at(i) == '\r' || ascii_at(i) == '\n'; }

  std::size_t run_of(CharClass wanted, std::size_t i) const {
    while (class_at(i) == wanted) ++i;
    return i;
  }

  // 's|'t|'re|'ve|'m|'ll|'d
  std::size_t contraction(std::size_t at, bool any_case) const {
    if (ascii_at(at) != '\'') return at;
    const auto letter = [&](std::size_t i) {
      const char c = ascii_at(i);
      return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    };
    const char a = letter(at + 1);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return at + 2;
    const char b = letter(at + 2);
    const bool two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
    return two ? at + 3 : at;
  }

  //  ?X+ for one class X
  std::size_t spaced_run(CharClass wanted, std::size_t at) const {
    const std::size_t first = ascii_at(at) == ' ' ? at + 1 : at;
    return class_at(first) == wanted ? run_of(wanted, first) : at;
  }

  // \s+(?!\S)|\s+ : a space before a word is left to that word
  std::size_t spaces(std::size_t at) const {
    const std::size_t last = run_of(CharClass::space, at);
    return last < end && last - at > 1 ? last - 1 : last;
  }

  std::size_t gpt2(std::size_t at) const {
    std::size_t to = contraction(at, false);
    if (to == at) to = spaced_run(CharClass::letter, at);
    if (to == at) to = spaced_run(CharClass::number, at);
    if (to == at) to = spaced_run(CharClass::other, at);
    if (to == at) to = spaces(at);
    return to;
  }

  // [^\r\n\p{L}\p{N}]?\p{L}+
  std::size_t led_letters(std::size_t at) const {
    if (class_at(at) == CharClass::letter) return run_of(CharClass::letter, at);
    const bool may_lead = class_at(at) != CharClass::number && !is_line_end(at);
    return may_lead && class_at(at + 1) == CharClass::letter ? run_of(CharClass::letter, at + 1)
                                                             : at;
  }

  // \p{N}{1,max}
  std::size_t numbers(std::size_t at, std::size_t max) const {
    std::size_t to = at;
    while (to - at < max && class_at(to) == CharClass::number) ++to;
    return to;
  }

  //  ?[^\s\p{L}\p{N}]+[\r\n]*
  std::size_t symbols_and_line_ends(std::size_t at) const {
    std::size_t to = spaced_run(CharClass::other, at);
    if (to == at) return at;
    while (is_line_end(to)) ++to;
    return to;
  }

  // \s*[\r\n]+
  std::size_t spaces_to_line_end(std::size_t at) const {
    std::size_t to = at;
    for (std::size_t i = at; class_at(i) == CharClass::space; ++i) {
      if (is_line_end(i)) to = i + 1;
    }
    return to;
  }

  std::size_t qwen2(std::size_t at, std::size_t max_digits) const {
    std::size_t to = contraction(at, true);
    if (to == at) to = led_letters(at);
    if (to == at) to = numbers(at, max_digits);
    if (to == at) to = symbols_and_line_ends(at);
    if (to == at) to = spaces_to_line_end(at);
    if (to == at) to = spaces(at);
    return to;
  }
};

}  // namespace

std::optional<PreTokenizerInfo> find_pretokenizer(std::string_view name) {
  for (const PreTokenizerInfo& info : known) {
    if (info.name == name) return info;
  }
  return std::nullopt;
}

std::vector<std::string_view> pretokenize(std::string_view text, PreTokenizer kind,
                                          const CharClasses& classes) {
  const Characters characters(text, classes);
  std::vector<std::string_view> pieces;
  const auto split = [&](std::size_t begin, std::size_t end, auto match) {
    const Matcher matcher{characters, end};
    for (std::size_t at = begin; at < end;) {
      const std::size_t to = match(matcher, at);
      const std::size_t offset = characters.byte_offset(at);
      pieces.push_back(text.substr(offset, characters.byte_offset(to) - offset));
      at = to;
    }
  };
  const auto gpt2 = [](const Matcher& m, std::size_t at) { return m.gpt2(at); };

  const std::size_t n = characters.size();
  switch (kind) {
    case PreTokenizer::gpt2: split(0, n, gpt2); break;
    case PreTokenizer::qwen2:
      split(0, n, [](const Matcher& m, std::size_t at) { return m.qwen2(at, 1); });
      break;
    case PreTokenizer::llama3:
      split(0, n, [](const Matcher& m, std::size_t at) { return m.qwen2(at, 3); });
      break;
    case PreTokenizer::smollm: {
      std::size_t begin = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (characters.class_at(i, n) != CharClass::number) continue;
        split(begin, i, gpt2);
        split(i, i + 1, gpt2);
        begin = i + 1;
      }
      split(begin, n, gpt2);
      break;
    }
  }
  return pieces;
}

}  // namespace kvscope
