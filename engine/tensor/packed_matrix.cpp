#include "tensor/packed_matrix.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "tensor/pack_tile.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

namespace {

PackedFormat format_of(gguf::TensorType type) {
  using enum gguf::TensorType;
  switch (type) {
    case F32: return PackedFormat::f32;
    case F16: return PackedFormat::f16;
    case BF16: return PackedFormat::bf16;
    case Q4_0: return PackedFormat::q4;
    case Q4_1: return PackedFormat::q4m;
    case Q5_0: return PackedFormat::q5;
    case Q5_1: return PackedFormat::q5m;
    case Q8_0: return PackedFormat::q8;
    case Q4_K: return PackedFormat::q4m;
    case Q5_K: return PackedFormat::q5m;
    case Q6_K: return PackedFormat::q6;
  }
  return PackedFormat::f32;
}

DotFamily family_of(PackedFormat format, Precision precision) {
  if (is_float(format)) return DotFamily::f32;
  const bool fast = has_dot8 && precision == Precision::fast && format != PackedFormat::q8;
  return fast ? DotFamily::dot8 : DotFamily::dot16;
}

std::uint64_t tile_bytes_of(PackedFormat format, int cols) {
  const auto n = static_cast<std::uint64_t>(cols);
  if (format == PackedFormat::f32) return n * 64 + sizeof(RowFactors);
  if (is_float(format)) return n * 32 + sizeof(RowFactors);
  const auto block_bytes = static_cast<unsigned>(quant_shape(format).block_bytes());
  return n / block_cols * block_bytes + sizeof(RowFactors);
}

}  // namespace

Result<PackedMatrix> PackedMatrix::create(gguf::TensorType type, int rows, int cols,
                                          Precision precision) {
  const int block = gguf::traits_of(type).block_values;
  if (rows < 1 || cols < 1 || cols % block != 0) {
    return Error{ErrorCode::bad_shape,
                 concat("a matrix of ", rows, " rows and ", cols, " columns cannot be stored as ",
                        gguf::traits_of(type).name, ": rows must be blocks of ", block,
                        " values. Convert the model again.")};
  }
  PackedMatrix m;
  m.source_type_ = type;
  m.format_ = format_of(type);
  m.precision_ = precision;
  m.family_ = family_of(m.format_, precision);
  m.rows_ = rows;
  m.cols_ = cols;
  const std::uint64_t tile_bytes = tile_bytes_of(m.format_, cols);
  const std::uint64_t bytes = tile_bytes * static_cast<std::uint64_t>(m.tiles());
  m.tile_bytes_ = static_cast<std::size_t>(tile_bytes);
  if (bytes < std::numeric_limits<std::size_t>::max() / 2) {
    m.data_ = AlignedBuffer<std::byte>(static_cast<std::size_t>(bytes));
  }
  if (!m.data_.valid()) {
    return Error{ErrorCode::out_of_memory,
                 concat("no memory for ", bytes, " bytes of a matrix of ", rows, " x ", cols,
                        ". Close other pages, or take a smaller model.")};
  }
  return m;
}

void PackedMatrix::pack_tile(int tile, const std::byte* rows) {
  auto* out =
      reinterpret_cast<std::uint8_t*>(data_.data()) + static_cast<std::size_t>(tile) * tile_bytes_;
  const auto* in = reinterpret_cast<const std::uint8_t*>(rows);
  const std::size_t row_bytes = gguf::row_bytes(source_type_, static_cast<std::size_t>(cols_));
  const TileJob job{source_type_, format_, family_, std::min(tile_rows, rows_ - tile * tile_rows),
                    cols_};
  if (job.rows < tile_rows) std::memset(out, 0, tile_bytes_);
  const auto pack = is_float(format_) ? pack_float_tile : pack_quant_tile;
  RowFactors factors{};
  pack(job, in, row_bytes, factors, out);
  std::memcpy(out + tile_bytes_ - sizeof factors, &factors, sizeof factors);
}

void PackedMatrix::unpack_row(int row, float* out) const {
  const auto* in = reinterpret_cast<const std::uint8_t*>(tile(row / tile_rows));
  RowFactors factors;
  std::memcpy(&factors, in + tile_bytes_ - sizeof factors, sizeof factors);
  const TileJob job{source_type_, format_, family_, tile_rows, cols_};
  const auto unpack = is_float(format_) ? unpack_float_row : unpack_quant_row;
  unpack(job, factors, in, row % tile_rows, out);
}

}  // namespace kvscope
