#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/packed_matrix.hpp"

namespace kvscope {

// What pack_*.cpp writes and the kernels read. A tile of 16 rows is
//   TileHeader
//   half min[cols / 32][16]                          only in formats that have minima
//   one block for every 32 columns (float formats: for every column):
//
//   float formats    value[16]                       one column of 16 rows
//   dot8, nibbles    q[4][4][4][4]                   [g][row / 4][row % 4][i], a byte holds column
//                                                    4g + i in its low, 16 + 4g + i in its high
//                                                    half
//   dot8, bytes      q[8][4][4][4]                   [g][row / 4][row % 4][i], column 4g + i
//   dot16, nibbles   u16 q[2][4][2][4][2]            [row / 8][g][row / 4 % 2][row % 4][i], nibble
//   n
//                                                    of a lane is column 8g + 2n + i
//   dot16, bytes     s8 q[16][4][4][2]               [pair][row / 4][row % 4][i], column 2 pair + i
//   then, all but the float formats,
//                    half scale[scales][16]          one a row, or two: columns 0..15 and 16..31
//
// so that one 16-byte load holds the same columns of 4 rows, and one load of 4 activations serves
// all 16 rows. In dot16's nibbles the two halves of 8 rows are two separate runs of blocks, each
// with its own scale[8]: three partial sums a row leave no registers for 16 rows. Minima stand
// apart because they are a small float matrix, which is how they are multiplied.

/// How a matrix meets its activations.
enum class DotFamily : std::uint8_t {
  f32,    // float weights x float activations
  dot8,   // 7-bit weights x 8-bit activations, summed in 16 bits (relaxed SIMD)
  dot16,  // 16-bit products, summed in 32 bits: exact 8-bit weights, 16-bit activations
};

#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)
inline constexpr bool has_dot8 = false;
#else
inline constexpr bool has_dot8 = true;
#endif

inline constexpr int block_cols = 32;

struct QuantShape {
  int bits;        // 4: two columns in a byte
  int scales;      // for a row and 32 columns
  bool mins;       // value = q * scale + min
  int zero_point;  // value = (q - zero_point) * scale

  constexpr int quant_bytes() const { return bits == 4 ? 256 : 512; }
  constexpr int block_bytes() const { return quant_bytes() + 32 * scales; }
  constexpr int min_bytes() const { return mins ? 32 : 0; }  // of 16 rows
};

constexpr QuantShape quant_shape(PackedFormat format) {
  switch (format) {
    case PackedFormat::q4: return {4, 1, false, 8};
    case PackedFormat::q4m: return {4, 1, true, 0};
    case PackedFormat::q5: return {5, 1, false, 16};
    case PackedFormat::q5m: return {5, 1, true, 0};
    case PackedFormat::q6: return {6, 2, false, 32};
    case PackedFormat::q8: return {8, 1, false, 128};
    default: return {0, 0, false, 0};
  }
}

constexpr bool is_float(PackedFormat format) { return format <= PackedFormat::bf16; }

/// Scales, minima and f16 weights are stored as halves of value * 2^shift. The usual shift of 10
/// lifts every finite half out of the subnormal range, where the kernels' f16 trick would make f32
/// subnormals, which are many times slower to multiply. It loses nothing.
struct TileHeader {
  float scale;  // 2^-shift: value = stored * scale
  std::int32_t shift;
  std::int32_t unused[2];  // keeps the blocks on 16-byte boundaries
};
static_assert(sizeof(TileHeader) == 16);

}  // namespace kvscope
