#include "kernels/dot8_sums.hpp"
#include "kernels/gemm_panel.hpp"

// Several tokens, weights of 4 to 6 bits, 8-bit activations: the sums of gemv_dot8.cpp, 8 rows x 4
// tokens at once, from weights unpacked to a byte each.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock8<group_tokens>;

/// Blocks to panel.q. The low halves of a block of nibbles are its first 16 columns.
void unpack(const QuantShape& shape, const std::uint8_t* w, int n_blocks, WidenScales widen_scales,
            Panel<std::uint8_t>& panel) {
  const Vec low_mask = keep_in_register(i8x16_splat(15));
  for (int half = 0; half < 2; ++half) {
    const std::uint8_t* in = w + 32 * half;
    std::uint8_t* out = panel.q[half];
    for (int b = 0; b < n_blocks; ++b, in += shape.block_bytes(), out += 256) {
      if (shape.bits == 4) {
        for (int i = 0; i < 8; ++i) {
          const Vec q = load(in + 64 * (i / 2) + 16 * (i % 2));
          store(out + 16 * i, v128_and(q, low_mask));
          store(out + 128 + 16 * i, v128_and(u16x8_shr<4>(q), low_mask));
        }
      } else {
        for (int i = 0; i < 16; ++i) store(out + 16 * i, load(in + 64 * (i / 2) + 16 * (i % 2)));
      }
    }
    in = w + shape.quant_bytes() + 16 * half;
    widen_scales(in, shape.block_bytes(), n_blocks, shape.scales, panel.scale[half]);
    in += 32 * shape.scales;
    if (shape.mins) {
      widen_blocks<f32x4_load_int16>(in, shape.block_bytes(), n_blocks, 1, panel.min[half]);
    }
  }
}

template <class Sums>
void micro(PackedFormat format, const Panel<std::uint8_t>& panel, int half, const Block* x,
           int n_blocks, float* out) {
  const Sums sums(format);
  const std::uint8_t* w = panel.q[half];
  const std::int32_t* scale = panel.scale[half];
  const float* min = panel.min[half];
  for (int b = 0; b < n_blocks; ++b, ++x, min += 8) {
    const std::int8_t* y = x->q[0][0];
    for (int part = 0; part < Sums::scales; ++part, scale += 8) {
      Vec s[2][group_tokens];
      const auto step = [&] {
        const Vec w0 = load(w), w1 = load(w + 16);
        for (int t = 0; t < group_tokens; ++t) {
          const Vec yt = load32_splat(y + 4 * t);
          s[0][t] = sums.add(s[0][t], yt, w0);
          s[1][t] = sums.add(s[1][t], yt, w1);
        }
        w += 32;
        y += 4 * group_tokens;
      };
      for (int t = 0; t < group_tokens; ++t) s[0][t] = s[1][t] = sums.start(x, part, t);
      take_steps<8 / Sums::scales>(step);
      const Vec scale0 = load(scale), scale1 = load(scale + 4);
      for (int t = 0; t < group_tokens; ++t) {
        const Vec start = sums.start(x, part, t);  // dead code but for q5m
        s[0][t] = sums.finish(s[0][t], start, scale0);
        s[1][t] = sums.finish(s[1][t], start, scale1);
      }
      add_scaled(s, x, sums.mins ? min : nullptr, out, [](Vec d, int) { return d; });
    }
  }
}

void multiply(const GemmJob& job, WidenScales widen_scales,
              decltype(&micro<QuadSums<true, 1>>) micro) {
  const PackedFormat format = job.w->format();
  const QuantShape shape = quant_shape(format);
  const std::uint8_t* w = tile_data(*job.w, job.tile);
  Panel<std::uint8_t> panel;
  for_panels<Block>(
      job,
      [&](int first, int n) {
        unpack(shape, w + first * shape.block_bytes(), n, widen_scales, panel);
      },
      [&](int half, const Block* x, int n, float* sums) {
        micro(format, panel, half, x, n, sums);
      });
}

template <class Sums>
void gemm(const GemmJob& job) {
  multiply(job, widen_blocks<Sums::load_scale, std::int32_t>, micro<Sums>);
}

}  // namespace

GemmKernel gemm_dot8(PackedFormat format, DotForm form) {
  if constexpr (has_dot8) {
    return with_sums(format, form, []<class Sums>() -> GemmKernel { return gemm<Sums>; });
  } else {
    return nullptr;
  }
}

}  // namespace kvscope
