#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvscope {

inline void append_part(std::string& out, std::string_view part) { out += part; }
inline void append_part(std::string& out, std::integral auto part) { out += std::to_string(part); }

/// Three decimals, which is what an error message needs; printf's would add 5 KB.
inline void append_part(std::string& out, std::floating_point auto part) {
  constexpr double largest = 1e15;
  if (part != part) {
    out += "not a number";
    return;
  }
  if (part < 0) out += '-';
  const double size = part < 0 ? -part : part;
  if (size >= largest) {
    out += "more than 10^15";
    return;
  }
  const auto thousandths = static_cast<std::int64_t>(size * 1000 + 0.5);
  out += std::to_string(thousandths / 1000);
  std::string decimals = std::to_string(thousandths % 1000 + 1000).substr(1);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  if (!decimals.empty()) out += "." + decimals;
}

/// "a" + 1 + "b" for error messages; std::format would add 60 KB to the module.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (append_part(out, parts), ...);
  return out;
}

}  // namespace kvscope
