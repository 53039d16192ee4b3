#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/packed_matrix.hpp"

namespace kvscope {

// What pack_*.cpp writes and the kernels read. A tile of 16 rows is one block for every 32 columns
// (float formats: for every column), then RowFactors. In a block:
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
//                    s16 scale[scales][16]           one a row, or two: columns 0..15 and 16..31
//                    s16 min[16]                     only in formats that have minima
//
// so that one 16-byte load holds the same columns of 4 rows, and one load of 4 activations serves
// all 16 rows. In dot16's nibbles the two halves of 8 rows are two separate runs of blocks, each
// with its own scale[8] and min[8]: three partial sums a row leave no registers for 16 rows. GEMV
// reads tiles, or at a few places of a matrix by turns (ReadOrder), from the first byte to
// the last and nothing else for long: what jumps ahead or back makes the processor's prefetching
// lose its place (minima in front of a tile's blocks, or factors of 8 tiles at once, cost 15 % of a
// large matrix).

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

  constexpr float scale_limit() const { return bits == 5 && mins ? 0x1p14f : 0x1p15f; }
  constexpr int quant_bytes() const { return bits == 4 ? 256 : 512; }
  constexpr int block_bytes() const { return quant_bytes() + 32 * scales + (mins ? 32 : 0); }
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

/// Scales and minima are integers in a unit of their row's own: value = (q - zero_point) * scale *
/// unit + min * min_unit * unit. The unit is the smallest power of two with which the row's scales
/// stay below scale_limit (dot8_sums.hpp) and its minima below 2^15. A file's halves have 11 bits:
/// scales within 16 times of the largest (q5m: 8 times) lose nothing, smaller ones half a unit at
/// most. A minimum is about as large as half the quants times the scale; min_unit leaves it 14
/// bits.
inline constexpr int min_unit = 16;

/// The kernels read halves times 2^-112 (vec128.hpp). Activations of float matrices carry a part of
/// that, a tile's scale the rest, so that nothing overflows or becomes subnormal in between.
inline constexpr float half_lift = 0x1p112f;
inline constexpr float float_lift = 0x1p56f;

/// What the sums of each row are multiplied by at the end, a power of two as bfloat16: the unit of
/// quantised weights; of float weights what takes the lifts away again.
struct RowFactors {
  std::uint16_t of[PackedMatrix::tile_rows];
};
static_assert(sizeof(RowFactors) == 32);  // keeps the blocks on 16-byte boundaries

}  // namespace kvscope
