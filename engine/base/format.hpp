#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace kvscope {

inline void append_part(std::string& out, std::string_view part) { out += part; }
inline void append_part(std::string& out, std::integral auto part) { out += std::to_string(part); }

/// "a" + 1 + "b" for error messages; std::format would add 60 KB to the module.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (append_part(out, parts), ...);
  return out;
}

}  // namespace kvscope
