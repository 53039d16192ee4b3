#include "tokenizer_fixture.hpp"

namespace kvscope::test {
namespace {

std::string utf8_of_any(char32_t c) {
  if (c < 0x800) return utf8_of(static_cast<unsigned>(c));
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

struct Range {
  char32_t first, last;
};
constexpr Range ranges[] = {
    {0x20, 0x7E},     {'a', 'z'},         {'0', '9'},         {0x00, 0x1F},
    {0x80, 0x24F},    {0x300, 0x36F},     {0x400, 0x4FF},     {0x600, 0x6FF},
    {0x900, 0x97F},   {0x1100, 0x11FF},   {0x2000, 0x206F},   {0x2581, 0x2581},
    {0x3040, 0x30FF}, {0x4E00, 0x9FFF},   {0xAC00, 0xD7A3},   {0xAC00, 0xD7A3},
    {0xE000, 0xFFFF}, {0x1F300, 0x1FAFF}, {0x20000, 0x2FFFF}, {0x10FFF0, 0x10FFFF},
};
constexpr std::string_view snippets[] = {
    " ",    "  ",           "\n",           "\r\n",   "\t",           "'s",   " the",
    "ther", "<|im_end|>",   "<s>",          "<tool>", "<0x41>",       "바다", "\xE2\x96\x81",
    "123",  "\xE2\x80\x8D", "\xEF\xB8\x8F", "   !",   "\xEF\xBB\xBF",
};

}  // namespace

void check_ids(const Tokenizer& tokenizer, std::span<const reference::Ids> recorded,
               bool parse_special) {
  for (const auto& [text, expected] : recorded) {
    std::string ids;
    for (const TokenId id : tokenizer.encode(text, {.parse_special = parse_special})) {
      ids += (ids.empty() ? "" : " ") + std::to_string(id);
    }
    CAPTURE(text);
    CHECK(ids == expected);
  }
}

std::string random_text(std::mt19937& random, bool any_bytes) {
  std::string out;
  const auto below = [&](unsigned n) { return random() % n; };
  for (unsigned part = below(20); part > 0; --part) {
    if (any_bytes && below(3) == 0) {
      for (unsigned n = 1 + below(4); n > 0; --n) out += static_cast<char>(below(256));
    } else if (below(2) == 0) {
      out += snippets[below(std::size(snippets))];
    } else {
      const Range range = ranges[below(std::size(ranges))];
      for (unsigned n = 1 + below(4); n > 0; --n) {
        out +=
            utf8_of_any(range.first + below(static_cast<unsigned>(range.last - range.first + 1)));
      }
    }
  }
  return out;
}

}  // namespace kvscope::test
