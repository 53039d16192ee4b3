#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "gguf/tensor_type.hpp"
#include "tensor/half.hpp"
#include "tensor/packed_matrix.hpp"

// Random weights as they lie in a GGUF file, and activations like a model's.

namespace kvscope::test {

inline constexpr gguf::TensorType all_types[] = {
    gguf::TensorType::F32,  gguf::TensorType::F16,  gguf::TensorType::BF16, gguf::TensorType::Q4_0,
    gguf::TensorType::Q4_1, gguf::TensorType::Q5_0, gguf::TensorType::Q5_1, gguf::TensorType::Q8_0,
    gguf::TensorType::Q4_K, gguf::TensorType::Q5_K, gguf::TensorType::Q6_K};

/// Byte offsets of the halves (scales, minima) in a block.
inline std::vector<int> half_offsets(gguf::TensorType type) {
  using enum gguf::TensorType;
  switch (type) {
    case Q4_0:
    case Q5_0:
    case Q8_0: return {0};
    case Q4_1:
    case Q5_1:
    case Q4_K:
    case Q5_K: return {0, 2};
    case Q6_K: return {208};
    default: return {};
  }
}

using Random = std::mt19937;

inline float normal(Random& random) { return std::normal_distribution<float>()(random); }

/// `rows` rows of random quants; scales have magnitudes in 2^min_exponent .. 2^max_exponent.
inline std::vector<std::byte> random_rows(gguf::TensorType type, int rows, int cols, Random& random,
                                          float min_exponent = -12, float max_exponent = -4) {
  const gguf::TypeTraits traits = gguf::traits_of(type);
  std::vector<std::byte> bytes(gguf::row_bytes(type, static_cast<std::size_t>(cols)) *
                               static_cast<std::size_t>(rows));
  std::uniform_real_distribution<float> exponent(min_exponent, max_exponent);
  const auto magnitude = [&] { return std::exp2(exponent(random)) * (random() % 2 ? 1.f : -1.f); };
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(traits.block_bytes)) {
    const auto put_half = [&](std::size_t offset, float value) {
      const std::uint16_t half = float_to_half(value);
      std::memcpy(&bytes[at + offset], &half, 2);
    };
    switch (type) {
      case gguf::TensorType::F32: {
        const float value = magnitude();
        std::memcpy(&bytes[at], &value, 4);
        break;
      }
      case gguf::TensorType::BF16: {
        const auto bits =
            static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(magnitude()) >> 16);
        std::memcpy(&bytes[at], &bits, 2);
        break;
      }
      case gguf::TensorType::F16: put_half(0, magnitude()); break;
      default:
        for (const int offset : half_offsets(type))
          put_half(static_cast<std::size_t>(offset), magnitude());
    }
  }
  return bytes;
}

inline PackedMatrix pack(gguf::TensorType type, int rows, int cols, Precision precision,
                         const std::vector<std::byte>& bytes) {
  auto matrix = PackedMatrix::create(type, rows, cols, precision);
  const std::size_t row_bytes = gguf::row_bytes(type, static_cast<std::size_t>(cols));
  for (int t = 0; t < matrix->tiles(); ++t) {
    matrix->pack_tile(t, bytes.data() + static_cast<std::size_t>(t) * 16 * row_bytes);
  }
  return std::move(matrix).value();
}

/// Gaussian, with outliers eight times as large every 37 values, as activations of LLMs have them.
inline std::vector<float> random_activations(int tokens, int cols, Random& random) {
  std::vector<float> x(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = normal(random) * (i % 37 == 0 ? 8.f : 1.f);
  return x;
}

}  // namespace kvscope::test
