#pragma once

#include <cstdint>

#include "gguf/tensor_type.hpp"

namespace kvscope {

/// 32 consecutive columns of one row, whatever their GGUF type: value_i = (q_i - zero point) *
/// scale[i / 16] + min, with the zero point of quant_shape().
struct QuantBlock {
  std::uint8_t q[32];
  float scale[2];
  float min;
};

/// Reads columns [32 block, 32 block + 32) of a row of GGUF blocks.
using BlockReader = void (*)(const std::uint8_t* row, int block, QuantBlock& out);

/// nullptr for float types.
BlockReader block_reader(gguf::TensorType type);

}  // namespace kvscope
