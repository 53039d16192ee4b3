#include "kernels/quantise_activations.hpp"

#include <cstring>

#include "kernels/vec128.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

namespace {

using namespace simd;

struct Rounded {
  Vec q[8];  // 32 integers
  float d;
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
  out.d = tiny ? 0 : max / limit;
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

/// What minima are multiplied by, of q with this sum.
inline float d_sum(float d, int sum) { return d * static_cast<float>(min_unit * sum); }

/// One token's 32 values.
[[gnu::noinline]] void quantise_block(const float* x, ActivationBlock8<1>& out) {
  const Rounded r = round_block(x, 127);
  int sums[2][2];
  for (int h = 0; h < 2; ++h) {
    const Vec low = i16x8_narrow_i32x4(r.q[4 * h], r.q[4 * h + 1]);
    const Vec high = i16x8_narrow_i32x4(r.q[4 * h + 2], r.q[4 * h + 3]);
    store(out.q[4 * h], i8x16_narrow_i16x8(low, high));
    pair_sums(low, high, sums[h]);
  }
  for (int i = 0; i < 2; ++i) {
    out.start_q4[0][i] = static_cast<std::int16_t>(-8 * (sums[0][i] + sums[1][i]));
    out.start_q6[0][0][i] = static_cast<std::int16_t>(-32 * sums[0][i]);
    out.start_q6[1][0][i] = static_cast<std::int16_t>(-32 * sums[1][i]);
  }
  out.d[0] = r.d;
  out.d_sum[0] = d_sum(r.d, sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1]);
}

[[gnu::noinline]] void quantise_block(const float* x, ActivationBlock16<1>& out) {
  const Rounded r = round_block(x, 32767);
  int total = 0;
  for (int h = 0; h < 2; ++h) {
    const Vec low = i16x8_narrow_i32x4(r.q[4 * h], r.q[4 * h + 1]);
    const Vec high = i16x8_narrow_i32x4(r.q[4 * h + 2], r.q[4 * h + 3]);
    store(out.q[8 * h], low);
    store(out.q[8 * h + 4], high);
    int sums[2];
    pair_sums(low, high, sums);
    total += sums[0] + sums[1];
  }
  out.start_q4[0] = -8 * total;
  out.d[0] = r.d;
  out.d_sum[0] = d_sum(r.d, total);
}

/// A token's block to its lane of a group's.
template <int N>
void place(const ActivationBlock8<1>& in, int token, ActivationBlock8<N>& out) {
  for (int g = 0; g < 8; ++g) std::memcpy(out.q[g][token], in.q[g], 4);
  std::memcpy(out.start_q4[token], in.start_q4, 4);
  std::memcpy(out.start_q6[0][token], in.start_q6[0], 4);
  std::memcpy(out.start_q6[1][token], in.start_q6[1], 4);
  out.d[token] = in.d[0];
  out.d_sum[token] = in.d_sum[0];
}

template <int N>
void place(const ActivationBlock16<1>& in, int token, ActivationBlock16<N>& out) {
  for (int p = 0; p < 16; ++p) std::memcpy(out.q[p][token], in.q[p], 4);
  out.start_q4[token] = in.start_q4[0];
  out.d[token] = in.d[0];
  out.d_sum[token] = in.d_sum[0];
}

template <template <int> class Block, int N>
void quantise(const float* x, std::size_t x_stride, int tokens, int n_blocks, std::byte* group) {
  auto* blocks = reinterpret_cast<Block<N>*>(group);
  if (tokens < N) std::memset(group, 0, sizeof(Block<N>) * static_cast<std::size_t>(n_blocks));
  for (int t = 0; t < tokens; ++t, x += x_stride) {
    for (int b = 0; b < n_blocks; ++b) {
      Block<1> alone;
      quantise_block(x + block_cols * b, alone);
      place(alone, t, blocks[b]);
    }
  }
}

}  // namespace

template <int N>
void quantise_dot8(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                   std::byte* group) {
  quantise<ActivationBlock8, N>(x, x_stride, tokens, n_blocks, group);
}

template <int N>
void quantise_dot16(const float* x, std::size_t x_stride, int tokens, int n_blocks,
                    std::byte* group) {
  quantise<ActivationBlock16, N>(x, x_stride, tokens, n_blocks, group);
}

template <int N>
void lift_floats(const float* x, std::size_t x_stride, int tokens, int cols, std::byte* group) {
  auto* out = reinterpret_cast<float*>(group);
  if (tokens < N) std::memset(group, 0, sizeof(float) * N * static_cast<std::size_t>(cols));
  for (int t = 0; t < tokens; ++t, x += x_stride) {
    KVSCOPE_ROLLED
    for (int c = 0; c < cols; ++c) out[c * N + t] = x[c] * float_lift;
  }
}

template void lift_floats<1>(const float*, std::size_t, int, int, std::byte*);
template void lift_floats<group_tokens>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot8<1>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot8<group_tokens>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot16<1>(const float*, std::size_t, int, int, std::byte*);
template void quantise_dot16<group_tokens>(const float*, std::size_t, int, int, std::byte*);

}  // namespace kvscope
