#include <doctest/doctest.h>

#include <cmath>

#include "kernels/matmul.hpp"
#include "matmul_inputs.hpp"
#include "matmul_runs.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr Precision both[] = {Precision::fast, Precision::high};
constexpr int rows = 16, cols = 512, tokens = 5;

/// Rows whose quants are all the same byte; K-quant scales are then that byte too.
std::vector<std::byte> equal_rows(gguf::TensorType type, int byte, float scale) {
  Random random(30);
  auto bytes = random_rows(type, rows, cols, random);
  const auto block = static_cast<std::size_t>(gguf::traits_of(type).block_bytes);
  const std::uint16_t half = float_to_half(scale);
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    std::fill_n(bytes.begin() + static_cast<long>(at), block, static_cast<std::byte>(byte));
    for (const int offset : half_offsets(type)) {
      std::memcpy(&bytes[at + static_cast<std::size_t>(offset)], &half, 2);
    }
  }
  return bytes;
}

void check_close(const std::vector<float>& y, const std::vector<float>& expected, double relative) {
  REQUIRE(y.size() == expected.size());
  double largest = 0;
  for (const float v : expected) largest = std::max(largest, std::fabs(double{v}));
  for (std::size_t i = 0; i < y.size(); ++i) {
    REQUIRE(std::fabs(double{y[i]} - double{expected[i]}) <= relative * largest);
  }
}

std::vector<gguf::TensorType> quantised_types() {
  std::vector<gguf::TensorType> types;
  for (const auto type : all_types) {
    if (gguf::traits_of(type).block_values > 1) types.push_back(type);
  }
  return types;
}

/// Activations that are exactly the largest integers, with four patterns of signs.
void check_at_limits(ThreadPool& pool, const PackedMatrix& w) {
  std::vector<float> row(cols);
  w.unpack_row(0, row.data());
  double summed = 0;  // alternating signs cancel: what is left is compared with this
  for (const float v : row) summed += std::fabs(double{v});
  for (const int pattern : {0, 1, 2, 3}) {
    CAPTURE(pattern);
    std::vector<float> x(static_cast<std::size_t>(tokens) * cols);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool negative = pattern == 1 || (pattern == 2 && i % 2) || (pattern == 3 && i & 2);
      x[i] = negative ? -1.f : 1.f;
    }
    const auto expected = multiply_scalar(w, x, tokens);
    for (const int n : {1, tokens}) {
      const auto y = multiply(pool, w, x, n);
      for (std::size_t i = 0; i < y.size(); ++i) {
        REQUIRE(std::fabs(double{y[i]} - double{expected[i]}) <= 1e-5 * summed + 1e-6);
      }
    }
  }
}

}  // namespace

TEST_CASE("no sum overflows, with every weight, scale and activation at its limit") {
  ThreadPool pool(1);
  // The mantissas that make the largest stored scales: of a half, and of a half times 63.
  for (const float scale : {0x1.ffcp-7f, -0x1.ffcp-7f, 0x1.04p-7f}) {
    for (const auto type : quantised_types()) {
      for (const Precision precision : both) {
        for (const int byte : {0x00, 0xff, 0x7f, 0x80, 0x0f, 0xf0}) {
          CAPTURE(scale);
          CAPTURE(gguf::traits_of(type).name);
          CAPTURE(byte);
          check_at_limits(pool, pack(type, rows, cols, precision, equal_rows(type, byte, scale)));
        }
      }
    }
  }
}

TEST_CASE("zero activations give zero, whatever the weights") {
  ThreadPool pool(1);
  Random random(31);
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      const PackedMatrix w =
          pack(type, rows, cols, precision, random_rows(type, rows, cols, random));
      const std::vector<float> x(static_cast<std::size_t>(tokens) * cols, 0.f);
      for (const int n : {1, tokens}) {
        for (const float y : multiply(pool, w, x, n)) REQUIRE(y == 0);
      }
    }
  }
}

TEST_CASE("weights and activations of any size keep their precision") {
  ThreadPool pool(1);
  Random random(32);
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      for (const float weight_exponent : {-24.f, -15.f, 4.f, 12.f}) {
        for (const float activation : {1e-18f, 1e-6f, 1.f, 1e6f}) {
          CAPTURE(gguf::traits_of(type).name);
          CAPTURE(weight_exponent);
          CAPTURE(activation);
          const PackedMatrix w =
              pack(type, rows, cols, precision,
                   random_rows(type, rows, cols, random, weight_exponent, weight_exponent + 1));
          auto x = random_activations(tokens, cols, random);
          for (float& v : x) v *= activation;
          check_close(multiply(pool, w, x, tokens), multiply_scalar(w, x, tokens), 0.04);
        }
      }
    }
  }
}
