#pragma once

#include "kernels/matmul_kernels.hpp"
#include "kernels/take_steps.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {

/// Columns that a tile is unpacked for at a time, so that the panel stays in the L1 cache.
inline constexpr int panel_blocks = 24;

/// A tile's weights, unpacked to the width that they are multiplied in.
///   Q = u8:  [row / 8][column / 4][row % 8][column % 4]
///   Q = s16: [row / 8][column / 2][row % 8][column % 2]
/// Scales, [row / 8][scale][row % 8], and minima are widened to the lanes that they are multiplied
/// in.
template <class Q>
struct Panel {
  alignas(64) Q q[2][panel_blocks * block_cols * 8];
  alignas(16) std::int32_t scale[2][panel_blocks * 2 * 8];
  alignas(16) float min[2][panel_blocks * 8];
};

/// Widens 8 rows' integers of 16 bits in each of n blocks, in `runs` runs 32 bytes apart.
template <simd::Vec (*load)(const void*), class T>
void widen_blocks(const std::uint8_t* in, int block_bytes, int n_blocks, int runs, T* out) {
  for (int b = 0; b < n_blocks; ++b, in += block_bytes) {
    for (int i = 0; i < runs; ++i, out += 8) {
      simd::store(out, load(in + 32 * i));
      simd::store(out + 4, load(in + 32 * i + 8));
    }
  }
}
using WidenScales = decltype(&widen_blocks<simd::i32x4_load16x4, std::int32_t>);

/// sums[token][row] += s * factor(d of the token, row / 4), s as floats, and += mins * d_sum where
/// the format has minima (nullptr: none), for 8 rows of [4 tokens][16 rows]. The sums stay in
/// memory, where they are aligned: in a loop they would be spilled anyway, to a stack whose slots
/// may cross cache lines. The barrier keeps the compiler from doing so (1 %).
template <class Block, class Factor>
void add_scaled(const simd::Vec s[2][group_tokens], const Block* x, const float* mins, float* sums,
                Factor factor) {
  using namespace simd;
  asm volatile("" ::: "memory");
  const Vec min0 = mins ? load(mins) : Vec{}, min1 = mins ? load(mins + 4) : Vec{};
  for (int t = 0; t < group_tokens; ++t, sums += 16) {
    Vec sum0 = load(sums), sum1 = load(sums + 4);
    if (mins) {
      const Vec d_sum = load32_splat(x->d_sum + t);
      sum0 = f32x4_madd(min0, d_sum, sum0);
      sum1 = f32x4_madd(min1, d_sum, sum1);
    }
    const Vec d = load32_splat(x->d + t);
    sum0 = f32x4_madd(s[0][t], factor(d, 0), sum0);
    sum1 = f32x4_madd(s[1][t], factor(d, 1), sum1);
    store(sums, sum0);
    store(sums + 4, sum1);
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

/// The same for quantised weights, whose columns come in blocks. The kernels make multiply(half, x,
/// n, sums) a call, not a copy: its 18,000 products hide it.
template <class Block, class Unpack, class Multiply>
void for_panels(const GemmJob& job, Unpack unpack, Multiply multiply) {
  for_parts(job, job.w->cols() / block_cols, panel_blocks, unpack,
            [&](int half, int first, int n, const std::byte* x, float* sums) {
              if (first == 0) {
                for (int i = 0; i < 2 * group_tokens; ++i) {
                  simd::store(sums + i / 2 * 16 + i % 2 * 4, simd::f32x4_splat(0));
                }
              }
              multiply(half, reinterpret_cast<const Block*>(x) + first, n, sums);
            });
}

}  // namespace kvscope
