#include "kernels/float_columns.hpp"
#include "kernels/gemv_tile.hpp"

// One token, float weights. The chains of additions are faster than memory.

namespace kvscope {

namespace {

template <class Weights>
void gemv(const GemvJob& job) {
  const Weights weights;
  const auto* x = static_cast<const float*>(job.x);
  for (int tile = job.tile_begin; tile < job.tile_end; ++tile) {
    alignas(64) float sums[PackedMatrix::tile_rows];
    gemv_columns(weights, tile_data(*job.w, tile), x, job.w->cols(), sums);
    finish_tile(*job.w, tile, sums, job.accumulate, job.y + tile * PackedMatrix::tile_rows);
  }
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
