#pragma once

#include "kernels/activation_blocks.hpp"
#include "kernels/dot_form.hpp"
#include "kernels/vec128.hpp"
#include "tensor/packed_layout.hpp"

namespace kvscope {

// How products of unsigned 7-bit weights q and 8-bit activations x become sums of (q - z) x times
// the weights' scale, by either relaxed dot (dot_form.hpp). GEMV and GEMM sum alike, and both dots
// give the same floats: the integer product, rounded once.

/// 16-bit sums, as long as the end provably fits; in between they may wrap.
///   4 bits  16 products of a lane x 15 x 127 = 30480, or x 8 x 127 with the zero point taken off
///   5 bits  16 x 16 x 127 = 32512 with a zero point of 16 taken off, and put back when there is
///           room, where the format has none
///   6 bits   8 x 32 x 127 = 32512: twice for 32 columns, and there the scale changes anyway
/// The two of a row are added by the instruction that multiplies them by its scale: below 2^15, so
/// that 2 x 32512 x 32767 < 2^31; below 2^14 in q5m, where a sum reaches 32 x 31 x 127.
template <PackedFormat format>
struct PairSums {
  static constexpr int scales = quant_shape(format).scales;
  static constexpr bool nibbles = quant_shape(format).bits == 4;
  static constexpr bool mins = quant_shape(format).mins;
  static constexpr auto load_scale = simd::i16x8_load16x4_pairs;  // of 4 rows, for finish()

  explicit PairSums(PackedFormat) {}

  template <class Block>
  simd::Vec start(const Block* x, int part, int token) const {
    if (format == PackedFormat::q4m) return simd::i32x4_splat(0);
    if (format == PackedFormat::q6) return simd::load32_splat(x->start_q6[part][token]);
    const simd::Vec start = simd::load32_splat(x->start_q4[token]);
    return format == PackedFormat::q4 ? start : simd::i16x8_add(start, start);
  }
  simd::Vec add(simd::Vec sum, simd::Vec x, simd::Vec q) const {
    return simd::i16x8_add(sum, simd::i16x8_dot_i8x16_i7x16(x, q));
  }
  simd::Vec finish(simd::Vec sum, simd::Vec start, simd::Vec scale) const {
    simd::Vec scaled = simd::i32x4_dot_i16x8(sum, scale);
    if (format == PackedFormat::q5m) {
      scaled = simd::i32x4_sub(scaled, simd::i32x4_dot_i16x8(start, scale));
    }
    return simd::f32x4_convert_i32x4(scaled);
  }
};

/// 32-bit sums: one piece of code for formats that differ in minima and zero points alone. They
/// start at the bits of a float whose last bit is worth 1, so that they are floats at the end, too
/// large by that start: a subtraction, which more of a core's units can do than a conversion.
template <bool are_nibbles, int n_scales>
struct QuadSums {
  static constexpr int scales = n_scales;
  static constexpr bool nibbles = are_nibbles;
  static constexpr auto load_scale = simd::f32x4_load_int16;
  bool mins;
  simd::Vec factor;  // start_q4 is for a zero point of 8
  simd::Vec origin = simd::keep_in_register(simd::f32x4_splat(0x1.8p23f));

  explicit QuadSums(PackedFormat format)
      : mins(quant_shape(format).mins),
        factor(simd::i16x8_splat(scales == 2 ? 1 : quant_shape(format).zero_point / 8)) {}

  template <class Block>
  simd::Vec start(const Block* x, int part, int token) const {
    if (mins) return origin;
    const std::int16_t* pair = scales == 2 ? x->start_q6[part][token] : x->start_q4[token];
    return simd::i32x4_add(simd::i32x4_dot_i16x8(simd::load32_splat(pair), factor), origin);
  }
  simd::Vec add(simd::Vec sum, simd::Vec x, simd::Vec q) const {
    return simd::i32x4_dot_i8x16_i7x16_add(x, q, sum);
  }
  simd::Vec finish(simd::Vec sum, simd::Vec, simd::Vec scale) const {
    return simd::f32x4_mul(simd::f32x4_sub(sum, origin), scale);
  }
};

/// pairs<Sums> or quads<Sums> for a format: calls f.template operator()<Sums>().
template <class F>
auto with_sums(PackedFormat format, DotForm form, F f) {
  if (form == DotForm::quads32) {
    const QuantShape shape = quant_shape(format);
    if (shape.bits == 4) return f.template operator()<QuadSums<true, 1>>();
    return shape.scales == 2 ? f.template operator()<QuadSums<false, 2>>()
                             : f.template operator()<QuadSums<false, 1>>();
  }
  switch (format) {
    case PackedFormat::q4: return f.template operator()<PairSums<PackedFormat::q4>>();
    case PackedFormat::q4m: return f.template operator()<PairSums<PackedFormat::q4m>>();
    case PackedFormat::q5: return f.template operator()<PairSums<PackedFormat::q5>>();
    case PackedFormat::q5m: return f.template operator()<PairSums<PackedFormat::q5m>>();
    default: return f.template operator()<PairSums<PackedFormat::q6>>();
  }
}

}  // namespace kvscope
