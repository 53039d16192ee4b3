#pragma once

#include <cstdint>

#include "kernels/activation_blocks.hpp"
#include "kernels/vec128.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

// Products with float weights, a column of 16 rows at a time: matrices in float formats, and the
// minima of quantised ones. Each result is one chain of additions over the columns, so that GEMV
// and GEMM give the same bits.

/// How 4 weights are read, by their stored width.
struct FloatWeights {
  static constexpr int bytes = 4;
  simd::Vec load4(const std::uint8_t* p) const { return simd::load(p); }
};

struct BfloatWeights {
  static constexpr int bytes = 2;
  simd::Vec load4(const std::uint8_t* p) const {
    return simd::i32x4_shl<16>(simd::u32x4_load16x4(p));
  }
};

/// Halves times 2^-112, which lifted activations make up for.
struct HalfWeights {
  static constexpr int bytes = 2;
  simd::Vec mask = simd::half_mask();
  simd::Vec load4(const std::uint8_t* p) const { return simd::f32x4_load_half(p, mask); }
};

/// sums = W x for the 16 rows of a tile. w: [cols][16], x: [cols].
template <class Weights>
void gemv_columns(const Weights& weights, const std::uint8_t* w, const float* x, int cols,
                  float sums[16]) {
  simd::Vec acc[4];
  for (int r = 0; r < 4; ++r) acc[r] = simd::f32x4_splat(0);
  KVSCOPE_ROLLED
  for (const float* end = x + cols; x != end; ++x, w += 16 * weights.bytes) {
    const simd::Vec y = simd::load32_splat(x);
    for (int r = 0; r < 4; ++r) {
      acc[r] = simd::f32x4_madd(weights.load4(w + 4 * r * weights.bytes), y, acc[r]);
    }
  }
  for (int r = 0; r < 4; ++r) simd::store(sums + 4 * r, acc[r]);
}

}  // namespace kvscope
