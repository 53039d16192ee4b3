#include "kernels/gemm_panel.hpp"

// Several tokens, any quantised weights, 16-bit activations: 8 rows x 4 tokens at once, from
// weights unpacked to 16 bits, zero points taken off. The integers are those of gemv_dot16.cpp.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock16<group_tokens>;

/// A run of blocks of 8 rows to [pair][row][2].
void unpack_nibbles(const std::uint8_t* w, int block_bytes, int n_blocks, int zero_point,
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

/// 8 of 16 rows of blocks to [pair][row][2].
void unpack_bytes(const std::uint8_t* w, int block_bytes, int n_blocks, std::int16_t* out) {
  for (int b = 0; b < n_blocks; ++b, w += block_bytes) {
    for (int pair = 0; pair < 16; ++pair, out += 16) {
      store(out, i16x8_load8x8(w + 32 * pair));
      store(out + 8, i16x8_load8x8(w + 32 * pair + 8));
    }
  }
}

/// Blocks [first, first + n) of a tile of tile_blocks.
void unpack(const QuantShape& shape, const std::uint8_t* tile, int tile_blocks, int first, int n,
            Panel<std::int16_t>& panel) {
  for (int half = 0; half < 2; ++half) {
    int block_bytes = shape.block_bytes();
    const std::uint8_t* w;
    if (shape.bits == 4) {  // each half is a run of half blocks
      block_bytes /= 2;
      w = tile + (half * tile_blocks + first) * block_bytes;
      unpack_nibbles(w, block_bytes, n, shape.zero_point, panel.q[half]);
      w += shape.quant_bytes() / 2;
    } else {
      w = tile + first * block_bytes + 16 * half;
      unpack_bytes(w, block_bytes, n, panel.q[half]);
      w += shape.quant_bytes();
    }
    widen_blocks<f32x4_load_int16>(w, block_bytes, n, shape.scales, panel.scale[half]);
    w += (shape.bits == 4 ? 16 : 32) * shape.scales;
    if (shape.mins) widen_blocks<f32x4_load_int16>(w, block_bytes, n, 1, panel.min[half]);
  }
}

template <int scales>
void micro(const Panel<std::int16_t>& panel, int half, bool has_mins, const Block* x, int n_blocks,
           float* out) {
  const std::int16_t* w = panel.q[half];
  const std::int32_t* scale = panel.scale[half];
  const float* min = panel.min[half];
  for (int b = 0; b < n_blocks; ++b, ++x, min += 8) {
    const std::int16_t* y = x->q[0][0];
    for (int part = 0; part < scales; ++part, scale += 8) {
      Vec s[2][group_tokens];
      const auto step = [&] {
        const Vec w0 = load(w), w1 = load(w + 8);
        for (int t = 0; t < group_tokens; ++t) {
          const Vec yt = load32_splat(y + 2 * t);
          s[0][t] = i32x4_add(s[0][t], i32x4_dot_i16x8(w0, yt));
          s[1][t] = i32x4_add(s[1][t], i32x4_dot_i16x8(w1, yt));
        }
        w += 16;
        y += 2 * group_tokens;
      };
      for (int t = 0; t < group_tokens; ++t) s[0][t] = s[1][t] = i32x4_splat(0);
      take_steps<16 / scales>(step);
      for (int t = 0; t < group_tokens; ++t) {
        for (int r = 0; r < 2; ++r) s[r][t] = f32x4_convert_i32x4(s[r][t]);
      }
      const Vec scales_of[2] = {load(scale), load(scale + 4)};
      add_scaled(s, x, has_mins ? min : nullptr, out,
                 [&](Vec d, int rows) { return f32x4_mul(scales_of[rows], d); });
    }
  }
}

void gemm(const GemmJob& job) {
  const QuantShape shape = quant_shape(job.w->format());
  const auto multiply = shape.scales == 2 ? micro<2> : micro<1>;
  const int n_blocks = job.w->cols() / block_cols;
  const std::uint8_t* w = tile_data(*job.w, job.tile);
  Panel<std::int16_t> panel;
  for_panels<Block>(
      job, [&](int first, int n) { unpack(shape, w, n_blocks, first, n, panel); },
      [&](int half, const Block* x, int n, float* sums) {
        multiply(panel, half, shape.mins, x, n, sums);
      });
}

}  // namespace

GemmKernel gemm_dot16(PackedFormat) { return gemm; }

}  // namespace kvscope
