#include "kernels/gemm_panel.hpp"

// Several tokens, float weights: 8 rows x 4 tokens, a column at a time.

namespace kvscope {

namespace {

template <class Weights>
void gemm(const GemmJob& job) {
  std::fill_n(job.sums, job.groups * group_tokens * 16, 0.0f);
  add_columns<Weights>(job, tile_data(*job.w, job.tile), 0, job.w->cols());
}

}  // namespace

GemmKernel gemm_float(PackedFormat format) {
  switch (format) {
    case PackedFormat::f32: return gemm<FloatWeights>;
    case PackedFormat::f16: return gemm<HalfWeights>;
    case PackedFormat::bf16: return gemm<BfloatWeights>;
    default: return nullptr;
  }
}

}  // namespace kvscope
