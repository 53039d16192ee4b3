#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/f32_batch.hpp"

// The two inner loops of attention. Both are small matrix products held in registers: Rows queries
// (the heads that share this K and V, for one or several tokens) against 8 positions, then Rows
// sets of weights against a few components of V.
namespace kvscope::attention_tiles {

/// K holds this many positions side by side.
constexpr int group_tokens = 8;

/// Queries are lifted so that the products with half-precision K (see load_batch) stay far from
/// both ends of float's range; the scores are brought back.
template <class Element>
constexpr float query_lift = sizeof(Element) == 2 && half_lift != 1.0f ? 0x1p64f : 1.0f;
template <class Element>
constexpr float score_lift = sizeof(Element) == 2 ? half_lift / query_lift<Element> : 1.0f;
/// Weights are at most 1, so they take all of V's lift.
template <class Element>
constexpr float weight_lift = sizeof(Element) == 2 ? half_lift : 1.0f;

/// scores[row * stride + p] = q[row] . K[p] for the 8 * Groups positions p at k.
/// q: (head_dim, Rows), lifted. k: (Groups, head_dim, 8).
template <int Rows, int Groups, class Element>
void score(const float* q, const Element* k, int head_dim, float* scores, std::size_t stride) {
  constexpr int per_group = group_tokens / float_lanes;
  FloatBatch sum[Rows][Groups][per_group];
  for (auto& row : sum) {
    for (auto& group : row) {
      for (auto& batch : group) batch = FloatBatch(0.0f);
    }
  }
  const std::size_t group_size = static_cast<std::size_t>(head_dim) * group_tokens;
#pragma GCC unroll 1
  for (int d = 0; d < head_dim; ++d, q += Rows, k += group_tokens) {
    FloatBatch keys[Groups][per_group];
    for (int g = 0; g < Groups; ++g) {
      for (int i = 0; i < per_group; ++i)
        keys[g][i] = load_batch(k + g * group_size + i * float_lanes);
    }
    for (int row = 0; row < Rows; ++row) {
      const FloatBatch query(q[row]);
      for (int g = 0; g < Groups; ++g) {
        for (int i = 0; i < per_group; ++i)
          sum[row][g][i] = madd(keys[g][i], query, sum[row][g][i]);
      }
    }
  }
  for (int row = 0; row < Rows; ++row) {
    for (int g = 0; g < Groups; ++g) {
      for (int i = 0; i < per_group; ++i) {
        const FloatBatch lowered = sum[row][g][i] * FloatBatch(score_lift<Element>);
        lowered.store_unaligned(scores + row * stride + g * group_tokens + i * float_lanes);
      }
    }
  }
}

/// mixed[row][0 .. Batches) = mixed * rescale[row] + sum over p < n of weights[row * stride + p]
/// V[p] v: rows of head_dim, at the first of the components to mix; mixed: rows of mixed_stride.
template <int Rows, int Batches, class Element>
void mix(const float* weights, std::size_t stride, const Element* v, int head_dim, int n,
         const float* rescale, float* mixed, std::size_t mixed_stride) {
  FloatBatch sum[Rows][Batches];
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < Batches; ++i) {
      sum[row][i] =
          load_batch(mixed + row * mixed_stride + i * float_lanes) * FloatBatch(rescale[row]);
    }
  }
#pragma GCC unroll 1
  for (int p = 0; p < n; ++p, v += head_dim, ++weights) {
    FloatBatch values[Batches];
    for (int i = 0; i < Batches; ++i) values[i] = load_batch(v + i * float_lanes);
    for (int row = 0; row < Rows; ++row) {
      const FloatBatch weight(weights[row * stride]);
      for (int i = 0; i < Batches; ++i) sum[row][i] = madd(values[i], weight, sum[row][i]);
    }
  }
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < Batches; ++i) {
      sum[row][i].store_unaligned(mixed + row * mixed_stride + i * float_lanes);
    }
  }
}

}  // namespace kvscope::attention_tiles
