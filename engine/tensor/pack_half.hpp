#pragma once

#include <bit>
#include <cstdint>

#include "tensor/half.hpp"

namespace kvscope {

/// Magnitudes from here on are infinite: the tile's shift was too large for its values.
inline constexpr std::uint16_t infinite_half = 0x7c00;

/// 2^n for |n| < 127
inline float power_of_two(int n) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(127 + n) << 23);
}

/// h * 2^shift, exactly, or infinite.
inline std::uint16_t shift_half(std::uint16_t h, int shift) {
  const int exponent = (h >> 10 & 31) + shift;
  const bool normal = (h & 0x7c00) != 0 && exponent > 0;
  if (normal && exponent < 31) return static_cast<std::uint16_t>(h + shift * 1024);
  if (normal) return static_cast<std::uint16_t>((h & 0x8000) | infinite_half);
  return float_to_half(half_to_float(h) * power_of_two(shift));
}

}  // namespace kvscope
