#pragma once

#include <cstdint>

#include "gguf/tensor_type.hpp"

namespace kvscope {

/// 32 consecutive columns of one row, whatever their GGUF type: value_i = (q_i - zero point) *
/// scale[i / 16] + min, with the zero point of quant_shape(). Halves are shifted as TileHeader
/// says.
struct QuantBlock {
  std::uint8_t q[32];
  std::uint16_t scale[2];
  std::uint16_t min;
};

/// Reads columns [32 block, 32 block + 32) of a row of GGUF blocks of a quantised type.
void read_block(gguf::TensorType type, const std::uint8_t* row, int block, int shift,
                QuantBlock& out);

}  // namespace kvscope
