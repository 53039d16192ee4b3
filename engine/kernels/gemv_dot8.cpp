#include "kernels/gemv_tile.hpp"

// One token, weights of 4 to 6 bits, 8-bit activations. Products of a 7-bit unsigned and an 8-bit
// signed byte are summed in 16 bits as long as the sum provably fits, then widened once:
//   4 bits  16 products of a lane x 15 x 127 = 30480, or x (q - 8): 16256
//   5 bits  16 x 16 x 127 = 32512 with the zero point taken off
//   6 bits   8 x 32 x 127 = 32512, so twice for 32 columns (and that is where the scale changes)
// In between 16-bit sums may wrap, only the end has to fit.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock8<1>;

/// s += the dots of `groups` groups of 4 columns, weights stored a byte each.
[[maybe_unused]] inline void dot_bytes(const std::uint8_t* w, const std::int8_t* x, int groups,
                                       Vec s[4]) {
  const std::uint8_t* end = w + 64 * groups;
  KVSCOPE_ROLLED
  for (; w != end; w += 64, x += 4) {
    const Vec y = load32_splat(x);
    for (int r = 0; r < 4; ++r) s[r] = i16x8_add(s[r], i16x8_dot_i8x16_i7x16(y, load(w + 16 * r)));
  }
}

/// The same for a block of nibbles.
[[maybe_unused]] inline void dot_nibbles(const std::uint8_t* w, const std::int8_t* x, Vec low_mask,
                                         Vec s[4]) {
  const std::uint8_t* end = w + 256;
  KVSCOPE_ROLLED
  for (; w != end; w += 64, x += 4) {
    const Vec y0 = load32_splat(x), y1 = load32_splat(x + 16);
    for (int r = 0; r < 4; ++r) {
      const Vec q = load(w + 16 * r);
      s[r] = i16x8_add(s[r], i16x8_dot_i8x16_i7x16(y0, v128_and(q, low_mask)));
      s[r] = i16x8_add(s[r], i16x8_dot_i8x16_i7x16(y1, v128_and(u16x8_shr<4>(q), low_mask)));
    }
  }
}

template <PackedFormat format>
void gemv(const GemvJob& job) {
  constexpr QuantShape shape = quant_shape(format);
  const int n_blocks = job.w->cols() / block_cols;
  const Vec low_mask = keep_in_register(i8x16_splat(15));
  const Vec ones = keep_in_register(i16x8_splat(1));
  const Vec half = half_mask();

  gemv_tiles(job, result_lift, [&](const std::uint8_t* w, Vec sums[4]) {
    const Block* x = static_cast<const Block*>(job.x);
    start_sums<shape.mins>(w, reinterpret_cast<const float*>(x + n_blocks), n_blocks, sums);
    w += n_blocks * shape.min_bytes();
    for (int b = 0; b < n_blocks; ++b, ++x, w += shape.block_bytes()) {
      const std::uint8_t* scales = w + shape.quant_bytes();
      const Vec d = load32_splat(x->d);
      for (int part = 0; part < shape.scales; ++part) {
        Vec start = i32x4_splat(0);
        if (format == PackedFormat::q4) start = load32_splat(x->start_q4);
        if (shape.bits == 5)
          start = i16x8_add(load32_splat(x->start_q4), load32_splat(x->start_q4));
        if (format == PackedFormat::q6) start = load32_splat(x->start_q6[part]);
        Vec s[4] = {start, start, start, start};
        if constexpr (shape.bits == 4) {
          dot_nibbles(w, x->q[0][0], low_mask, s);
        } else {
          dot_bytes(w + part * 256, x->q[0][0] + part * 16, 8 / shape.scales, s);
        }
        for (int r = 0; r < 4; ++r) {
          s[r] = i32x4_dot_i16x8(s[r], ones);
          // Without a zero point 5 bits would not fit: it is put back where there is room.
          if (format == PackedFormat::q5m) s[r] = i32x4_sub(s[r], i32x4_dot_i16x8(start, ones));
          const Vec scale = f32x4_mul(f32x4_load_half(scales + part * 32 + 8 * r, half), d);
          sums[r] = f32x4_madd(f32x4_convert_i32x4(s[r]), scale, sums[r]);
        }
      }
    }
  });
}

}  // namespace

GemvKernel gemv_dot8(PackedFormat format) {
  if constexpr (has_dot8) {
    switch (format) {
      case PackedFormat::q4: return gemv<PackedFormat::q4>;
      case PackedFormat::q4m: return gemv<PackedFormat::q4m>;
      case PackedFormat::q5: return gemv<PackedFormat::q5>;
      case PackedFormat::q5m: return gemv<PackedFormat::q5m>;
      case PackedFormat::q6: return gemv<PackedFormat::q6>;
      default: break;
    }
  }
  return nullptr;
}

}  // namespace kvscope
