#pragma once

#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// Columns that a tile is unpacked for at a time, so that the panel stays in the L1 cache.
inline constexpr int panel_blocks = 24;

/// A tile's weights, unpacked to the width that they are multiplied in.
///   Q = u8:  [row / 8][column / 4][row % 8][column % 4]
///   Q = s16: [row / 8][column / 2][row % 8][column % 2]
/// Scales are halves times 2^-112, as GEMV reads them: [row / 8][scale][row % 8].
template <class Q>
struct Panel {
  alignas(64) Q q[2][panel_blocks * block_cols * 8];
  alignas(16) float scale[2][panel_blocks * 2 * 8];
};

/// Widens the scales of 8 rows of blocks, `scales` runs 32 bytes apart in each, to panel floats.
void unpack_scales(const std::uint8_t* halves, int block_bytes, int n_blocks, int scales,
                   float* out);

/// sums[token][row] += s * scale of each row * d of each token, for 8 rows of [4 tokens][16 rows].
/// The sums stay in memory, where they are aligned: in a loop they would be spilled anyway, to a
/// stack whose slots may cross cache lines. The barrier keeps the compiler from doing so (1 %).
inline void add_scaled(const simd::Vec s[2][group_tokens], const float* scale, const float* d,
                       float* sums) {
  asm volatile("" ::: "memory");
  const simd::Vec scale0 = simd::load(scale), scale1 = simd::load(scale + 4);
  for (int t = 0; t < group_tokens; ++t, sums += 16) {
    const simd::Vec dt = simd::load32_splat(d + t);
    simd::store(sums, simd::f32x4_madd(simd::f32x4_convert_i32x4(s[0][t]),
                                       simd::f32x4_mul(scale0, dt), simd::load(sums)));
    simd::store(sums + 4, simd::f32x4_madd(simd::f32x4_convert_i32x4(s[1][t]),
                                           simd::f32x4_mul(scale1, dt), simd::load(sums + 4)));
  }
}

/// Runs micro(half, x, sums) for each half of 8 rows and each group of tokens; x is x_offset bytes
/// into the group. The kernels make micro a call, not a copy: its 18,000 products hide it.
template <class Micro>
void for_groups(const GemmJob& job, std::size_t x_offset, Micro micro) {
  for (int half = 0; half < 2; ++half) {
    const std::byte* x = static_cast<const std::byte*>(job.x) + x_offset;
    float* sums = job.sums + 8 * half;
    for (int g = 0; g < job.groups; ++g, x += job.group_stride_bytes, sums += 16 * group_tokens) {
      micro(half, x, sums);
    }
  }
}

/// Calls f(first, n) for [0, total) in even parts of at most `most`.
template <class F>
void in_parts(int total, int most, F f) {
  const int n_parts = (total + most - 1) / most;
  for (int i = 0; i < n_parts; ++i) {
    const int first = static_cast<int>(static_cast<long long>(total) * i / n_parts);
    const int end = static_cast<int>(static_cast<long long>(total) * (i + 1) / n_parts);
    f(first, end - first);
  }
}

/// Where the results of a tile begin: its minima's share, zero without. x_offset: of d_sum in a
/// group.
void start_sums(const GemmJob& job, std::size_t x_offset);

}  // namespace kvscope
