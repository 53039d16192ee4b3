#include "tensor/packed_matrix.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "matmul_inputs.hpp"
#include "tensor/dequantise.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr Precision both[] = {Precision::fast, Precision::high};

/// scale * q and the minimum of a K-quant are each rounded by at most 2^-12. Where the row has both
/// q = 0 and the largest q, neither exceeds twice the row's largest value.
double allowed_difference(gguf::TensorType type) {
  return gguf::traits_of(type).block_values == 256 ? 0x1p-10 : 0;
}

float largest_of(const std::vector<float>& values) {
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::fabs(v));
  return largest;
}

struct Shape {
  int rows;
  int cols;
};

/// The largest difference between unpacked and dequantised values, as a share of the row's largest.
double worst_difference(gguf::TensorType type, Shape shape, Precision precision,
                        const std::vector<std::byte>& bytes) {
  const PackedMatrix w = pack(type, shape.rows, shape.cols, precision, bytes);
  const auto n = static_cast<std::size_t>(shape.cols);
  std::vector<float> expected(n), unpacked(n);
  double worst = 0;
  for (int r = 0; r < shape.rows; ++r) {
    dequantise(type, bytes.data() + static_cast<std::size_t>(r) * gguf::row_bytes(type, n), n,
               expected.data());
    w.unpack_row(r, unpacked.data());
    const double largest = largest_of(expected);
    for (std::size_t c = 0; c < n; ++c) {
      const double difference = std::fabs(double{unpacked[c]} - double{expected[c]});
      if (difference > 0) worst = std::max(worst, difference / largest);
    }
  }
  return worst;
}

}  // namespace

TEST_CASE(
    "packed rows unpack to the values of dequantise(), K-quants to within 2^-10 of a row's "
    "largest") {
  Random random(1);
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      for (const int rows : {1, 15, 16, 17, 33}) {
        for (const int blocks : {1, 3}) {
          CAPTURE(gguf::traits_of(type).name);
          CAPTURE(rows);
          const Shape shape{rows, gguf::traits_of(type).block_values * blocks};
          const auto bytes = random_rows(type, shape.rows, shape.cols, random);
          CHECK(worst_difference(type, shape, precision, bytes) <= allowed_difference(type));
        }
      }
    }
  }
}

TEST_CASE("scales from the smallest subnormal half to the largest half survive packing") {
  Random random(2);
  for (const auto type : all_types) {
    CAPTURE(gguf::traits_of(type).name);
    const Shape shape{16, gguf::traits_of(type).block_values};
    for (const float exponent : {-24.f, -20.f, -15.f, 5.f, 6.f, 9.f}) {
      CAPTURE(exponent);
      const auto bytes =
          random_rows(type, shape.rows, shape.cols, random, exponent, exponent + 0.9f);
      for (const Precision precision : both) {
        CHECK(worst_difference(type, shape, precision, bytes) <= allowed_difference(type));
      }
    }
  }
}

TEST_CASE("a tile with scales too large for the usual shift keeps its small ones") {
  Random random(3);
  for (const auto type : {gguf::TensorType::Q4_0, gguf::TensorType::Q4_1, gguf::TensorType::Q8_0,
                          gguf::TensorType::F16}) {
    const Shape shape{32, 64};
    const auto bytes = random_rows(type, shape.rows, shape.cols, random, -24, 15.9f);
    for (const Precision precision : both) {
      CHECK(worst_difference(type, shape, precision, bytes) == 0);
    }
  }
}

TEST_CASE("a matrix whose rows are no whole blocks is refused") {
  const auto matrix = PackedMatrix::create(gguf::TensorType::Q4_K, 16, 576, Precision::fast);
  REQUIRE(!matrix.ok());
  CHECK(matrix.error().code == ErrorCode::bad_shape);
}

TEST_CASE("a packed matrix takes the bytes that its layout says") {
  const auto bytes = [](gguf::TensorType type) {
    return PackedMatrix::create(type, 17, 64, Precision::fast)->bytes();
  };
  CHECK(bytes(gguf::TensorType::Q4_0) == 2 * (16 + 2 * 288));
  CHECK(bytes(gguf::TensorType::Q4_1) == 2 * (16 + 2 * 320));
  CHECK(bytes(gguf::TensorType::Q8_0) == 2 * (16 + 2 * 544));
  CHECK(bytes(gguf::TensorType::F16) == 2 * (16 + 64 * 32));
}
