#include "kernels/quantise_activations.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "matmul_inputs.hpp"
#include "tensor/packed_layout.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr int cols = 96, n_blocks = 3;

template <class Block>
struct Group {
  Block blocks[n_blocks];
  std::byte* memory() { return reinterpret_cast<std::byte*>(this); }
};

float largest_of(const float* x) {
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(x[i]));
  return largest;
}

}  // namespace

TEST_CASE("8-bit activations are the nearest integers to x * 127 / the largest of 32") {
  Random random(40);
  const auto x = random_activations(1, cols, random);
  Group<ActivationBlock8<1>> group;
  quantise_dot8<1>(x.data(), 0, 1, n_blocks, group.memory());
  for (int b = 0; b < n_blocks; ++b) {
    const float largest = largest_of(x.data() + 32 * b);
    const auto& block = group.blocks[b];
    CHECK(block.d[0] == doctest::Approx(largest / 127));
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      const int q = block.q[i / 4][0][i % 4];
      REQUIRE(std::fabs(double{x[static_cast<std::size_t>(32 * b + i)]} * 127 / largest - q) <=
              0.5001);
      sum += q;
    }
    CHECK(block.d_sum[0] == block.d[0] * static_cast<float>(min_unit * sum));
  }
}

TEST_CASE("a zero point is taken off by sums over the columns that share an accumulator") {
  Random random(41);
  const auto x = random_activations(1, cols, random);
  Group<ActivationBlock8<1>> group;
  quantise_dot8<1>(x.data(), 0, 1, n_blocks, group.memory());
  for (const auto& block : group.blocks) {
    int sum[2][2] = {};  // [column / 16][column % 4 / 2]
    for (int i = 0; i < 32; ++i) sum[i / 16][i % 4 / 2] += block.q[i / 4][0][i % 4];
    for (int i = 0; i < 2; ++i) {
      CHECK(block.start_q4[0][i] == -8 * (sum[0][i] + sum[1][i]));
      CHECK(block.start_q6[0][0][i] == -32 * sum[0][i]);
      CHECK(block.start_q6[1][0][i] == -32 * sum[1][i]);
    }
  }
}

TEST_CASE("16-bit activations are the nearest integers to x * 32767 / the largest of 32") {
  Random random(42);
  const auto x = random_activations(1, cols, random);
  Group<ActivationBlock16<1>> group;
  quantise_dot16<1>(x.data(), 0, 1, n_blocks, group.memory());
  for (int b = 0; b < n_blocks; ++b) {
    const float largest = largest_of(x.data() + 32 * b);
    const auto& block = group.blocks[b];
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      const int q = block.q[i / 2][0][i % 2];
      // x * 32767 / largest is itself rounded to 24 bits
      REQUIRE(std::fabs(double{x[static_cast<std::size_t>(32 * b + i)]} * 32767 / largest - q) <=
              0.51);
      sum += q;
    }
    CHECK(block.start_q4[0] == -8 * sum);
    CHECK(block.d_sum[0] == block.d[0] * static_cast<float>(min_unit * sum));
  }
}

TEST_CASE("a token in a group has the integers and scales that it has alone") {
  Random random(43);
  const auto x = random_activations(3, cols, random);
  Group<ActivationBlock8<group_tokens>> group;
  quantise_dot8<group_tokens>(x.data(), cols, 3, n_blocks, group.memory());
  for (int t = 0; t < 3; ++t) {
    Group<ActivationBlock8<1>> alone;
    quantise_dot8<1>(x.data() + t * cols, 0, 1, n_blocks, alone.memory());
    for (int b = 0; b < n_blocks; ++b) {
      for (int i = 0; i < 32; ++i) {
        REQUIRE(group.blocks[b].q[i / 4][t][i % 4] == alone.blocks[b].q[i / 4][0][i % 4]);
      }
      CHECK(group.blocks[b].d[t] == alone.blocks[b].d[0]);
      CHECK(group.blocks[b].d_sum[t] == alone.blocks[b].d_sum[0]);
    }
  }
}

TEST_CASE("missing tokens of a group are zeros, and so are activations too small to matter") {
  std::vector<float> x(cols, 1e-38f);
  Group<ActivationBlock16<group_tokens>> group;
  std::memset(static_cast<void*>(&group), 0x55, sizeof group);
  quantise_dot16<group_tokens>(x.data(), cols, 1, n_blocks, group.memory());
  for (int b = 0; b < n_blocks; ++b) {
    for (int t = 0; t < group_tokens; ++t) {
      CHECK(group.blocks[b].d[t] == 0);
      CHECK(group.blocks[b].d_sum[t] == 0);
    }
    for (int t = 1; t < group_tokens; ++t) {
      for (int p = 0; p < 16; ++p) REQUIRE(group.blocks[b].q[p][t][0] == 0);
    }
  }
}
