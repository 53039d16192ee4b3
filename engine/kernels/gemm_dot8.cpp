#include "kernels/gemm_panel.hpp"

// Several tokens, weights of 4 to 6 bits, 8-bit activations: gemv_dot8.cpp's sums, 8 rows x 4
// tokens at once, from weights unpacked to a byte each.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock8<group_tokens>;

/// One tile's blocks to panel.q. A nibble block's low halves are its first 16 columns.
template <bool nibbles>
void unpack_weights(const std::uint8_t* w, int block_bytes, int n_blocks,
                    Panel<std::uint8_t>& panel) {
  const Vec low_mask = keep_in_register(i8x16_splat(15));
  for (int b = 0; b < n_blocks; ++b, w += block_bytes) {
    for (int half = 0; half < 2; ++half) {
      const std::uint8_t* in = w + 32 * half;
      std::uint8_t* out = panel.q[half] + 256 * b;
      for (int g = 0; g < (nibbles ? 4 : 8); ++g) {
        for (int r = 0; r < 2; ++r) {
          const Vec q = load(in + 64 * g + 16 * r);
          if constexpr (nibbles) {
            store(out + 32 * g + 16 * r, v128_and(q, low_mask));
            store(out + 128 + 32 * g + 16 * r, v128_and(u16x8_shr<4>(q), low_mask));
          } else {
            store(out + 32 * g + 16 * r, q);
          }
        }
      }
    }
  }
}

template <PackedFormat format>
void unpack(const std::uint8_t* w, int n_blocks, Panel<std::uint8_t>& panel) {
  constexpr QuantShape shape = quant_shape(format);
  const Vec mask = half_mask();
  unpack_weights<shape.bits == 4>(w, shape.block_bytes(), n_blocks, panel);
  for (int b = 0; b < n_blocks; ++b, w += shape.block_bytes()) {
    for (int half = 0; half < 2; ++half) {
      const std::uint8_t* scales = w + shape.quant_bytes() + 16 * half;
      unpack_scales<shape.scales>(scales, 32, mask, panel.scale[half] + 8 * shape.scales * b);
    }
  }
}

/// What the 16-bit sums of token t start from, to take the weights' zero point off.
template <PackedFormat format>
Vec start_of(const Block* x, int part, int t) {
  if (format == PackedFormat::q4) return load32_splat(x->start_q4[t]);
  if (format == PackedFormat::q6) return load32_splat(x->start_q6[part][t]);
  if (format == PackedFormat::q4m) return i32x4_splat(0);
  const Vec start = load32_splat(x->start_q4[t]);
  return i16x8_add(start, start);
}

template <PackedFormat format>
void micro(const std::uint8_t* w, const float* scale, const Block* x, int n_blocks, float* out) {
  constexpr QuantShape shape = quant_shape(format);
  constexpr int groups = 8 / shape.scales;
  const Vec ones = keep_in_register(i16x8_splat(1));
  Sums8x4 sums(out);
  for (int b = 0; b < n_blocks; ++b, ++x) {
    const std::int8_t* y = x->q[0][0];
    for (int part = 0; part < shape.scales; ++part, scale += 8) {
      Vec s[2][group_tokens];
      for (int t = 0; t < group_tokens; ++t) s[0][t] = s[1][t] = start_of<format>(x, part, t);
      const std::uint8_t* end = w + 32 * groups;
      KVSCOPE_ROLLED
      for (; w != end; w += 32, y += 4 * group_tokens) {
        const Vec w0 = load(w), w1 = load(w + 16);
        for (int t = 0; t < group_tokens; ++t) {
          const Vec yt = load32_splat(y + 4 * t);
          s[0][t] = i16x8_add(s[0][t], i16x8_dot_i8x16_i7x16(yt, w0));
          s[1][t] = i16x8_add(s[1][t], i16x8_dot_i8x16_i7x16(yt, w1));
        }
      }
      const Vec scale0 = load(scale), scale1 = load(scale + 4);
      for (int t = 0; t < group_tokens; ++t) {
        const Vec d = load32_splat(x->d + t);
        Vec s0 = i32x4_dot_i16x8(s[0][t], ones), s1 = i32x4_dot_i16x8(s[1][t], ones);
        if (format == PackedFormat::q5m) {
          const Vec put_back = i32x4_dot_i16x8(start_of<format>(x, part, t), ones);
          s0 = i32x4_sub(s0, put_back);
          s1 = i32x4_sub(s1, put_back);
        }
        sums.v[0][t] = f32x4_madd(f32x4_convert_i32x4(s0), f32x4_mul(scale0, d), sums.v[0][t]);
        sums.v[1][t] = f32x4_madd(f32x4_convert_i32x4(s1), f32x4_mul(scale1, d), sums.v[1][t]);
      }
    }
  }
  sums.store(out);
}

template <PackedFormat format>
void gemm(const GemmJob& job) {
  constexpr QuantShape shape = quant_shape(format);
  const int n_blocks = job.w->cols() / block_cols;
  const auto* tile = reinterpret_cast<const std::uint8_t*>(job.w->tile(job.tile));
  const std::uint8_t* mins = tile + sizeof(TileHeader);
  const std::uint8_t* w = mins + n_blocks * shape.min_bytes();
  start_sums<Block>(job, mins, shape.mins);
  Panel<std::uint8_t> panel;
  in_parts(n_blocks, panel_blocks, [&](int first, int n) {
    unpack<format>(w + first * shape.block_bytes(), n, panel);
    for_groups(job, first * sizeof(Block), [&](int half, const std::byte* x, float* sums) {
      micro<format>(panel.q[half], panel.scale[half], reinterpret_cast<const Block*>(x), n, sums);
    });
  });
}

}  // namespace

GemmKernel gemm_dot8(PackedFormat format) {
  if constexpr (has_dot8) {
    switch (format) {
      case PackedFormat::q4: return gemm<PackedFormat::q4>;
      case PackedFormat::q4m: return gemm<PackedFormat::q4m>;
      case PackedFormat::q5: return gemm<PackedFormat::q5>;
      case PackedFormat::q5m: return gemm<PackedFormat::q5m>;
      case PackedFormat::q6: return gemm<PackedFormat::q6>;
      default: break;
    }
  }
  return nullptr;
}

}  // namespace kvscope
