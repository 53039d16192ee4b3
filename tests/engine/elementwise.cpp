#include "kernels/elementwise.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "kernels/exp.hpp"
#include "kv_fixture.hpp"

namespace kvscope {
namespace {

using test::random_floats;

constexpr float infinity = std::numeric_limits<float>::infinity();

void check_close(const std::vector<float>& actual, const std::vector<float>& expected,
                 float error) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(actual[i] - expected[i]) <= error * std::max(1.0f, std::abs(expected[i])));
  }
}

float exp_of(float x) { return exp_batch(FloatBatch(x)).get(0); }

TEST_CASE("exp is within its documented error on [-87, 88] and 0 below") {
  double worst = 0;
  for (double x = 88; x >= -87; x -= 0.000371) {
    const float f = static_cast<float>(x);
    const double error = std::abs(exp_of(f) / std::exp(static_cast<double>(f)) - 1);
    worst = std::max(worst, error - 1e-7 * std::abs(x));
  }
  CHECK(worst < 2.5e-7);
  CHECK(exp_of(0) == 1);
  CHECK(exp_of(-87.5f) == 0);
  CHECK(exp_of(-1e30f) == 0);
  CHECK(exp_of(-infinity) == 0);
}

TEST_CASE("rms_norm equals the oracle for every length, also in place") {
  std::mt19937 random(1);
  for (int n = 1; n <= 67; ++n) {
    auto x = random_floats(n, random, 3);
    const auto weight = random_floats(n, random);
    std::vector<float> expected(n), out(n);
    scalar::rms_norm(x.data(), weight.data(), n, 1e-5f, expected.data());
    rms_norm(x.data(), weight.data(), n, 1e-5f, out.data());
    check_close(out, expected, 1e-6f);
    rms_norm(x.data(), weight.data(), n, 1e-5f, x.data());
    check_close(x, expected, 1e-6f);
  }
}

TEST_CASE("rms_norm of [3, 4] without weights divides by sqrt(12.5)") {
  const float x[] = {3, 4}, ones[] = {1, 1};
  float out[2];
  rms_norm(x, ones, 2, 0, out);
  CHECK(out[0] == doctest::Approx(3 / std::sqrt(12.5)));
  CHECK(out[1] == doctest::Approx(4 / std::sqrt(12.5)));
}

TEST_CASE("swiglu equals the oracle for every length, far out too, also in place") {
  std::mt19937 random(2);
  for (int n = 1; n <= 67; ++n) {
    auto gate = random_floats(n, random, 20);
    const auto up = random_floats(n, random);
    gate[0] = n % 2 ? 200.0f : -200.0f;
    std::vector<float> expected(n), out(n);
    scalar::swiglu(gate.data(), up.data(), n, expected.data());
    swiglu(gate.data(), up.data(), n, out.data());
    check_close(out, expected, 1e-6f);
    swiglu(gate.data(), up.data(), n, gate.data());
    check_close(gate, expected, 1e-6f);
  }
}

TEST_CASE("swiglu of any gate is finite, and what is left far out on the left is nothing") {
  for (float gate = -1000; gate <= 1000; gate += 0.25f) {
    const float up = 1;
    float out = 0, expected = 0;
    swiglu(&gate, &up, 1, &out);
    scalar::swiglu(&gate, &up, 1, &expected);
    CAPTURE(gate);
    CHECK(std::abs(out - expected) <= 1e-5f * std::abs(expected) + 1e-30f);
  }
}

TEST_CASE("add adds for every length and nothing beyond") {
  std::mt19937 random(3);
  for (int n = 1; n <= 67; ++n) {
    auto x = random_floats(n + 1, random);
    const auto y = random_floats(n + 1, random), before = x;
    add(x.data(), y.data(), n);
    for (int i = 0; i < n; ++i) CHECK(x[i] == before[i] + y[i]);
    CHECK(x[n] == before[n]);
  }
}

TEST_CASE("argmax finds the largest wherever it is, the first among equals") {
  std::mt19937 random(4);
  for (int n = 1; n <= 67; ++n) {
    auto x = random_floats(n, random);
    for (int i = n - 1; i >= 0; --i) {
      x[i] = 100;
      CHECK(argmax(x.data(), n) == i);
    }
  }
  CHECK(argmax(std::vector<float>(40, -infinity).data(), 40) == 0);
  std::vector<float> with_nan(40, std::nanf(""));
  CHECK(argmax(with_nan.data(), 40) == 0);
  with_nan[23] = -5;
  CHECK(argmax(with_nan.data(), 40) == 23);
}

}  // namespace
}  // namespace kvscope
