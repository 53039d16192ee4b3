#pragma once

#include <cstdint>

#include "kernels/activation_blocks.hpp"
#include "kernels/vec128.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

// Products with float weights, a column of 16 rows at a time. Each result is one chain of additions
// over the columns, so that GEMV and GEMM give the same bits.

/// How 4 weights are read, by their stored width.
struct FloatWeights {
  static constexpr int bytes = 4;
  simd::Vec load4(const std::uint8_t* p) const { return simd::load(p); }
};

struct BfloatWeights {
  static constexpr int bytes = 2;
  simd::Vec load4(const std::uint8_t* p) const { return simd::f32x4_load_bfloat(p); }
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

/// sums = W x for 8 rows x 4 tokens, or +=. w: the 8 rows' part of [cols][16], x: [cols][4], sums:
/// rows of 16.
template <class Weights>
[[gnu::noinline]] void gemm_columns(const Weights& weights, const std::uint8_t* w, const float* x,
                                    int cols, bool accumulate, float* sums) {
  simd::Vec acc[2][group_tokens];
  for (int t = 0; t < group_tokens; ++t) {
    acc[0][t] = accumulate ? simd::load(sums + 16 * t) : simd::f32x4_splat(0);
    acc[1][t] = accumulate ? simd::load(sums + 16 * t + 4) : simd::f32x4_splat(0);
  }
  KVSCOPE_ROLLED
  for (const float* end = x + cols * group_tokens; x != end;
       x += group_tokens, w += 16 * weights.bytes) {
    const simd::Vec w0 = weights.load4(w), w1 = weights.load4(w + 4 * weights.bytes);
    for (int t = 0; t < group_tokens; ++t) {
      const simd::Vec y = simd::load32_splat(x + t);
      acc[0][t] = simd::f32x4_madd(w0, y, acc[0][t]);
      acc[1][t] = simd::f32x4_madd(w1, y, acc[1][t]);
    }
  }
  for (int t = 0; t < group_tokens; ++t) {
    simd::store(sums + 16 * t, acc[0][t]);
    simd::store(sums + 16 * t + 4, acc[1][t]);
  }
}

}  // namespace kvscope
