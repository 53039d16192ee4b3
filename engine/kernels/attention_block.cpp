#include "kernels/attention_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/attention_tiles.hpp"
#include "kernels/exp.hpp"

namespace kvscope {
namespace {

namespace tiles = attention_tiles;

constexpr int tile_rows = 4;  // 4 rows x 8 positions: 8 accumulators of WebAssembly's 16 registers
constexpr int score_stride = 256;  // the longest chunk
// A block of so few rows converts f16 each time it reads it, a larger one once per chunk.
constexpr int few_rows = 8;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Positions that K and V are read for in one go. Long runs suit the prefetcher, but both halves
/// must stay in the second-level cache until the next tile of rows: 64 KB each in f32.
int chunk_for(int head_dim) {
  return std::clamp(16384 / head_dim / tiles::group_tokens * tiles::group_tokens, 32, score_stride);
}

std::size_t round_up(int n, int multiple) {
  return static_cast<std::size_t>((n + multiple - 1) / multiple * multiple);
}

/// Turns the n scores of a row into weights (times lift), the rest up to n_padded into zeros.
/// Returns what the weights of earlier chunks must be multiplied by.
float softmax_step(float* scores, int n, int n_padded, float lift, float& largest, float& sum) {
  std::fill(scores + n, scores + n_padded, minus_infinity);
  FloatBatch highest(largest);
  for (int p = 0; p < n_padded; p += float_lanes) {
    highest = xsimd::max(highest, load_batch(scores + p));
  }
  const float before = largest;
  largest = xsimd::reduce_max(highest);
  const FloatBatch maximum(largest), lifts(lift);
  FloatBatch sums(0.0f);
  for (int p = 0; p < n_padded; p += float_lanes) {
    const FloatBatch weight = exp_batch(load_batch(scores + p) - maximum);
    (weight * lifts).store_unaligned(scores + p);
    sums += weight;
  }
  const float rescale = before == largest ? 1.0f : std::exp(before - largest);
  sum = sum * rescale + xsimd::reduce_add(sums);
  return rescale;
}

void to_floats(const std::uint16_t* in, std::size_t n, float* out) {
  const FloatBatch lift(half_lift);
  std::size_t i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    (load_batch(in + i) * lift).store_unaligned(out + i);
  }
  for (; i < n; ++i) out[i] = half_to_float(in[i]);
}

float unlifted(float x) { return x; }
float unlifted(std::uint16_t x) { return half_to_float(x) / half_lift; }

}  // namespace

std::size_t AttentionBlock::scratch_floats(int head_dim) {
  const std::size_t rows = 2 * max_rows;
  const std::size_t panels = 2 * static_cast<std::size_t>(chunk_for(head_dim));
  return (rows + panels) * round_up(head_dim, kv_slice_dims) + rows + tile_rows * score_stride;
}

AttentionBlock::AttentionBlock(const AttentionArgs& args, int first_row, int n_rows)
    : args_(args),
      head_dim_(args.kv.head_dim),
      first_row_(first_row),
      n_rows_(n_rows),
      chunk_tokens_(chunk_for(head_dim_)),
      mixed_stride_(round_up(head_dim_, kv_slice_dims)) {
  float* scratch = args.scratch;
  const auto take = [&](std::size_t n) { return std::exchange(scratch, scratch + n); };
  q_ = take(max_rows * mixed_stride_);
  mixed_ = take(max_rows * mixed_stride_);
  largest_ = take(max_rows);
  sum_ = take(max_rows);
  scores_ = take(tile_rows * score_stride);
  k_panel_ = take(mixed_stride_ * static_cast<std::size_t>(chunk_tokens_));
  v_panel_ = take(mixed_stride_ * static_cast<std::size_t>(chunk_tokens_));
  prepare_queries();
  std::fill_n(mixed_, static_cast<std::size_t>(n_rows) * mixed_stride_, 0.0f);
  std::fill_n(largest_, n_rows, minus_infinity);
  std::fill_n(sum_, n_rows, 0.0f);
}

int AttentionBlock::end_position() const {
  return args_.first_position + (first_row_ + n_rows_ - 1) / args_.group + 1;
}

void AttentionBlock::attend(int begin, int end) {
  for (int position = begin; position < end;) {
    if (args_.kv.type == KvType::f32) {
      const auto chunk = chunk_at<float>(position, end);
      attend_chunk(chunk);
      position += chunk.n_tokens;
    } else {
      const auto chunk = chunk_at<std::uint16_t>(position, end);
      if (converts_while_reading()) {
        attend_chunk(chunk);
      } else {
        attend_chunk(expand(chunk));
      }
      position += chunk.n_tokens;
    }
  }
}

void AttentionBlock::write_out() const {
  for (int row = 0; row < n_rows_; ++row) {
    const int token = (first_row_ + row) / args_.group;
    const int head = (first_row_ + row) % args_.group;
    float* out = args_.out + token * args_.out_stride + static_cast<std::size_t>(head) * head_dim_;
    const float scale = 1.0f / sum_[row];
    const float* mixed = mixed_ + row * mixed_stride_;
    for (int d = 0; d < head_dim_; ++d) out[d] = mixed[d] * scale;
  }
}

void AttentionBlock::write_part(float* part) const {
  for (int row = 0; row < n_rows_; ++row) {
    part = std::copy_n(mixed_ + row * mixed_stride_, head_dim_, part);
    *part++ = largest_[row];
    *part++ = sum_[row];
  }
}

bool AttentionBlock::converts_while_reading() const {
  return args_.kv.type == KvType::f16 && n_rows_ <= few_rows;
}

/// Rows are shared out evenly over the tiles: 5 rows are 2 + 3, not 4 + 1.
int AttentionBlock::tile_end(int tile) const {
  const int n_tiles = (n_rows_ + tile_rows - 1) / tile_rows;
  return n_rows_ * (tile + 1) / n_tiles;
}

/// How many of a chunk's positions a row sees: those up to its own token's.
int AttentionBlock::visible(int row, int first_position, int n_tokens) const {
  const int position = args_.first_position + (first_row_ + row) / args_.group;
  return std::clamp(position + 1 - first_position, 0, n_tokens);
}

void AttentionBlock::prepare_queries() {
  const float scale =
      args_.scale * (converts_while_reading() ? tiles::query_lift<std::uint16_t> : 1.0f);
  float* out = q_;
  for (int tile = 0, row = 0; row < n_rows_; ++tile) {
    const int end = tile_end(tile), rows = end - row;
    for (int r = 0; r < rows; ++r, ++row) {
      const int token = (first_row_ + row) / args_.group;
      const int head = (first_row_ + row) % args_.group;
      const float* q =
          args_.q + token * args_.q_stride + static_cast<std::size_t>(head) * head_dim_;
      for (int d = 0; d < head_dim_; ++d) out[d * rows + r] = q[d] * scale;
    }
    out += rows * head_dim_;
  }
}

template <class Element>
AttentionBlock::Chunk<Element> AttentionBlock::chunk_at(int position, int end) const {
  const KvPages& kv = args_.kv;
  const int in_page = position % kv.page_tokens;
  const std::byte* page = kv.pages[position / kv.page_tokens];
  return {.k = reinterpret_cast<const Element*>(page + kv.k_offset) +
               static_cast<std::size_t>(in_page) * head_dim_,
          .v = reinterpret_cast<const Element*>(page + kv.v_offset),
          .in_page = in_page,
          .page_tokens = kv.page_tokens,
          .first_position = position,
          .n_tokens = std::min({chunk_tokens_, kv.page_tokens - in_page, end - position})};
}

/// The chunk in f32, in the panels.
AttentionBlock::Chunk<float> AttentionBlock::expand(const Chunk<std::uint16_t>& chunk) const {
  to_floats(chunk.k, round_up(chunk.n_tokens, tiles::group_tokens) * head_dim_, k_panel_);
  const Chunk<float> out{.k = k_panel_,
                         .v = v_panel_,
                         .in_page = 0,
                         .page_tokens = chunk_tokens_,
                         .first_position = chunk.first_position,
                         .n_tokens = chunk.n_tokens};
  for (int d = 0; d < head_dim_; d += kv_slice_dims) {
    const int width = std::min(kv_slice_dims, head_dim_ - d);
    to_floats(chunk.v_slice(d, width), static_cast<std::size_t>(chunk.n_tokens) * width,
              v_panel_ + (out.v_slice(d, width) - out.v));
  }
  return out;
}

template <class Element>
void AttentionBlock::attend_chunk(const Chunk<Element>& chunk) {
  for (int tile = 0, row = 0; row < n_rows_; ++tile) {
    const int end = tile_end(tile);
    switch (end - row) {
      case 1: attend_tile<1>(chunk, row); break;
      case 2: attend_tile<2>(chunk, row); break;
      case 3: attend_tile<3>(chunk, row); break;
      default: attend_tile<tile_rows>(chunk, row); break;
    }
    row = end;
  }
}

template <int Rows, class Element>
void AttentionBlock::attend_tile(const Chunk<Element>& chunk, int first) {
  const auto seen = [&](int row) { return visible(row, chunk.first_position, chunk.n_tokens); };
  const int n = seen(first + Rows - 1);  // the last row sees most
  if (n == 0) return;
  score_tile<Rows>(chunk, first, n);
  const int n_padded = static_cast<int>(round_up(n, tiles::group_tokens));
  float rescale[Rows];
  for (int row = 0; row < Rows; ++row) {
    rescale[row] =
        softmax_step(scores_ + row * score_stride, seen(first + row), n_padded,
                     tiles::weight_lift<Element>, largest_[first + row], sum_[first + row]);
  }
  mix_tile<Rows>(chunk, first, n, rescale);
}

template <int Rows, class Element>
void AttentionBlock::score_tile(const Chunk<Element>& chunk, int first, int n) {
  const float* q = q_ + static_cast<std::size_t>(first) * head_dim_;
  const Element* k = chunk.k;
  for (int p = 0; p < n; p += tiles::group_tokens, k += head_dim_ * tiles::group_tokens) {
    tiles::score<Rows>(q, k, head_dim_, scores_ + p, score_stride);
  }
}

template <int Rows, class Element>
void AttentionBlock::mix_tile(const Chunk<Element>& chunk, int first, int n, const float* rescale) {
  float* mixed = mixed_ + first * mixed_stride_;
  int d = 0;
  for (; d + kv_slice_dims <= head_dim_; d += kv_slice_dims) {
    tiles::mix<Rows>(scores_, score_stride, chunk.v_slice(d, kv_slice_dims), n, rescale, mixed + d,
                     mixed_stride_);
  }
  const int width = head_dim_ - d;  // of the last slice, when head_dim is no multiple of 8
  const Element* rest = chunk.v_slice(d, width);
  for (int i = 0; i < width; ++i) {
    for (int row = 0; row < Rows; ++row) {
      float& sum = mixed[row * mixed_stride_ + d + i];
      sum *= rescale[row];
      for (int p = 0; p < n; ++p) {
        sum += scores_[row * score_stride + p] * unlifted(rest[p * width + i]);
      }
    }
  }
}

}  // namespace kvscope
