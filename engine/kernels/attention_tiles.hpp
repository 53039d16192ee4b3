#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/f32_batch.hpp"
#include "kernels/kv_pages.hpp"

// The two inner loops of attention. Both are small matrix products held in registers: Rows queries
// (the heads that share this K and V, for one or several tokens) against 8 positions, then Rows
// sets of weights against 8 components of V. Each reads one stream of memory in order and keeps its
// loop rolled: unrolled, or with two streams, V8 runs out of registers and the prefetcher out of
// its depth (measured: 21 GMAC/s became 14).
namespace kvscope::attention_tiles {

/// K holds this many positions side by side.
constexpr int group_tokens = 8;
constexpr int per_group = group_tokens / float_lanes;
constexpr int per_slice = kv_slice_dims / float_lanes;

/// Queries are lifted so that the products with half-precision K (see load_batch) stay far from
/// both ends of float's range; the scores are brought back.
template <class Element>
constexpr float query_lift = sizeof(Element) == 2 && half_lift != 1.0f ? 0x1p64f : 1.0f;
template <class Element>
constexpr float score_lift = sizeof(Element) == 2 ? half_lift / query_lift<Element> : 1.0f;
/// Weights are at most 1, so they take all of V's lift.
template <class Element>
constexpr float weight_lift = sizeof(Element) == 2 ? half_lift : 1.0f;

/// scores[row * stride + p] = q[row] . K[p] for the 8 positions p at k.
/// q: (head_dim, Rows), lifted. k: (head_dim, 8).
template <int Rows, class Element>
void score(const float* q, const Element* k, int head_dim, float* scores, std::size_t stride) {
  FloatBatch sum[Rows][per_group];
  for (auto& row : sum) {
    for (auto& batch : row) batch = FloatBatch(0.0f);
  }
#pragma GCC unroll 1
  for (int d = 0; d < head_dim; ++d, q += Rows, k += group_tokens) {
    FloatBatch keys[per_group];
    for (int i = 0; i < per_group; ++i) keys[i] = load_batch(k + i * float_lanes);
    for (int row = 0; row < Rows; ++row) {
      const FloatBatch query(q[row]);
      for (int i = 0; i < per_group; ++i) sum[row][i] = madd(keys[i], query, sum[row][i]);
    }
  }
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < per_group; ++i) {
      (sum[row][i] * FloatBatch(score_lift<Element>))
          .store_unaligned(scores + row * stride + i * float_lanes);
    }
  }
}

/// mixed[row][0 .. 8) = mixed * rescale[row] + sum over p < n of weights[row * stride + p] V[p]
/// v: (n, 8), one slice. mixed: rows of mixed_stride.
template <int Rows, class Element>
void mix(const float* weights, std::size_t stride, const Element* v, int n, const float* rescale,
         float* mixed, std::size_t mixed_stride) {
  FloatBatch sum[Rows][per_slice];
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < per_slice; ++i) {
      sum[row][i] =
          load_batch(mixed + row * mixed_stride + i * float_lanes) * FloatBatch(rescale[row]);
    }
  }
#pragma GCC unroll 1
  for (int p = 0; p < n; ++p, v += kv_slice_dims, ++weights) {
    FloatBatch values[per_slice];
    for (int i = 0; i < per_slice; ++i) values[i] = load_batch(v + i * float_lanes);
    for (int row = 0; row < Rows; ++row) {
      const FloatBatch weight(weights[row * stride]);
      for (int i = 0; i < per_slice; ++i) sum[row][i] = madd(values[i], weight, sum[row][i]);
    }
  }
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < per_slice; ++i) {
      sum[row][i].store_unaligned(mixed + row * mixed_stride + i * float_lanes);
    }
  }
}

}  // namespace kvscope::attention_tiles
