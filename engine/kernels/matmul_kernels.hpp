#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/activation_blocks.hpp"
#include "kernels/dot_form.hpp"
#include "kernels/matmul.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

inline const std::uint8_t* tile_data(const PackedMatrix& w, int tile) {
  return reinterpret_cast<const std::uint8_t*>(w.tile(tile));
}

/// The last bytes of a tile.
inline const std::uint16_t* row_factors(const PackedMatrix& w, int tile) {
  return reinterpret_cast<const std::uint16_t*>(w.tile(tile + 1) - sizeof(RowFactors));
}

/// y = W x for one token, over tiles [tile_begin, tile_end) of W.
struct GemvJob {
  const PackedMatrix* w;
  int tile_begin;
  int tile_end;
  const void* x;  // ActivationBlock8<1>, ActivationBlock16<1> or float, by the matrix's family
  float* y;       // of row 0 of the matrix
  bool accumulate;
  ReadOrder order;
};
using GemvKernel = void (*)(const GemvJob&);

/// nullptr for a format that the family does not have.
GemvKernel gemv_dot8(PackedFormat format, DotForm form);
GemvKernel gemv_dot16(PackedFormat format);
GemvKernel gemv_float(PackedFormat format);

/// Tokens that meet a tile before the next is unpacked.
inline constexpr int most_gemm_tokens = 128;

/// Part of Y = X W^T: one tile of W for up to most_gemm_tokens tokens.
struct GemmJob {
  const PackedMatrix* w;
  int tile;
  const void* x;  // the first group: ActivationBlock8<4>, ActivationBlock16<4>, float[cols][4]
  std::size_t group_stride_bytes;
  int tokens;
  float* y;  // of the first token and row 0 of the matrix
  std::size_t y_stride;
  bool accumulate;

  int groups() const { return (tokens + group_tokens - 1) / group_tokens; }
};
using GemmKernel = void (*)(const GemmJob&);

GemmKernel gemm_dot8(PackedFormat format, DotForm form);
GemmKernel gemm_dot16(PackedFormat format);
GemmKernel gemm_float(PackedFormat format);

}  // namespace kvscope
