#include "kernels/gemm_panel.hpp"

// Several tokens, any quantised weights, 16-bit activations: 8 rows x 4 tokens at once, from
// weights unpacked to 16 bits, zero points taken off. The integers are those of gemv_dot16.cpp.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock16<group_tokens>;

/// A run of blocks of 8 rows to [pair][row][2].
inline void unpack_nibbles(const std::uint8_t* w, int block_bytes, int n_blocks, int zero_point,
                           std::int16_t* out) {
  const Vec low_mask = keep_in_register(i16x8_splat(15));
  const Vec zero = keep_in_register(i16x8_splat(zero_point));
  for (int b = 0; b < n_blocks; ++b, w += block_bytes) {
    for (int g = 0; g < 4; ++g, out += 64) {
      for (int r = 0; r < 2; ++r) {
        const Vec q = load(w + 32 * g + 16 * r);
        std::int16_t* o = out + 8 * r;
        store(o, i16x8_sub(v128_and(q, low_mask), zero));
        store(o + 16, i16x8_sub(v128_and(u16x8_shr<4>(q), low_mask), zero));
        store(o + 32, i16x8_sub(v128_and(u16x8_shr<8>(q), low_mask), zero));
        store(o + 48, i16x8_sub(u16x8_shr<12>(q), zero));
      }
    }
  }
}

/// Blocks of 16 rows to two halves of [pair][row][2].
inline void unpack_bytes(const std::uint8_t* w, int block_bytes, int n_blocks,
                         Panel<std::int16_t>& panel) {
  for (int b = 0; b < n_blocks; ++b, w += block_bytes) {
    for (int pair = 0; pair < 16; ++pair) {
      for (int half = 0; half < 2; ++half) {
        const std::uint8_t* in = w + 32 * pair + 16 * half;
        std::int16_t* out = panel.q[half] + 256 * b + 16 * pair;
        store(out, i16x8_load8x8(in));
        store(out + 8, i16x8_load8x8(in + 8));
      }
    }
  }
}

template <PackedFormat format>
void unpack(const std::uint8_t* tile, int tile_blocks, int first, int n_blocks,
            Panel<std::int16_t>& panel) {
  constexpr QuantShape shape = quant_shape(format);
  constexpr bool nibbles = shape.bits == 4;  // then each half of 8 rows is a run of its own
  constexpr int block_bytes = shape.block_bytes() / (nibbles ? 2 : 1);
  const Vec mask = half_mask();
  if (!nibbles) unpack_bytes(tile + first * block_bytes, block_bytes, n_blocks, panel);
  for (int half = 0; half < 2; ++half) {
    const std::uint8_t* w = tile + first * block_bytes;
    if (nibbles) {
      w += half * tile_blocks * block_bytes;
      unpack_nibbles(w, block_bytes, n_blocks, shape.zero_point, panel.q[half]);
    }
    const std::uint8_t* scales = w + (nibbles ? 128 : shape.quant_bytes() + 16 * half);
    for (int b = 0; b < n_blocks; ++b, scales += block_bytes) {
      unpack_scales<shape.scales>(scales, 32, mask, panel.scale[half] + 8 * shape.scales * b);
    }
  }
}

template <int scales>
void micro(const std::int16_t* w, const float* scale, const Block* x, int n_blocks, float* out) {
  constexpr int pairs = 16 / scales;
  Sums8x4 sums(out);
  for (int b = 0; b < n_blocks; ++b, ++x) {
    const std::int16_t* y = x->q[0][0];
    for (int part = 0; part < scales; ++part, scale += 8) {
      Vec s[2][group_tokens];
      for (int t = 0; t < group_tokens; ++t) s[0][t] = s[1][t] = i32x4_splat(0);
      const std::int16_t* end = w + 16 * pairs;
      KVSCOPE_ROLLED
      for (; w != end; w += 16, y += 2 * group_tokens) {
        const Vec w0 = load(w), w1 = load(w + 8);
        for (int t = 0; t < group_tokens; ++t) {
          const Vec yt = load32_splat(y + 2 * t);
          s[0][t] = i32x4_add(s[0][t], i32x4_dot_i16x8(w0, yt));
          s[1][t] = i32x4_add(s[1][t], i32x4_dot_i16x8(w1, yt));
        }
      }
      const Vec scale0 = load(scale), scale1 = load(scale + 4);
      for (int t = 0; t < group_tokens; ++t) {
        const Vec d = load32_splat(x->d + t);
        sums.v[0][t] = f32x4_madd(f32x4_convert_i32x4(s[0][t]), f32x4_mul(scale0, d), sums.v[0][t]);
        sums.v[1][t] = f32x4_madd(f32x4_convert_i32x4(s[1][t]), f32x4_mul(scale1, d), sums.v[1][t]);
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
  Panel<std::int16_t> panel;
  in_parts(n_blocks, panel_blocks, [&](int first, int n) {
    unpack<format>(w, n_blocks, first, n, panel);
    for_groups(job, first * sizeof(Block), [&](int half, const std::byte* x, float* sums) {
      micro<shape.scales>(panel.q[half], panel.scale[half], reinterpret_cast<const Block*>(x), n,
                          sums);
    });
  });
}

}  // namespace

GemmKernel gemm_dot16(PackedFormat format) {
  switch (format) {
    case PackedFormat::q4: return gemm<PackedFormat::q4>;
    case PackedFormat::q4m: return gemm<PackedFormat::q4m>;
    case PackedFormat::q5: return gemm<PackedFormat::q5>;
    case PackedFormat::q5m: return gemm<PackedFormat::q5m>;
    case PackedFormat::q6: return gemm<PackedFormat::q6>;
    case PackedFormat::q8: return gemm<PackedFormat::q8>;
    default: return nullptr;
  }
}

}  // namespace kvscope
