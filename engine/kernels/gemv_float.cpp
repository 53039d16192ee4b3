#include "kernels/float_columns.hpp"
#include "kernels/gemv_tile.hpp"

// One token, float weights. The chains of additions are faster than memory.

namespace kvscope {

namespace {

template <class Weights>
void gemv(const GemvJob& job) {
  const Weights weights;
  for (int t = job.tile_begin; t < job.tile_end; ++t) {
    float sums[PackedMatrix::tile_rows];
    gemv_columns(weights, tile_data(*job.w, t), static_cast<const float*>(job.x), job.w->cols(),
                 sums);
    const TileHeader header = tile_header(*job.w, t);
    finish_sums(job, t, 1, sums, &header);
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
