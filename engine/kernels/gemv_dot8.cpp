#include "kernels/dot8_sums.hpp"
#include "kernels/gemv_tile.hpp"
#include "kernels/take_steps.hpp"

// One token, weights of 4 to 6 bits, 8-bit activations: 16 rows at a time.

namespace kvscope {

namespace {

using namespace simd;
using Block = ActivationBlock8<1>;

/// s += the dots of n columns, weights stored a byte each.
template <int n, class Sums>
void add_bytes(const Sums& sums, const std::uint8_t* w, const std::int8_t* x, Vec s[4]) {
  take_steps<n / 4>([&] {
    const Vec y = load32_splat(x);
    for (int r = 0; r < 4; ++r) s[r] = sums.add(s[r], y, load(w + 16 * r));
    w += 64;
    x += 4;
  });
}

/// The same for a block of nibbles.
template <class Sums>
void add_nibbles(const Sums& sums, const std::uint8_t* w, const std::int8_t* x, Vec low_mask,
                 Vec s[4]) {
  take_steps<4>([&] {
    const Vec y0 = load32_splat(x), y1 = load32_splat(x + 16);
    for (int r = 0; r < 4; ++r) {
      const Vec q = load(w + 16 * r);
      s[r] = sums.add(s[r], y0, v128_and(q, low_mask));
      s[r] = sums.add(s[r], y1, v128_and(u16x8_shr<4>(q), low_mask));
    }
    w += 64;
    x += 4;
  });
}

template <class Sums>
void gemv(const GemvJob& job) {
  constexpr int quant_bytes = Sums::nibbles ? 256 : 512;
  const Sums sums(job.w->format());
  const Vec low_mask = keep_in_register(i8x16_splat(15));

  gemv_blocks<4, Block>(job, [=](const std::uint8_t* w, const Block* x, Vec total[4]) {
    const std::uint8_t* scales = w + quant_bytes;
    for (int part = 0; part < Sums::scales; ++part, scales += 32) {
      const Vec start = sums.start(x, part, 0);
      Vec s[4] = {start, start, start, start};
      if constexpr (Sums::nibbles) {
        add_nibbles(sums, w, x->q[0][0], low_mask, s);
      } else {
        add_bytes<32 / Sums::scales>(sums, w + part * 256, x->q[0][0] + part * 16, s);
      }
      if (sums.mins) {  // first, as in GEMM
        const Vec d_sum = load32_splat(x->d_sum);
        for (int r = 0; r < 4; ++r) {
          total[r] = f32x4_madd(f32x4_load_int16(scales + 32 + 8 * r), d_sum, total[r]);
        }
      }
      const Vec d = load32_splat(x->d);
      for (int r = 0; r < 4; ++r) {
        const Vec sum = sums.finish(s[r], start, sums.load_scale(scales + 8 * r));
        total[r] = f32x4_madd(sum, d, total[r]);
      }
    }
    return sums.mins ? scales + 32 : scales;
  });
}

}  // namespace

GemvKernel gemv_dot8(PackedFormat format, DotForm form) {
  if constexpr (has_dot8) {
    return with_sums(format, form, []<class Sums>() -> GemvKernel { return gemv<Sums>; });
  } else {
    return nullptr;
  }
}

}  // namespace kvscope
