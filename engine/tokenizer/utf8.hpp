#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kvscope::utf8 {

enum class Status : std::uint8_t {
  complete,    // a character
  ill_formed,  // bytes that begin no character: n_bytes is the maximal ill-formed subpart
  incomplete,  // the text ends inside what may become a character
};

struct Step {
  char32_t code_point;  // only when complete
  std::uint8_t n_bytes;
  Status status;
};

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// The character that begins at `at` < text.size(). Ranges: table 3-7 of the Unicode standard (no
/// surrogates, no overlong forms, nothing above U+10FFFF), as the WHATWG decoder has them.
inline Step decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1, Status::complete};
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, Status::ill_formed};

  const int n_bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code_point = lead & (0x7Fu >> n_bytes);
  unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (int i = 1; i < n_bytes; ++i) {
    const auto seen = static_cast<std::uint8_t>(i);
    if (at + static_cast<std::size_t>(i) >= text.size()) return {0, seen, Status::incomplete};
    const unsigned next = byte(at + static_cast<std::size_t>(i));
    if (next < lowest || next > highest) return {0, seen, Status::ill_formed};
    code_point = code_point << 6 | (next & 0x3F);
    lowest = 0x80;
    highest = 0xBF;
  }
  return {code_point, static_cast<std::uint8_t>(n_bytes), Status::complete};
}

}  // namespace kvscope::utf8
