#pragma once

#include "kernels/matmul_kernels.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// Columns that a tile is unpacked for at a time, so that the panel stays in the L1 cache.
inline constexpr int panel_blocks = 24;

/// A tile's weights, unpacked to the width that they are multiplied in.
///   Q = u8:  [row / 8][column / 4][row % 8][column % 4]
///   Q = s16: [row / 8][column / 2][row % 8][column % 2]
/// Scales are widened to the lanes that the kernel multiplies: [row / 8][scale][row % 8].
template <class Q>
struct Panel {
  alignas(64) Q q[2][panel_blocks * block_cols * 8];
  alignas(16) std::int32_t scale[2][panel_blocks * 2 * 8];
};

/// Widens the scales of 8 rows of blocks, `scales` runs 32 bytes apart in each.
template <simd::Vec (*load)(const void*)>
void unpack_scales(const std::uint8_t* in, int block_bytes, int n_blocks, int scales,
                   std::int32_t* out) {
  for (int b = 0; b < n_blocks; ++b, in += block_bytes) {
    for (int i = 0; i < scales; ++i, out += 8) {
      simd::store(out, load(in + 32 * i));
      simd::store(out + 4, load(in + 32 * i + 8));
    }
  }
}
using UnpackScales = decltype(&unpack_scales<simd::i32x4_load16x4>);

/// sums[token][row] += s * factor(d of the token, row / 4), for 8 rows of [4 tokens][16 rows].
/// The sums stay in memory, where they are aligned: in a loop they would be spilled anyway, to a
/// stack whose slots may cross cache lines. The barrier keeps the compiler from doing so (1 %).
template <class Factor>
void add_scaled(const simd::Vec s[2][group_tokens], const float* d, float* sums, Factor factor) {
  asm volatile("" ::: "memory");
  for (int t = 0; t < group_tokens; ++t, sums += 16) {
    const simd::Vec dt = simd::load32_splat(d + t);
    simd::store(sums, simd::f32x4_madd(simd::f32x4_convert_i32x4(s[0][t]), factor(dt, 0),
                                       simd::load(sums)));
    simd::store(sums + 4, simd::f32x4_madd(simd::f32x4_convert_i32x4(s[1][t]), factor(dt, 1),
                                           simd::load(sums + 4)));
  }
}

/// The n steps of a block of 32 columns. Two stand before the loop: the first adds to a constant,
/// and of the rest V8 unrolls three at a time without a remainder (5 % of a product). The barrier
/// keeps the two from being mixed into one, with more at hand than there are registers.
template <class Step>
void take_steps(int n, Step step) {
  step();
  asm volatile("" ::: "memory");
  step();
  n -= 2;
  KVSCOPE_ROLLED
  do {
    step();
  } while (--n > 0);
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

/// Where the sums of 8 rows x 4 tokens begin: the share of their minima, zero without any.
class Minima {
 public:
  explicit Minima(const GemmJob& job);

  /// d_sum: [cols / 32][4]. sums: [4 tokens][16 rows], 8 of them written.
  void start(int half, const float* d_sum, float* sums) const;

 private:
  static constexpr int most_blocks = 64;  // of more, they are widened for each group

  int n_blocks_;
  const std::uint8_t* ints_;  // [n_blocks][16] of 16 bits
  alignas(64) float floats_[most_blocks * 16];
};

/// Scales the sums of a group of tokens, [4 tokens][16 rows], and writes or adds them to job.y.
void write_group(const GemmJob& job, int group, const float* sums);

/// Loads a byte of each cache line of the group's share of the next tile, so that it is on its way
/// from memory long before it is unpacked (1.5 %).
inline void touch_next_tile(const GemmJob& job, int group) {
  if (job.tile + 1 == job.w->tiles()) return;
  const std::byte* next = job.w->tile(job.tile + 1);
  const auto share = [&](int g) {
    return static_cast<int>(job.w->tile_bytes()) / job.groups() * g;
  };
  for (int i = share(group); i < share(group + 1); i += 64) {
    static_cast<void>(*reinterpret_cast<const volatile char*>(next + i));
  }
}

/// Goes through a job's columns in parts of at most `most`: unpack(first, n), then for each group
/// of tokens multiply(half, first, n, x of the group, sums) with each half of 8 rows, while the
/// group's activations are in the L1 cache. A group's results are written as soon as they are
/// whole: memory takes them while the next group is computed.
template <class Unpack, class Multiply>
void for_parts(const GemmJob& job, int total, int most, Unpack unpack, Multiply multiply) {
  alignas(64) float all_sums[most_gemm_tokens * 16];
  const int stride = total > most ? 16 * group_tokens : 0;  // of groups: one part needs no memory
  in_parts(total, most, [&](int first, int n) {
    unpack(first, n);
    const auto* x = static_cast<const std::byte*>(job.x);
    float* sums = all_sums;
    for (int g = 0; g < job.groups(); ++g, x += job.group_stride_bytes, sums += stride) {
      for (int half = 0; half < 2; ++half) multiply(half, first, n, x, sums + 8 * half);
      if (first == 0) touch_next_tile(job, g);
      if (first + n == total) write_group(job, g, sums);
    }
  });
}

/// The same for quantised weights, whose columns come in blocks; the sums begin with the minima.
/// The kernels make multiply(half, x, n, sums) a call, not a copy: its 18,000 products hide it.
template <class Block, class Unpack, class Multiply>
void for_panels(const GemmJob& job, Unpack unpack, Multiply multiply) {
  const int n_blocks = job.w->cols() / block_cols;
  const Minima minima(job);
  for_parts(job, n_blocks, panel_blocks, unpack,
            [&](int half, int first, int n, const std::byte* x, float* sums) {
              const auto* blocks = reinterpret_cast<const Block*>(x);
              if (first == 0) {
                minima.start(half, reinterpret_cast<const float*>(blocks + n_blocks), sums);
              }
              multiply(half, blocks + first, n, sums);
            });
}

}  // namespace kvscope
