#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned_buffer.hpp"
#include "base/result.hpp"
#include "gguf/tensor_type.hpp"

namespace kvscope {

/// How activations meet quantised weights. `fast`: 8-bit activations and relaxed SIMD dots, where
/// the build has them. `high`: 13-bit activations and exact 16-bit dots, results as with f32
/// activations. A build without relaxed SIMD always computes `high`.
enum class Precision { fast, high };

/// The kernels' own weight layouts; packed_layout.hpp describes each byte. A matrix is cut into
/// tiles of 16 rows, so that one load of an activation serves 16 rows in GEMV and a tile unpacks to
/// a panel for GEMM.
enum class PackedFormat : std::uint8_t {
  f32,   // F32
  f16,   // F16
  bf16,  // BF16
  q4,    // Q4_0: 4 bits, scale per 32
  q4m,   // Q4_1, Q4_K: 4 bits, scale and minimum per 32
  q5,    // Q5_0: 5 bits in a byte, scale per 32
  q5m,   // Q5_1, Q5_K: 5 bits in a byte, scale and minimum per 32
  q6,    // Q6_K: 6 bits in a byte, scale per 16
  q8,    // Q8_0: 8 bits, scale per 32
};

enum class DotFamily : std::uint8_t;  // packed_layout.hpp

/// A weight matrix W of shape (rows, cols) in kernel layout; y = W x.
class PackedMatrix {
 public:
  static constexpr int tile_rows = 16;

  PackedMatrix() = default;

  /// Takes the memory, to be filled tile by tile.
  /// Errors: bad_shape when cols is no multiple of the type's block, out_of_memory.
  static Result<PackedMatrix> create(gguf::TensorType type, int rows, int cols,
                                     Precision precision);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int tiles() const { return (rows_ + tile_rows - 1) / tile_rows; }
  gguf::TensorType source_type() const { return source_type_; }
  PackedFormat format() const { return format_; }
  Precision precision() const { return precision_; }
  DotFamily family() const { return family_; }
  std::size_t bytes() const { return data_.bytes(); }
  std::size_t tile_bytes() const { return tile_bytes_; }

  /// Packs rows [tile * 16, tile * 16 + 16), fewer in the last tile, from their GGUF bytes: row
  /// after row, each gguf::row_bytes(type, cols) long. Missing rows of the last tile become zeros.
  void pack_tile(int tile, const std::byte* rows);

  /// Writes the cols() values of one row as the kernels see them: those of dequantise() with scales
  /// and minima rounded to 16-bit integers (packed_layout.hpp), a scale by no more than 2^-15 of
  /// the row's largest (Q5_1, Q5_K: 2^-14), those within 16 times (8 times) of it not at all, but
  /// in K-quants, whose scales are products of two numbers and have more bits.
  void unpack_row(int row, float* out) const;

  const std::byte* tile(int i) const {
    return data_.data() + static_cast<std::size_t>(i) * tile_bytes_;
  }

 private:
  gguf::TensorType source_type_ = gguf::TensorType::F32;
  PackedFormat format_ = PackedFormat::f32;
  Precision precision_ = Precision::high;
  DotFamily family_ = DotFamily{};
  int rows_ = 0;
  int cols_ = 0;
  std::size_t tile_bytes_ = 0;
  AlignedBuffer<std::byte> data_;
};

}  // namespace kvscope
