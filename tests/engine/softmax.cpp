#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "kernels/elementwise.hpp"
#include "kv_fixture.hpp"

namespace kvscope {
namespace {

TEST_CASE("softmax equals the oracle for every length and sums to 1") {
  std::mt19937 random(1);
  for (int n = 1; n <= 67; ++n) {
    for (const float deviation : {0.01f, 1.0f, 50.0f}) {
      auto x = test::random_floats(n, random, deviation), expected = x;
      scalar::softmax(expected.data(), n);
      softmax(x.data(), n);
      double sum = 0;
      for (int i = 0; i < n; ++i) {
        CHECK(std::abs(x[i] - expected[i]) <= 1e-6f);
        sum += x[i];
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("max_of and sum_exp are softmax's maximum and denominator for every length") {
  std::mt19937 random(2);
  for (int n = 1; n <= 67; ++n) {
    auto x = test::random_floats(n, random, 3);
    for (const int largest : {0, n / 2, n - 1}) {
      auto y = x;
      y[largest] = 20.5f;
      CHECK(max_of(y.data(), n) == 20.5f);
    }
    double sum = 0;
    for (const float value : x) sum += std::exp(value - 15.0);
    CHECK(sum_exp(x.data(), n, 15) == doctest::Approx(sum).epsilon(1e-6));
  }
}

TEST_CASE("softmax of log 1, log 2, log 5 is 1/8, 2/8, 5/8, however large the offset") {
  for (const float offset : {0.0f, 1000.0f, -1000.0f}) {
    float x[] = {offset, offset + std::log(2.0f), offset + std::log(5.0f)};
    softmax(x, 3);
    CHECK(x[0] == doctest::Approx(0.125).epsilon(1e-4));
    CHECK(x[1] == doctest::Approx(0.25).epsilon(1e-4));
    CHECK(x[2] == doctest::Approx(0.625).epsilon(1e-4));
  }
}

TEST_CASE("softmax gives masked scores no weight") {
  std::vector<float> x(13, -std::numeric_limits<float>::infinity());
  x[4] = -3;
  softmax(x.data(), 13);
  for (int i = 0; i < 13; ++i) CHECK(x[i] == (i == 4 ? 1.0f : 0.0f));
}

}  // namespace
}  // namespace kvscope
