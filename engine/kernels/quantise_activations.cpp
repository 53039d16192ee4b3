#include "kernels/quantise_activations.hpp"

#include <cstring>

#include "kernels/vec128.hpp"

namespace kvscope {

namespace {

using namespace simd;

struct Rounded {
  Vec q[8];  // 32 integers
  float d;   // * 2^96
};

/// limit: the largest magnitude of q.
inline Rounded round_block(const float* x, float limit) {
  Vec v[8];
  Vec largest = f32x4_splat(0);
  for (int i = 0; i < 8; ++i) {
    v[i] = load(x + 4 * i);
    largest = f32x4_max(largest, f32x4_abs(v[i]));
  }
  const float max = f32x4_max_lane(largest);
  const bool tiny = !(max > 0x1p-100f);  // its reciprocal could be infinite
  const Vec inverse = f32x4_splat(tiny ? 0 : limit / max);
  Rounded out;
  for (int i = 0; i < 8; ++i) out.q[i] = i32x4_nearest(f32x4_mul(v[i], inverse));
  out.d = tiny ? 0 : max / limit * activation_lift;
  return out;
}

/// Of 16 integers of 16 bits: sums over the columns with column % 4 < 2, and over the others.
inline void pair_sums(Vec a, Vec b, int out[2]) {
  const Vec ones = i16x8_splat(1);
  std::int32_t lane[4];
  store(lane, i32x4_add(i32x4_dot_i16x8(a, ones), i32x4_dot_i16x8(b, ones)));
  out[0] = lane[0] + lane[2];
  out[1] = lane[1] + lane[3];
}

/// The two parts of a group, cleared when tokens are missing.
template <class Block, int N>
struct Group {
  Block* blocks;
  float* d_sum;  // [n_blocks][N]

  Group(std::byte* memory, int n_blocks, int tokens) {
    blocks = reinterpret_cast<Block*>(memory);
    d_sum = reinterpret_cast<float*>(blocks + n_blocks);
    const auto bytes = (sizeof(Block) + sizeof(float) * N) * static_cast<std::size_t>(n_blocks);
    if (tokens < N) std::memset(memory, 0, bytes);
  }
};

}  // namespace

template <int N>
void quantise_dot8(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                   std::byte* memory) {
  const Group<ActivationBlock8<N>, N> group(memory, n_blocks, tokens);
  for (int t = 0; t < tokens; ++t, x += x_stride) {
    for (int b = 0; b < n_blocks; ++b) {
      const Rounded r = round_block(x + 32 * b, 127);
      ActivationBlock8<N>& o = group.blocks[b];
      std::int8_t q[32];
      int total = 0;
      int start[2] = {0, 0};
      for (int h = 0; h < 2; ++h) {
        const Vec low = i16x8_narrow_i32x4(r.q[4 * h], r.q[4 * h + 1]);
        const Vec high = i16x8_narrow_i32x4(r.q[4 * h + 2], r.q[4 * h + 3]);
        store(q + 16 * h, i8x16_narrow_i16x8(low, high));
        int sum[2];
        pair_sums(low, high, sum);
        for (int i = 0; i < 2; ++i) {
          o.start_q6[h][t][i] = static_cast<std::int16_t>(-32 * sum[i]);
          start[i] -= 8 * sum[i];
          total += sum[i];
        }
      }
      for (int i = 0; i < 2; ++i) o.start_q4[t][i] = static_cast<std::int16_t>(start[i]);
      for (int g = 0; g < 8; ++g) std::memcpy(o.q[g][t], q + 4 * g, 4);
      o.d[t] = r.d;
      group.d_sum[b * N + t] = r.d * static_cast<float>(total);
    }
  }
}

template <int N>
void quantise_dot16(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                    std::byte* memory) {
  const Group<ActivationBlock16<N>, N> group(memory, n_blocks, tokens);
  for (int t = 0; t < tokens; ++t, x += x_stride) {
    for (int b = 0; b < n_blocks; ++b) {
      const Rounded r = round_block(x + 32 * b, 32767);
      ActivationBlock16<N>& o = group.blocks[b];
      std::int16_t q[32];
      int total = 0;
      for (int h = 0; h < 2; ++h) {
        const Vec low = i16x8_narrow_i32x4(r.q[4 * h], r.q[4 * h + 1]);
        const Vec high = i16x8_narrow_i32x4(r.q[4 * h + 2], r.q[4 * h + 3]);
        store(q + 16 * h, low);
        store(q + 16 * h + 8, high);
        int sum[2];
        pair_sums(low, high, sum);
        total += sum[0] + sum[1];
      }
      for (int p = 0; p < 16; ++p) std::memcpy(o.q[p][t], q + 2 * p, 4);
      o.d[t] = r.d;
      group.d_sum[b * N + t] = r.d * static_cast<float>(total);
      o.q4_zero[t] = 8 * total;
    }
  }
}

void interleave_floats(const float* x, std::size_t x_stride, int tokens, int cols,
                       std::byte* group) {
  auto* out = reinterpret_cast<float*>(group);
  for (int t = 0; t < group_tokens; ++t) {
    for (int c = 0; c < cols; ++c) {
      out[c * group_tokens + t] = t < tokens ? x[static_cast<std::size_t>(t) * x_stride + c] : 0;
    }
  }
}

template void quantise_dot8<1>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot8<group_tokens>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot16<1>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot16<group_tokens>(const float*, std::size_t, int, int, std::byte*);

}  // namespace kvscope
