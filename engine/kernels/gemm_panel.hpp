#pragma once

#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// Widens 4 x n halves, 8 rows of each, from rows `stride_bytes` apart into floats times 2^-112.
inline void unpack_halves(const std::uint8_t* halves, int n, int stride_bytes, simd::Vec mask,
                          float* out) {
  for (int i = 0; i < n; ++i, halves += stride_bytes, out += 8) {
    simd::store(out, simd::f32x4_load_half(halves, mask));
    simd::store(out + 4, simd::f32x4_load_half(halves + 8, mask));
  }
}

/// 8 rows x 4 tokens of running sums in registers.
struct Sums8x4 {
  simd::Vec v[2][group_tokens];

  explicit Sums8x4(const float* sums) {
    for (int t = 0; t < group_tokens; ++t) {
      v[0][t] = simd::load(sums + 16 * t);
      v[1][t] = simd::load(sums + 16 * t + 4);
    }
  }
  void store(float* sums) const {
    for (int t = 0; t < group_tokens; ++t) {
      simd::store(sums + 16 * t, v[0][t]);
      simd::store(sums + 16 * t + 4, v[1][t]);
    }
  }
  /// += min * d_sum of each token
  void add_min(const float* min, const float* d_sum) {
    const simd::Vec m0 = simd::load(min), m1 = simd::load(min + 4);
    for (int t = 0; t < group_tokens; ++t) {
      const simd::Vec d = simd::load32_splat(d_sum + t);
      v[0][t] = simd::f32x4_madd(m0, d, v[0][t]);
      v[1][t] = simd::f32x4_madd(m1, d, v[1][t]);
    }
  }
};

/// Runs micro(half, x, sums) for each group of tokens and each half of 8 rows.
template <class Block, class Micro>
void for_groups(const GemmJob& job, std::size_t x_offset, Micro micro) {
  const std::byte* x = static_cast<const std::byte*>(job.x) + x_offset * sizeof(Block);
  float* sums = job.sums;
  for (int g = 0; g < job.groups; ++g, x += job.group_stride_bytes, sums += 16 * group_tokens) {
    for (int half = 0; half < 2; ++half) {
      micro(half, reinterpret_cast<const Block*>(x), sums + 8 * half);
    }
  }
}

}  // namespace kvscope
