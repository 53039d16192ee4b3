#pragma once

#include <cstdint>

namespace kvscope {

/// Up to kv_block_dims values as codes of one scale: x = scale * code.
struct Q8Block {
  std::uint16_t scale;  // half precision
  std::int8_t codes[32];
};

/// scale = max |x| / 127, rounded up to a half so that no code passes 127; code = x / scale to the
/// nearest. The codes beyond n are 0.
Q8Block quantise_q8_0(const float* x, int n);

}  // namespace kvscope
