#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/packed_layout.hpp"

namespace kvscope {

/// One tile to be written or read, without its RowFactors.
struct TileJob {
  gguf::TensorType type;
  PackedFormat format;
  DotFamily family;
  int rows;  // of the tile, 16 but in a matrix's last
  int cols;
};

/// Writes the tile and its factors.
void pack_float_tile(const TileJob& job, const std::uint8_t* rows, std::size_t row_bytes,
                     RowFactors& factors, std::uint8_t* tile);
void pack_quant_tile(const TileJob& job, const std::uint8_t* rows, std::size_t row_bytes,
                     RowFactors& factors, std::uint8_t* tile);

/// Reads back row r of the tile.
void unpack_float_row(const TileJob& job, const RowFactors& factors, const std::uint8_t* tile,
                      int r, float* out);
void unpack_quant_row(const TileJob& job, const RowFactors& factors, const std::uint8_t* tile,
                      int r, float* out);

}  // namespace kvscope
