#pragma once

#include <algorithm>
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

/// Queries are lifted so that the products with half-precision K (see load_batch) stay far from
/// both ends of float's range; the scores are brought back.
template <class Element>
constexpr float query_lift = sizeof(Element) == 2 && half_lift != 1.0f ? 0x1p64f : 1.0f;
template <class Element>
constexpr float score_lift = sizeof(Element) == 2 ? half_lift / query_lift<Element> : 1.0f;
/// Weights are at most 1, so they take all of V's lift.
template <class Element>
constexpr float weight_lift = sizeof(Element) == 2 ? half_lift : 1.0f;

/// sum[row] = q[row] . K[p] for the 8 positions p at k. q: (dims, Rows). k: (dims, 8).
template <int Rows, class Element>
void dot(EightLoader<Element> load, const float* q, const Element* k, int dims,
         FloatBatch sum[Rows][eight_batches]) {
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < eight_batches; ++i) sum[row][i] = FloatBatch(0.0f);
  }
#pragma GCC unroll 1
  for (int d = 0; d < dims; ++d, q += Rows, k += group_tokens) {
    FloatBatch keys[eight_batches];
    load(k, keys);
    for (int row = 0; row < Rows; ++row) {
      const FloatBatch query(q[row]);
      for (int i = 0; i < eight_batches; ++i) sum[row][i] = madd(keys[i], query, sum[row][i]);
    }
  }
}

/// scores[row * stride + p] = q[row] . K[p] for the 8 positions p at k.
/// q: (head_dim, Rows), lifted. k: (head_dim, 8).
template <int Rows, class Element>
void score(EightLoader<Element> load, const float* q, const Element* k, int head_dim, float* scores,
           std::size_t stride) {
  FloatBatch sum[Rows][eight_batches];
  dot<Rows>(load, q, k, head_dim, sum);
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < eight_batches; ++i) {
      (sum[row][i] * FloatBatch(score_lift<Element>))
          .store_unaligned(scores + row * stride + i * float_lanes);
    }
  }
}

/// The same for codes: k is blocks of { (32, 8) codes, 8 scales }.
template <int Rows>
void score(EightLoader<std::int8_t> load, const float* q, const std::int8_t* k, int head_dim,
           float* scores, std::size_t stride) {
  for (int first = 0; first < head_dim; first += kv_block_dims) {
    const int width = std::min(kv_block_dims, head_dim - first);
    FloatBatch sum[Rows][eight_batches], scale[eight_batches];
    dot<Rows>(load, q + first * Rows, k, width, sum);
    k += width * group_tokens;
    load.scales(k, scale);
    k += group_tokens * kv_scale_bytes;
    for (int row = 0; row < Rows; ++row) {
      for (int i = 0; i < eight_batches; ++i) {
        float* score = scores + row * stride + i * float_lanes;
        const FloatBatch before = first == 0 ? FloatBatch(0.0f) : load_batch(score);
        madd(sum[row][i], scale[i], before).store_unaligned(score);
      }
    }
  }
}

/// mixed[row][0 .. 8) = mixed * rescale[row] + sum over p < n of weights[row * stride + p] V[p]
/// v: (n, 8), one slice. mixed: rows of mixed_stride.
template <int Rows, class Element>
void mix(EightLoader<Element> load, const float* weights, std::size_t stride, const Element* v,
         int n, const float* rescale, float* mixed, std::size_t mixed_stride) {
  FloatBatch sum[Rows][eight_batches];
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < eight_batches; ++i) {
      sum[row][i] =
          load_batch(mixed + row * mixed_stride + i * float_lanes) * FloatBatch(rescale[row]);
    }
  }
#pragma GCC unroll 1
  for (int p = 0; p < n; ++p, v += kv_slice_dims, ++weights) {
    FloatBatch values[eight_batches];
    load(v, values);
    for (int row = 0; row < Rows; ++row) {
      const FloatBatch weight(weights[row * stride]);
      for (int i = 0; i < eight_batches; ++i) sum[row][i] = madd(values[i], weight, sum[row][i]);
    }
  }
  for (int row = 0; row < Rows; ++row) {
    for (int i = 0; i < eight_batches; ++i) {
      sum[row][i].store_unaligned(mixed + row * mixed_stride + i * float_lanes);
    }
  }
}

/// scaled = weights * the scale of V at each of n positions, in whole groups of 8.
template <int Rows>
void scale_weights(EightLoader<std::int8_t> load, const float* weights, const std::byte* scales,
                   int n, std::size_t stride, float* scaled) {
  for (int p = 0; p < n; p += group_tokens, scales += group_tokens * kv_scale_bytes) {
    FloatBatch scale[eight_batches];
    load.scales(scales, scale);
    for (int row = 0; row < Rows; ++row) {
      for (int i = 0; i < eight_batches; ++i) {
        const std::size_t at = row * stride + static_cast<std::size_t>(p + i * float_lanes);
        (load_batch(weights + at) * scale[i]).store_unaligned(scaled + at);
      }
    }
  }
}

}  // namespace kvscope::attention_tiles
