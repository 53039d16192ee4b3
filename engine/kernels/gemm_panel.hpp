#pragma once

#include <algorithm>

#include "kernels/float_columns.hpp"
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
inline void unpack_scales(const std::uint8_t* halves, int block_bytes, int n_blocks, int scales,
                          float* out) {
  const simd::Vec mask = simd::half_mask();
  for (int b = 0; b < n_blocks; ++b, halves += block_bytes) {
    for (int i = 0; i < scales; ++i, out += 8) {
      simd::store(out, simd::f32x4_load_half(halves + 32 * i, mask));
      simd::store(out + 4, simd::f32x4_load_half(halves + 32 * i + 8, mask));
    }
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
  /// += s * scale of each row * d of each token
  void add_scaled(const simd::Vec s[2][group_tokens], const float* scale, const float* d) {
    const simd::Vec scale0 = simd::load(scale), scale1 = simd::load(scale + 4);
    for (int t = 0; t < group_tokens; ++t) {
      const simd::Vec dt = simd::load32_splat(d + t);
      v[0][t] = simd::f32x4_madd(simd::f32x4_convert_i32x4(s[0][t]), simd::f32x4_mul(scale0, dt),
                                 v[0][t]);
      v[1][t] = simd::f32x4_madd(simd::f32x4_convert_i32x4(s[1][t]), simd::f32x4_mul(scale1, dt),
                                 v[1][t]);
    }
  }
  void store(float* sums) const {
    for (int t = 0; t < group_tokens; ++t) {
      simd::store(sums + 16 * t, v[0][t]);
      simd::store(sums + 16 * t + 4, v[1][t]);
    }
  }
};

/// Runs micro(half, x, sums) for each half of 8 rows and each group of tokens; x is x_offset bytes
/// into the group.
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

/// sums += W x for 8 rows x 4 tokens. w: the 8 rows' part of [cols][16]; x: [cols][4].
inline void gemm_columns(const float* w, const float* x, int cols, float* out) {
  Sums8x4 sums(out);
  KVSCOPE_ROLLED
  for (const float* end = x + cols * group_tokens; x != end; x += group_tokens, w += 16) {
    const simd::Vec w0 = simd::load(w), w1 = simd::load(w + 4);
    for (int t = 0; t < group_tokens; ++t) {
      const simd::Vec xt = simd::load32_splat(x + t);
      sums.v[0][t] = simd::f32x4_madd(w0, xt, sums.v[0][t]);
      sums.v[1][t] = simd::f32x4_madd(w1, xt, sums.v[1][t]);
    }
  }
  sums.store(out);
}

/// The product of float weights [cols][16] with the groups' floats [cols][4], x_offset bytes into
/// each group, added to job.sums.
template <class Weights>
void add_columns(const GemmJob& job, const std::uint8_t* w, std::size_t x_offset, int cols) {
  constexpr int most = 128;  // 8 KB, of which the L1 cache has 32
  const Weights weights;
  alignas(64) float panel[most * 16];
  in_parts(cols, most, [&](int first, int n) {
    const std::uint8_t* in = w + static_cast<std::size_t>(first) * 16 * weights.bytes;
    for (int i = 0; i < 4 * n; ++i) {
      simd::store(panel + 4 * i, weights.load4(in + 4 * i * weights.bytes));
    }
    const std::size_t offset =
        x_offset + static_cast<std::size_t>(first) * group_tokens * sizeof(float);
    for_groups(job, offset, [&](int half, const std::byte* x, float* sums) {
      gemm_columns(panel + 8 * half, reinterpret_cast<const float*>(x), n, sums);
    });
  });
}

/// Where the results of a tile begin: its minima's share (of no blocks, zero). x_offset: of d_sum
/// in a group.
inline void start_sums(const GemmJob& job, const std::uint8_t* mins, int n_blocks,
                       std::size_t x_offset) {
  std::fill_n(job.sums, job.groups * group_tokens * 16, 0.0f);
  add_columns<RawHalfWeights>(job, mins, x_offset, n_blocks);
}

}  // namespace kvscope
