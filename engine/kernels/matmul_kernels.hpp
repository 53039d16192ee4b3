#pragma once

#include <cstddef>

#include "kernels/activation_blocks.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

/// y = W x for one token, over tiles [tile_begin, tile_end) of W.
struct GemvJob {
  const PackedMatrix* w;
  int tile_begin;
  int tile_end;
  const void* x;  // ActivationBlock8<1>, ActivationBlock16<1> or float, by the matrix's family
  float* y;       // of row 0 of the matrix
  bool accumulate;
};
using GemvKernel = void (*)(const GemvJob&);

/// nullptr for a format that the family does not have.
GemvKernel gemv_dot8(PackedFormat format);
GemvKernel gemv_dot16(PackedFormat format);
GemvKernel gemv_float(PackedFormat format);

/// Columns that GEMM takes at a time, so that a tile unpacked to a panel stays in the L1 cache.
inline constexpr int panel_blocks = 24;
inline constexpr int panel_cols = panel_blocks * block_cols;  // 768
inline constexpr int float_panel_cols = 256;

/// A tile's weights, unpacked for up to panel_cols columns to the width that they are multiplied
/// in: Q = u8: [row / 8][column / 4][row % 8][column % 4]; Q = s16: [row / 8][column / 2][row %
/// 8][column % 2]. Scales are halves times 2^-112, as GEMV reads them: [row / 8][scale][row % 8].
template <class Q>
struct Panel {
  alignas(64) Q q[2][panel_cols * 8];
  alignas(16) float scale[2][panel_blocks * 2 * 8];
  alignas(16) float min[2][panel_blocks * 8];
};

/// Part of Y = X W^T: one tile of W, columns [col_begin, col_end), for `groups` groups of tokens.
struct GemmJob {
  const PackedMatrix* w;
  int tile;
  int col_begin;  // a multiple of 32
  int col_end;    // so is this, except in float formats
  const void* x;  // the first group: ActivationBlock8<4>, ActivationBlock16<4>, float[cols][4]
  std::size_t group_stride_bytes;
  int groups;
  float* sums;  // [groups][4 tokens][16 rows], added to; the result still lacks the tile's scale
};
using GemmKernel = void (*)(const GemmJob&);

GemmKernel gemm_dot8(PackedFormat format);
GemmKernel gemm_dot16(PackedFormat format);
GemmKernel gemm_float(PackedFormat format);

}  // namespace kvscope
