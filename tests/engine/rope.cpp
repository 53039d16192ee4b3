#include <doctest/doctest.h>

#include <cmath>

#include "kernels/elementwise.hpp"
#include "kv_fixture.hpp"

namespace kvscope {
namespace {

TEST_CASE("rope_table holds cos and sin of position / base^(2i/n), divided by the factors") {
  float table[8];
  rope_table(7, 8, 10000.0f, {}, table);
  for (int i = 0; i < 4; ++i) {
    const double angle = 7 * std::pow(10000.0, -2.0 * i / 8);
    CHECK(table[2 * i] == doctest::Approx(std::cos(angle)).epsilon(1e-6));
    CHECK(table[2 * i + 1] == doctest::Approx(std::sin(angle)).epsilon(1e-6));
  }
  const float factors[] = {1, 2, 4, 8};
  rope_table(8000, 8, 500000.0f, factors, table);
  for (int i = 0; i < 4; ++i) {
    const double angle = 8000 * std::pow(500000.0, -2.0 * i / 8) / factors[i];
    CHECK(table[2 * i] == doctest::Approx(std::cos(angle)).epsilon(1e-6));
    CHECK(table[2 * i + 1] == doctest::Approx(std::sin(angle)).epsilon(1e-6));
  }
}

TEST_CASE("rope turns adjacent components, or component i with i + n/2") {
  float table[4];
  rope_table(1, 4, 100.0f, {}, table);  // angles 1 and 0.1
  float adjacent[] = {1, 0, 0, 1}, halves[] = {1, 0, 0, 1};
  rope(adjacent, 1, 4, 4, RopePairs::adjacent, table);
  CHECK(adjacent[0] == doctest::Approx(std::cos(1.0)));
  CHECK(adjacent[1] == doctest::Approx(std::sin(1.0)));
  CHECK(adjacent[2] == doctest::Approx(-std::sin(0.1)));
  CHECK(adjacent[3] == doctest::Approx(std::cos(0.1)));
  rope(halves, 1, 4, 4, RopePairs::halves, table);
  CHECK(halves[0] == doctest::Approx(std::cos(1.0)));
  CHECK(halves[2] == doctest::Approx(std::sin(1.0)));
  CHECK(halves[1] == doctest::Approx(-std::sin(0.1)));
  CHECK(halves[3] == doctest::Approx(std::cos(0.1)));
}

TEST_CASE("rope equals the oracle for odd head counts, every even size and partial rotation") {
  std::mt19937 random(1);
  for (const RopePairs pairs : {RopePairs::adjacent, RopePairs::halves}) {
    for (int n_rot = 2; n_rot <= 70; n_rot += 2) {
      for (const int head_dim : {n_rot, n_rot + 6}) {
        std::vector<float> table(n_rot);
        rope_table(n_rot * 3, n_rot, 10000.0f, {}, table.data());
        auto x = test::random_floats(3 * head_dim, random), expected = x;
        rope(x.data(), 3, head_dim, n_rot, pairs, table.data());
        scalar::rope(expected.data(), 3, head_dim, n_rot, pairs, table.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
          CAPTURE(i);
          CHECK(std::abs(x[i] - expected[i]) <= 1e-6f);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kvscope
