#include "kernels/gemv_tile.hpp"

// One token, any quantised weights, 16-bit activations, on plain SIMD128. Sums are exact: at most
// 32 products x 128 x 32767 < 2^31.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock16<1>;

/// Dots of `pairs` pairs of columns, weights of a signed byte each: 4 sums of 4 rows.
inline void dot_bytes(const std::uint8_t* w, const std::int16_t* x, int pairs, Vec s[4]) {
  for (int r = 0; r < 4; ++r) s[r] = i32x4_splat(0);
  const std::uint8_t* end = w + 32 * pairs;
  KVSCOPE_ROLLED
  for (; w != end; w += 32, x += 2) {
    const Vec y = load32_splat(x);
    for (int r = 0; r < 4; ++r) {
      s[r] = i32x4_add(s[r], i32x4_dot_i16x8(i16x8_load8x8(w + 8 * r), y));
    }
  }
}

template <int scales>
void gemv_bytes(const GemvJob& job) {
  const int n_blocks = job.w->cols() / block_cols;

  gemv_tiles<Block>(job, [&](const std::uint8_t* w, float* results) {
    const Block* x = static_cast<const Block*>(job.x);
    for (int b = 0; b < n_blocks; ++b, ++x) {
      const std::uint8_t* w_scales = w + 512;
      const Vec d = load32_splat(x->d);
      for (int part = 0; part < scales; ++part, w_scales += 32) {
        Vec s[4];
        dot_bytes(w + part * 256, x->q[0][0] + part * 16, 16 / scales, s);
        for (int r = 0; r < 4; ++r) {
          const Vec scale = f32x4_mul(f32x4_load_int16(w_scales + 8 * r), d);
          add_scaled(s[r], scale, results + 4 * r);
        }
      }
      w = w_scales;
    }
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
                        Vec s[2]) {
  Vec s0[2], s1[2], s2[2];
  for (int r = 0; r < 2; ++r) s0[r] = s1[r] = s2[r] = i32x4_splat(0);
  const std::uint8_t* end = w + 128;
  KVSCOPE_ROLLED
  for (; w != end; w += 32, x += 8) {
    const Vec y0 = load32_splat(x), y1 = load32_splat(x + 2);
    const Vec y2 = load32_splat(x + 4), y3 = load32_splat(x + 6);
    for (int r = 0; r < 2; ++r) {
      const Vec q = load(w + 16 * r);
      s0[r] = i32x4_add(s0[r], i32x4_add(i32x4_dot_i16x8(v128_and(q, masks.n0), y0),
                                         i32x4_dot_i16x8(u16x8_shr<12>(q), y3)));
      s1[r] = i32x4_add(s1[r], i32x4_dot_i16x8(v128_and(q, masks.n1), y1));
      s2[r] = i32x4_add(s2[r], i32x4_dot_i16x8(v128_and(q, masks.n2), y2));
    }
  }
  for (int r = 0; r < 2; ++r) {
    s[r] = i32x4_add(s0[r], i32x4_add(i32x4_shr<4>(s1[r]), i32x4_shr<8>(s2[r])));
  }
}

template <PackedFormat format>
void gemv_nibbles(const GemvJob& job) {
  const int n_blocks = job.w->cols() / block_cols;
  const NibbleMasks masks;

  gemv_tiles<Block>(job, [&](const std::uint8_t* w, float* results) {
    for (int rows = 0; rows < 2; ++rows, results += 8) {
      const Block* x = static_cast<const Block*>(job.x);
      for (int b = 0; b < n_blocks; ++b, ++x, w += 144) {
        Vec s[2];
        dot_nibbles(w, x->q[0][0], masks, s);
        const Vec d = load32_splat(x->d);
        for (int r = 0; r < 2; ++r) {
          if (format == PackedFormat::q4) s[r] = i32x4_sub(s[r], load32_splat(x->q4_zero));
          const Vec scale = f32x4_mul(f32x4_load_int16(w + 128 + 8 * r), d);
          add_scaled(s[r], scale, results + 4 * r);
        }
      }
    }
  });
}

}  // namespace

GemvKernel gemv_dot16(PackedFormat format) {
  if (format == PackedFormat::q4) return gemv_nibbles<PackedFormat::q4>;
  if (format == PackedFormat::q4m) return gemv_nibbles<PackedFormat::q4m>;
  return quant_shape(format).scales == 2 ? gemv_bytes<2> : gemv_bytes<1>;
}

}  // namespace kvscope
