#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/attention_tiles.hpp"
#include "kernels/kv_pages.hpp"
#include "tensor/half.hpp"

namespace kvscope {

/// The longest run.
constexpr int max_run_tokens = 256;

/// K and V of a run of positions within one page, as floats, halves or, in q8_0, 8-bit codes.
template <class Element>
struct KvRun {
  static constexpr bool quantised = std::is_same_v<Element, std::int8_t>;

  const Element* k;  // whole groups of 8
  const Element* v;  // the V of its page: slices of page_tokens positions …
  int in_page;       // … of which the run's are those from here on
  int page_tokens;
  int head_dim;
  int first_position;
  int n_tokens;

  /// The run from `position` on, as far as its page and n_tokens go.
  static KvRun of(const KvPages& kv, int position, int n_tokens) {
    const int in_page = position % kv.page_tokens;
    const std::byte* page = kv.pages[position / kv.page_tokens];
    const std::size_t k_before =
        static_cast<std::size_t>(in_page) * kv_row_bytes(kv.type, kv.head_dim);
    return {.k = reinterpret_cast<const Element*>(page + kv.k_offset + k_before),
            .v = reinterpret_cast<const Element*>(page + kv.v_offset),
            .in_page = in_page,
            .page_tokens = kv.page_tokens,
            .head_dim = kv.head_dim,
            .first_position = position,
            .n_tokens = std::min(kv.page_tokens - in_page, n_tokens)};
  }

  /// K of the 8 positions from p on.
  const Element* k_group(int p) const {
    const std::size_t row =
        quantised ? kv_row_bytes(KvType::q8_0, head_dim) : static_cast<std::size_t>(head_dim);
    return k + static_cast<std::size_t>(p) * row;
  }

  /// V of components d … d + width, a slice; d is a multiple of 8.
  const Element* v_slice(int d, int width) const {
    std::size_t before = static_cast<std::size_t>(d);
    if constexpr (quantised) before += (d / kv_block_dims + 1) * kv_scale_bytes;
    return v + before * page_tokens + static_cast<std::size_t>(in_page) * width;
  }

  /// Loads the first bytes of each slice, so that their way from memory is under way, all at once,
  /// when the slices are read one after another.
  void touch_v() const {
    for (int d = 0; d < head_dim; d += kv_slice_dims) {
      const int width = std::min(kv_slice_dims, head_dim - d);
      static_cast<void>(*reinterpret_cast<const volatile char*>(v_slice(d, width)));
    }
  }

  /// Scales of V in the block that begins at component d, one a position.
  const std::byte* v_scales(int d) const {
    const int block_bytes = kv_block_dims + kv_scale_bytes;
    return reinterpret_cast<const std::byte*>(v) +
           static_cast<std::size_t>(d / kv_block_dims) * block_bytes * page_tokens +
           static_cast<std::size_t>(in_page) * kv_scale_bytes;
  }
};

/// scores[row * stride + p] = q[row] . K[p] for p < n, and on to a multiple of 8.
/// q: (head_dim, Rows), times query_lift<Element>.
template <int Rows, class Element>
void score_run(const KvRun<Element>& run, const float* q, int n, float* scores,
               std::size_t stride) {
  const EightLoader<Element> load;
  for (int p = 0; p < n; p += attention_tiles::group_tokens) {
    attention_tiles::score<Rows>(load, q, run.k_group(p), run.head_dim, scores + p, stride);
  }
}

inline float unlifted(float x) { return x; }
inline float unlifted(std::uint16_t x) { return half_to_float(x) / half_lift; }
inline float unlifted(std::int8_t x) { return x; }

/// One slice of fewer than 8 components, for any number of rows. Few models have one: no copy of it
/// in each of the callers.
template <class Element>
[[gnu::noinline]] void mix_narrow_slice(const float* weights, std::size_t stride, int rows,
                                        const Element* v, int width, int n, const float* rescale,
                                        float* mixed, std::size_t mixed_stride) {
#pragma GCC unroll 1
  for (int row = 0; row < rows; ++row, weights += stride, mixed += mixed_stride) {
#pragma GCC unroll 1
    for (int i = 0; i < width; ++i) {
      float sum = mixed[i] * rescale[row];
#pragma GCC unroll 1
      for (int p = 0; p < n; ++p) sum += weights[p] * unlifted(v[p * width + i]);
      mixed[i] = sum;
    }
  }
}

/// mixed[row] = mixed * rescale[row] + sum over p < n of weights[row * stride + p] V[p].
/// weights: times weight_lift<Element>, up to the next multiple of 8 there may be anything.
/// scratch: as large as weights, for q8_0.
template <int Rows, class Element>
void mix_run(const KvRun<Element>& run, const float* weights, std::size_t stride, int n,
             const float* rescale, float* mixed, std::size_t mixed_stride, float* scratch) {
  const EightLoader<Element> load;
  for (int d = 0; d < run.head_dim; d += kv_slice_dims) {
    if constexpr (KvRun<Element>::quantised) {
      if (d % kv_block_dims == 0) {
        attention_tiles::scale_weights<Rows>(load, weights, run.v_scales(d), n, stride, scratch);
      }
    }
    const float* scaled = KvRun<Element>::quantised ? scratch : weights;
    const int width = std::min(kv_slice_dims, run.head_dim - d);
    const Element* v = run.v_slice(d, width);
    if (width == kv_slice_dims) {
      attention_tiles::mix<Rows>(load, scaled, stride, v, n, rescale, mixed + d, mixed_stride);
    } else {
      mix_narrow_slice(scaled, stride, Rows, v, width, n, rescale, mixed + d, mixed_stride);
    }
  }
}

/// The run in f32. k_panel and v_panel: (panel_tokens, head_dim) each, in the pages' layout.
KvRun<float> expand(const KvRun<std::uint16_t>& run, float* k_panel, float* v_panel,
                    int panel_tokens);
KvRun<float> expand(const KvRun<std::int8_t>& run, float* k_panel, float* v_panel,
                    int panel_tokens);

}  // namespace kvscope
