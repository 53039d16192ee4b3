#include "base/elementary.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace kvscope {
namespace {

constexpr int most_terms = 18;

/// 1 / n
constexpr std::array<double, most_terms + 1> inverse = [] {
  std::array<double, most_terms + 1> out{};
  for (int n = 1; n <= most_terms; ++n) out[static_cast<std::size_t>(n)] = 1.0 / n;
  return out;
}();

// In parts of 33 bits (fdlibm), so that whole multiples of all but the last are exact.
constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
constexpr double half_pi_1 = 1.57079632673412561417e+00, half_pi_2 = 6.07710050630396597660e-11,
                 half_pi_3 = 2.02226624879595063154e-21;

}  // namespace

/// 2^k e^r with |r| <= ln 2 / 2: 13 terms of the series leave less than 1e-17.
double exp_of(double x) {
  if (!(x >= -707)) return x == x ? 0 : x;
  const double k = std::nearbyint(x * std::numbers::log2e);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1;
  for (std::size_t n = 13; n > 0; --n) sum = 1 + r * inverse[n] * sum;
  return sum * std::bit_cast<double>((static_cast<std::int64_t>(k) + 1023) << 52);
}

/// x = 2^k m with m from 0.7 to 1.4, and ln m = 2 artanh f = 2 (f + f^3 / 3 + f^5 / 5 + …).
double log_of(double x) {
  if (!(x < std::numeric_limits<double>::infinity())) return x;
  const auto bits = std::bit_cast<std::int64_t>(x);
  constexpr auto root_half = std::bit_cast<std::int64_t>(std::numbers::sqrt2 / 2);
  const std::int64_t k = (bits - root_half) >> 52;
  const double m = std::bit_cast<double>(bits - (k << 52));
  const double f = (m - 1) / (m + 1);
  double sum = 0;
  for (int n = 21; n > 0; n -= 2) sum = sum * f * f + 1.0 / n;
  return static_cast<double>(k) * std::numbers::ln2 + 2 * f * sum;
}

/// Quarter turns, and a rest of at most an eighth: e^(ir) = 1 + ir (1 + ir / 2 (1 + ir / 3 (…))).
CosSin cos_sin_of(double angle) {
  const double quarters = std::nearbyint(angle * (2 / std::numbers::pi));
  const double r = ((angle - quarters * half_pi_1) - quarters * half_pi_2) - quarters * half_pi_3;
  double cos = 1, sin = 0;
  for (std::size_t n = most_terms; n > 0; --n) {
    const double t = r * inverse[n];
    const double next_sin = t * cos;
    cos = 1 - t * sin;
    sin = next_sin;
  }
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0: return {cos, sin};
    case 1: return {-sin, cos};
    case 2: return {-cos, -sin};
    default: return {sin, -cos};
  }
}

}  // namespace kvscope
