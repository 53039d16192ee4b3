#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kvscope::gguf {

/// Text from an untrusted file, fit for a message: printable ASCII only, at most 64 characters,
/// line breaks as spaces.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t max_chars = 64;
  std::string out = "\"";
  for (const char c : text.substr(0, max_chars)) {
    out += c >= ' ' && c <= '~' ? c : c == '\n' || c == '\r' || c == '\t' ? ' ' : '?';
  }
  if (text.size() > max_chars) out += "...";
  return out + '"';
}

}  // namespace kvscope::gguf
