#include "tensor/packed_matrix.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "matmul_inputs.hpp"
#include "tensor/dequantise.hpp"

using namespace kvscope;
using namespace kvscope::test;

namespace {

constexpr Precision both[] = {Precision::fast, Precision::high};

bool is_quantised(gguf::TensorType type) { return gguf::traits_of(type).block_values > 1; }
bool is_k_quant(gguf::TensorType type) { return gguf::traits_of(type).block_values == 256; }

/// The largest |q| that a scale is multiplied by, zero point taken off.
double largest_q(gguf::TensorType type) {
  using enum gguf::TensorType;
  switch (type) {
    case Q4_0: return 8;
    case Q4_1:
    case Q4_K: return 15;
    case Q5_0: return 16;
    case Q5_1:
    case Q5_K: return 31;
    case Q6_K: return 32;
    case Q8_0: return 128;
    default: return 0;
  }
}

/// The largest magnitude of a row's halves at an offset, times what a K-quant may multiply it by.
double largest_half(gguf::TensorType type, const std::byte* row, int cols, int offset) {
  const gguf::TypeTraits traits = gguf::traits_of(type);
  double largest = 0;
  for (int b = 0; b < cols / traits.block_values; ++b) {
    std::uint16_t half;
    std::memcpy(&half, row + b * traits.block_bytes + offset, 2);
    largest = std::max(largest, std::fabs(double{half_to_float(half)}));
  }
  return largest * (type == gguf::TensorType::Q6_K ? 128 : is_k_quant(type) ? 63 : 1);
}

/// What packing may change in a value of a row: a scale and a minimum are each off by half a unit.
/// The unit is less than 2^-14 of the row's largest scale, 2^-13 where scales have 14 bits, or of a
/// 16th of its largest minimum.
double allowed_difference(gguf::TensorType type, const std::byte* row, int cols) {
  const auto offsets = half_offsets(type);
  if (!is_quantised(type)) return 0;
  const double scale_bits =
      type == gguf::TensorType::Q5_1 || type == gguf::TensorType::Q5_K ? 14 : 15;
  double unit = largest_half(type, row, cols, offsets[0]) / std::exp2(scale_bits);
  if (offsets.size() == 2) {
    unit = std::max(unit, largest_half(type, row, cols, offsets[1]) * 0x1p-15 / 16);
  }
  unit *= 2 * (1 + 0x1p-12);
  return unit / 2 * (largest_q(type) + (offsets.size() == 2 ? 16 : 0));
}

struct Shape {
  int rows;
  int cols;
};

/// Checks a row against dequantise(): the same bits, or within allowed_difference().
void check_row(const PackedMatrix& w, int r, const std::vector<std::byte>& bytes, bool exact) {
  CAPTURE(gguf::traits_of(w.source_type()).name);
  CAPTURE(r);
  const auto n = static_cast<std::size_t>(w.cols());
  std::vector<float> expected(n), unpacked(n);
  const std::byte* row =
      bytes.data() + static_cast<std::size_t>(r) * gguf::row_bytes(w.source_type(), n);
  dequantise(w.source_type(), row, n, expected.data());
  w.unpack_row(r, unpacked.data());
  const double allowed = exact ? 0 : allowed_difference(w.source_type(), row, w.cols());
  double worst = 0;
  for (std::size_t c = 0; c < n; ++c) {
    // Both round their last addition to a float.
    const double rounding = exact ? 0 : std::fabs(expected[c]) * 0x1p-23;
    worst = std::max(worst, std::fabs(double{unpacked[c]} - double{expected[c]}) - rounding);
  }
  REQUIRE(worst <= allowed);
}

void check_unpacked(gguf::TensorType type, Shape shape, Precision precision,
                    const std::vector<std::byte>& bytes, bool exact) {
  const PackedMatrix w = pack(type, shape.rows, shape.cols, precision, bytes);
  for (int r = 0; r < shape.rows; ++r) check_row(w, r, bytes, exact);
}

/// Overwrites the minima with magnitudes in 2^min_exponent .. 2^max_exponent.
void set_minima(gguf::TensorType type, std::vector<std::byte>& bytes, Random& random,
                float min_exponent, float max_exponent) {
  if (half_offsets(type).size() < 2) return;
  std::uniform_real_distribution<float> exponent(min_exponent, max_exponent);
  const auto block = static_cast<std::size_t>(gguf::traits_of(type).block_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    const std::uint16_t half =
        float_to_half(std::exp2(exponent(random)) * (random() % 2 ? 1.f : -1.f));
    std::memcpy(&bytes[at + 2], &half, 2);
  }
}

}  // namespace

TEST_CASE("packed rows unpack to dequantise()'s values, scales and minima rounded to 16 bits") {
  Random random(1);
  for (const auto type : all_types) {
    for (const Precision precision : both) {
      for (const int rows : {1, 15, 16, 17, 33}) {
        for (const int blocks : {1, 3}) {
          CAPTURE(rows);
          const Shape shape{rows, gguf::traits_of(type).block_values * blocks};
          const auto bytes = random_rows(type, shape.rows, shape.cols, random);
          check_unpacked(type, shape, precision, bytes, false);
        }
      }
    }
  }
}

TEST_CASE("scales within 8 times of their row's largest unpack exactly, and so do their minima") {
  Random random(2);
  for (const auto type : all_types) {
    if (is_k_quant(type)) continue;  // products with more bits than a half
    for (const Precision precision : both) {
      const Shape shape{33, 256};
      auto bytes = random_rows(type, shape.rows, shape.cols, random, -12, -9.01f);
      set_minima(type, bytes, random, -8, -5.1f);
      check_unpacked(type, shape, precision, bytes, true);
    }
  }
}

TEST_CASE("scales of 15 bits unpack exactly within 16 times of their row's largest") {
  Random random(3);
  for (const auto type : {gguf::TensorType::Q4_0, gguf::TensorType::Q5_0, gguf::TensorType::Q8_0}) {
    for (const Precision precision : both) {
      const Shape shape{33, 256};
      const auto bytes = random_rows(type, shape.rows, shape.cols, random, -12, -8);
      check_unpacked(type, shape, precision, bytes, true);
    }
  }
}

TEST_CASE("rows with scales of any size share a tile") {
  Random random(4);
  for (const auto type : all_types) {
    const Shape shape{16, 256};
    std::vector<std::byte> bytes;
    for (const float exponent : {-24.f, -20.f, -15.f, 5.f, 6.f, 9.f, 13.f, -24.f}) {
      for (const float width : {0.9f, 2.9f}) {
        const auto row = random_rows(type, 1, shape.cols, random, exponent, exponent + width);
        bytes.insert(bytes.end(), row.begin(), row.end());
      }
    }
    for (const Precision precision : both) {
      check_unpacked(type, shape, precision, bytes,
                     half_offsets(type).size() < 2 && !is_k_quant(type));
    }
  }
}

TEST_CASE("a tile with f16 weights too large to be lifted keeps its small ones") {
  Random random(5);
  const Shape shape{32, 64};
  const auto bytes = random_rows(gguf::TensorType::F16, shape.rows, shape.cols, random, -24, 15.9f);
  check_unpacked(gguf::TensorType::F16, shape, Precision::high, bytes, true);
}

TEST_CASE("rows of zeros, and rows beside an infinite scale, keep their values") {
  Random random(6);
  for (const auto type : all_types) {
    if (!is_quantised(type)) continue;
    CAPTURE(gguf::traits_of(type).name);
    const Shape shape{16, 256};
    const std::size_t row_bytes = gguf::row_bytes(type, 256);
    auto bytes = random_rows(type, shape.rows, shape.cols, random);
    std::fill_n(bytes.begin(), row_bytes, std::byte{});
    for (const std::uint16_t half : {0x7c00, 0xfc00, 0x7e00}) {
      for (const int offset : half_offsets(type)) {
        std::memcpy(&bytes[row_bytes + static_cast<std::size_t>(offset)], &half, 2);
      }
      for (const Precision precision : both) {
        const PackedMatrix w = pack(type, shape.rows, shape.cols, precision, bytes);
        for (const int r : {0, 2}) check_row(w, r, bytes, false);
      }
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
  CHECK(bytes(gguf::TensorType::Q4_0) == 2 * (32 + 2 * 288));
  CHECK(bytes(gguf::TensorType::Q4_1) == 2 * (32 + 2 * 320));
  CHECK(bytes(gguf::TensorType::Q8_0) == 2 * (32 + 2 * 544));
  CHECK(bytes(gguf::TensorType::F16) == 2 * (32 + 64 * 32));
}
