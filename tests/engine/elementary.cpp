#include "base/elementary.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace kvscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

double relative_error(double x, double expected) {
  return std::abs(x - expected) / std::abs(expected);
}

TEST_CASE("exp_of and log_of are the library's to a few units of the last place") {
  for (double x = -707; x < 709; x += 0.0937) {
    CAPTURE(x);
    CHECK(relative_error(exp_of(x), std::exp(x)) < 6e-16);
  }
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    CAPTURE(x);
    CHECK(std::abs(log_of(x) - std::log(x)) <= 6e-16 * std::max(1.0, std::abs(std::log(x))));
  }
  for (double x = 0.5; x < 2; x += 0.00071) {
    CAPTURE(x);
    CHECK(relative_error(log_of(x), std::log(x)) < 2e-15);
  }
  CHECK(exp_of(0) == 1);
  CHECK(log_of(1) == 0);
}

TEST_CASE("exp_of and log_of keep what is no number") {
  CHECK(exp_of(-infinity) == 0);
  CHECK(std::isnan(exp_of(nan)));
  CHECK(std::isnan(log_of(nan)));
  CHECK(log_of(infinity) == infinity);
}

TEST_CASE("cos_sin_of is right to 1e-15 at every position of a long context") {
  for (double angle = -10; angle < 1e6; angle += angle < 100 ? 0.0171 : 617.31) {
    CAPTURE(angle);
    const CosSin seen = cos_sin_of(angle);
    CHECK(std::abs(seen.cos - std::cos(angle)) < 1e-15);
    CHECK(std::abs(seen.sin - std::sin(angle)) < 1e-15);
  }
}

}  // namespace
}  // namespace kvscope
