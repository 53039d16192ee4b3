#include "kernels/float_columns.hpp"
#include "kernels/gemv_tile.hpp"

// One token, float weights. The chains of additions are faster than memory.

namespace kvscope {

namespace {

template <class Weights>
void gemv(const GemvJob& job) {
  const Weights weights;
  gemv_tiles(job, job.tile_begin, [&](const std::uint8_t* w, float* sums) {
    gemv_columns(weights, w, static_cast<const float*>(job.x), job.w->cols(), sums);
  });
}

}  // namespace

GemvKernel gemv_float(PackedFormat format) {
  switch (format) {
    case PackedFormat::f32: return gemv<FloatWeights>;
    case PackedFormat::f16: return gemv<HalfWeights>;
    case PackedFormat::bf16: return gemv<BfloatWeights>;
    default: return nullptr;
  }
}

}  // namespace kvscope
