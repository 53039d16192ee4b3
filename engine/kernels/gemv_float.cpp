#include "kernels/float_weights.hpp"
#include "kernels/gemv_tile.hpp"

// One token, float weights: a column of 16 rows at a time. One chain of additions a row, as in
// GEMM, so that both give the same bits; memory is slower than the chain.

namespace kvscope {

namespace {

using namespace simd;

template <PackedFormat format>
void gemv(const GemvJob& job) {
  const FloatWeights<format> weights;
  const int cols = job.w->cols();

  gemv_tiles(job, 1.0f, [&](const std::uint8_t* w, Vec sums[4]) {
    Vec acc[4];
    for (int r = 0; r < 4; ++r) acc[r] = f32x4_splat(0);
    const float* x = static_cast<const float*>(job.x);
    KVSCOPE_ROLLED
    for (const float* end = x + cols; x != end; ++x, w += 16 * weights.bytes) {
      const Vec y = load32_splat(x);
      for (int r = 0; r < 4; ++r) {
        acc[r] = f32x4_madd(weights.load4(w + 4 * r * weights.bytes), y, acc[r]);
      }
    }
    for (int r = 0; r < 4; ++r) sums[r] = acc[r];
  });
}

}  // namespace

GemvKernel gemv_float(PackedFormat format) {
  switch (format) {
    case PackedFormat::f32: return gemv<PackedFormat::f32>;
    case PackedFormat::f16: return gemv<PackedFormat::f16>;
    case PackedFormat::bf16: return gemv<PackedFormat::bf16>;
    default: return nullptr;
  }
}

}  // namespace kvscope
