#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace kvscope {

/// IEEE binary16 to binary32, subnormals included.
constexpr float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7fff) << 13;
  if ((h & 0x7c00) == 0x7c00) return std::bit_cast<float>(sign | magnitude | 0x7f800000);
  // The exponent's bias is 15 there and 127 here; multiplying also normalises subnormals.
  const float value = std::bit_cast<float>(magnitude) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

/// The half that is stored at p, anywhere.
inline float load_half(const void* p) {
  std::uint16_t bits;
  std::memcpy(&bits, p, sizeof bits);
  return half_to_float(bits);
}

/// Rounds to nearest even; beyond the range gives infinity.
constexpr std::uint16_t float_to_half(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {  // subnormal in 16 bits: let float addition do the rounding
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(shifted) - 0x3f000000);
  }
  const std::uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | static_cast<std::uint16_t>((rounded - 0x38000000) >> 13);
}

constexpr float bfloat_to_float(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

/// Cuts off the bits that do not fit.
constexpr std::uint16_t float_to_bfloat(float f) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(f) >> 16);
}

}  // namespace kvscope
