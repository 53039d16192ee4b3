#include "kernels/gemv_tile.hpp"
#include "kernels/take_steps.hpp"

// One token, any quantised weights, 16-bit activations, on plain SIMD128. Sums are exact: at most
// 32 products x 128 x 32767 < 2^31.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock16<1>;

/// total += s * scales * d for 4 * n rows, before that mins * d_sum where there are minima (as in
/// GEMM); scales and minima as they lie behind a block's quants. Returns what comes behind them.
template <int n>
const std::uint8_t* add_scaled(const Vec s[n], const std::uint8_t* scales, const Block* x,
                               bool has_mins, Vec total[n]) {
  const std::uint8_t* end = scales + 8 * n;
  if (has_mins) {
    const Vec d_sum = load32_splat(x->d_sum);
    for (int r = 0; r < n; ++r, end += 8) {
      total[r] = f32x4_madd(f32x4_load_int16(end), d_sum, total[r]);
    }
  }
  const Vec d = load32_splat(x->d);
  for (int r = 0; r < n; ++r) {
    const Vec scale = f32x4_mul(f32x4_load_int16(scales + 8 * r), d);
    total[r] = f32x4_madd(f32x4_convert_i32x4(s[r]), scale, total[r]);
  }
  return end;
}

/// Dots of n columns, weights of a signed byte each: 4 sums of 4 rows.
template <int n>
void dot_bytes(const std::uint8_t* w, const std::int16_t* x, Vec s[4]) {
  for (int r = 0; r < 4; ++r) s[r] = i32x4_splat(0);
  take_steps<n / 2>([&] {
    const Vec y = load32_splat(x);
    for (int r = 0; r < 4; ++r) {
      s[r] = i32x4_add(s[r], i32x4_dot_i16x8(i16x8_load8x8(w + 8 * r), y));
    }
    w += 32;
    x += 2;
  });
}

template <int scales>
void gemv_bytes(const GemvJob& job) {
  const bool has_mins = quant_shape(job.w->format()).mins;

  gemv_blocks<4, Block>(job, [=](const std::uint8_t* w, const Block* x, Vec total[4]) {
    const std::uint8_t* w_scales = w + 512;
    for (int part = 0; part < scales; ++part) {
      Vec s[4];
      dot_bytes<32 / scales>(w + part * 256, x->q[0][0] + part * 16, s);
      w_scales = add_scaled<4>(s, w_scales, x, has_mins, total);
    }
    return w_scales;
  });
}

struct NibbleMasks {
  Vec n0 = keep_in_register(i16x8_splat(0x000f));
  Vec n1 = keep_in_register(i16x8_splat(0x00f0));
  Vec n2 = keep_in_register(i16x8_splat(0x0f00));
};

/// Dots of a block of 8 rows. The middle nibbles are multiplied where they lie in their lane and
/// the sums shifted down at the end: exact, and one instruction less for each.
inline void dot_nibbles(const std::uint8_t* w, const std::int16_t* x, const NibbleMasks& masks,
                        Vec start, Vec s[2]) {
  Vec s0[2], s1[2], s2[2];
  for (int r = 0; r < 2; ++r) {
    s0[r] = start;
    s1[r] = s2[r] = i32x4_splat(0);
  }
  take_steps<4>([&] {
    const Vec y0 = load32_splat(x), y1 = load32_splat(x + 2);
    const Vec y2 = load32_splat(x + 4), y3 = load32_splat(x + 6);
    for (int r = 0; r < 2; ++r) {
      const Vec q = load(w + 16 * r);
      s0[r] = i32x4_add(s0[r], i32x4_add(i32x4_dot_i16x8(v128_and(q, masks.n0), y0),
                                         i32x4_dot_i16x8(u16x8_shr<12>(q), y3)));
      s1[r] = i32x4_add(s1[r], i32x4_dot_i16x8(v128_and(q, masks.n1), y1));
      s2[r] = i32x4_add(s2[r], i32x4_dot_i16x8(v128_and(q, masks.n2), y2));
    }
    w += 32;
    x += 8;
  });
  for (int r = 0; r < 2; ++r) {
    s[r] = i32x4_add(s0[r], i32x4_add(i32x4_shr<4>(s1[r]), i32x4_shr<8>(s2[r])));
  }
}

void gemv_nibbles(const GemvJob& job) {
  const QuantShape shape = quant_shape(job.w->format());
  const NibbleMasks masks;
  const Vec has_zero_point = i32x4_splat(shape.zero_point > 0 ? -1 : 0);

  gemv_blocks<2, Block>(job, [=](const std::uint8_t* w, const Block* x, Vec total[2]) {
    Vec s[2];
    dot_nibbles(w, x->q[0][0], masks, v128_and(load32_splat(x->start_q4), has_zero_point), s);
    return add_scaled<2>(s, w + 128, x, shape.mins, total);
  });
}

}  // namespace

GemvKernel gemv_dot16(PackedFormat format) {
  const QuantShape shape = quant_shape(format);
  if (shape.bits == 4) return gemv_nibbles;
  return shape.scales == 2 ? gemv_bytes<2> : gemv_bytes<1>;
}

}  // namespace kvscope
