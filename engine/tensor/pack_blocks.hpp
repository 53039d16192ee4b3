#pragma once

#include <cstdint>

#include "gguf/tensor_type.hpp"

namespace kvscope {

/// 32 consecutive columns of one row, whatever their GGUF type: value_i = (q_i - zero point) *
/// scale[i / 16] + min, with the zero point of quant_shape().
struct BlockScales {
  float scale[2];
  float min;
};

/// Reads columns [32 block, 32 block + 32) of a row of GGUF blocks of a quantised type, any but
/// Q8_0.
BlockScales read_block(gguf::TensorType type, const std::uint8_t* row, int block,
                       std::uint8_t q[32]);

}  // namespace kvscope
