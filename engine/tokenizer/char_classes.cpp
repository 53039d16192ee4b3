#include "tokenizer/char_classes.hpp"

#include <algorithm>
#include <span>

#include "tokenizer/unicode_ranges.hpp"

namespace kvscope {
namespace {

std::vector<std::uint32_t> unpack(std::span<const unsigned char> base128) {
  std::vector<std::uint32_t> borders;
  std::uint32_t border = 0, length = 0;
  int shift = 0;
  for (const unsigned char byte : base128) {
    length |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    borders.push_back(border += length);
    length = 0;
    shift = 0;
  }
  return borders;
}

bool contains(const std::vector<std::uint32_t>& borders, char32_t code_point) {
  const auto above = std::upper_bound(borders.begin(), borders.end(), code_point);
  return (above - borders.begin()) % 2 == 1;
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

}  // namespace

CharClasses::CharClasses()
    : letters_(unpack(unicode::letter_ranges)), numbers_(unpack(unicode::number_ranges)) {
  for (char32_t c = 0; c < 128; ++c) {
    ascii_[c] = is_space(c)             ? CharClass::space
                : contains(letters_, c) ? CharClass::letter
                : contains(numbers_, c) ? CharClass::number
                                        : CharClass::other;
  }
}

CharClass CharClasses::of(char32_t c) const {
  if (c < 128) return ascii_[c];
  if (contains(letters_, c)) return CharClass::letter;
  if (contains(numbers_, c)) return CharClass::number;
  return is_space(c) ? CharClass::space : CharClass::other;
}

}  // namespace kvscope
