// Conversions between binary16, bfloat16 and binary32, over all 65536 bit patterns.
#include "tensor/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace kvscope {

namespace {

constexpr std::uint16_t half_infinity = 0x7c00;

bool is_nan(std::uint16_t h) { return (h & 0x7fff) > half_infinity; }

// IEEE 754's definition, independent of the bit tricks under test.
float defined_value(std::uint16_t h) {
  const int exponent = h >> 10 & 31;
  const int fraction = h & 1023;
  const float sign = h & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

}  // namespace

TEST_CASE("every half has the value that IEEE 754 defines") {
  int wrong = 0;
  for (int bits = 0; bits <= 0xffff; ++bits) {
    const auto h = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(h);
    if (is_nan(h)) {
      wrong += !std::isnan(value);
    } else {
      wrong += value != defined_value(h) || std::signbit(value) != (h >= 0x8000);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every half survives the way to float and back") {
  int wrong = 0;
  for (int bits = 0; bits <= 0xffff; ++bits) {
    const auto h = static_cast<std::uint16_t>(bits);
    const std::uint16_t back = float_to_half(half_to_float(h));
    wrong += is_nan(h) ? !is_nan(back) : back != h;
  }
  CHECK(wrong == 0);
}

TEST_CASE("between two halves the nearer one is taken, half way the even one") {
  int wrong = 0;
  for (std::uint16_t h = 0; h < half_infinity - 1; ++h) {  // h + 1 is finite
    const auto next = static_cast<std::uint16_t>(h + 1);
    const float middle = (half_to_float(h) + half_to_float(next)) / 2;  // exact in 24 bits
    wrong += float_to_half(std::nextafter(middle, 0.0f)) != h;
    wrong += float_to_half(middle) != (h % 2 == 0 ? h : next);
    wrong += float_to_half(std::nextafter(middle, 1e9f)) != next;
    wrong += float_to_half(-middle) != (0x8000 | (h % 2 == 0 ? h : next));
  }
  CHECK(wrong == 0);
}

TEST_CASE("values beyond the largest half become infinity") {
  CHECK(float_to_half(65504.0f) == 0x7bff);
  CHECK(float_to_half(std::nextafter(65520.0f, 0.0f)) == 0x7bff);
  CHECK(float_to_half(65520.0f) == half_infinity);
  CHECK(float_to_half(-1e30f) == (0x8000 | half_infinity));
  CHECK(float_to_half(std::numeric_limits<float>::infinity()) == half_infinity);
}

TEST_CASE("values below half the smallest subnormal become zero with their sign") {
  CHECK(float_to_half(0x1p-25f) == 0);
  CHECK(float_to_half(std::nextafter(0x1p-25f, 1.0f)) == 1);
  CHECK(float_to_half(-1e-30f) == 0x8000);
}

TEST_CASE("a bfloat16 is the upper half of a float") {
  CHECK(bfloat_to_float(0x3f80) == 1.0f);
  CHECK(bfloat_to_float(0xc049) == -3.140625f);
  CHECK(std::isinf(bfloat_to_float(0x7f80)));
}

}  // namespace kvscope
