#include <algorithm>

#include "kernels/float_columns.hpp"
#include "kernels/gemm_panel.hpp"

// Several tokens, float weights: 8 rows x 4 tokens, a column at a time.

namespace kvscope {

namespace {

/// 8 rows x 4 tokens of running sums in registers.
struct Sums8x4 {
  simd::Vec v[2][group_tokens];

  explicit Sums8x4(const float* sums) {
    for (int t = 0; t < group_tokens; ++t) {
      v[0][t] = simd::load(sums + 16 * t);
      v[1][t] = simd::load(sums + 16 * t + 4);
    }
  }
  void store(float* sums) const {
    for (int t = 0; t < group_tokens; ++t) {
      simd::store(sums + 16 * t, v[0][t]);
      simd::store(sums + 16 * t + 4, v[1][t]);
    }
  }
};

/// sums += W x for 8 rows x 4 tokens. w: the 8 rows' part of [cols][16]; x: [cols][4].
void micro(const float* w, const float* x, int cols, float* out) {
  Sums8x4 sums(out);
  KVSCOPE_ROLLED
  for (const float* end = x + cols * group_tokens; x != end; x += group_tokens, w += 16) {
    const simd::Vec w0 = simd::load(w), w1 = simd::load(w + 4);
    for (int t = 0; t < group_tokens; ++t) {
      const simd::Vec xt = simd::load32_splat(x + t);
      sums.v[0][t] = simd::f32x4_madd(w0, xt, sums.v[0][t]);
      sums.v[1][t] = simd::f32x4_madd(w1, xt, sums.v[1][t]);
    }
  }
  sums.store(out);
}

/// job.sums = the product of weights [cols][16] with floats [cols][4], x_offset bytes into each
/// group.
template <class Weights>
void multiply(const GemmJob& job, std::size_t x_offset, int cols) {
  constexpr int most = 128;  // 8 KB, of which the L1 cache has 32
  const Weights weights;
  const std::uint8_t* w = tile_data(*job.w, job.tile);
  alignas(64) float panel[most * 16];
  std::fill_n(job.sums, job.groups * group_tokens * 16, 0.0f);
  in_parts(cols, most, [&](int first, int n) {
    for (int i = 0; i < 4 * n; ++i, w += 4 * weights.bytes) {
      simd::store(panel + 4 * i, weights.load4(w));
    }
    const std::size_t offset = static_cast<std::size_t>(first) * group_tokens * sizeof(float);
    for_groups(job, x_offset + offset, [&](int half, const std::byte* x, float* sums) {
      micro(panel + 8 * half, reinterpret_cast<const float*>(x), n, sums);
    });
  });
}

template <class Weights>
void gemm(const GemmJob& job) {
  multiply<Weights>(job, 0, job.w->cols());
}

}  // namespace

void start_sums(const GemmJob& job, std::size_t x_offset) {
  const bool has_mins = quant_shape(job.w->format()).mins;
  multiply<HalfWeights>(job, x_offset, has_mins ? job.w->cols() / block_cols : 0);
}

GemmKernel gemm_float(PackedFormat format) {
  switch (format) {
    case PackedFormat::f32: return gemm<FloatWeights>;
    case PackedFormat::f16: return gemm<HalfWeights>;
    case PackedFormat::bf16: return gemm<BfloatWeights>;
    default: return nullptr;
  }
}

}  // namespace kvscope
