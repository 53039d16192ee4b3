#include "kernels/attention_block.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/elementary.hpp"
#include "kernels/exp.hpp"
#include "kernels/vec128.hpp"

namespace kvscope {
namespace {

namespace tiles = attention_tiles;

constexpr int tile_rows = 4;  // 4 rows x 8 positions: 8 accumulators of WebAssembly's 16 registers
constexpr int score_stride = max_run_tokens;
// A block of so few rows converts f16 and q8_0 each time it reads them, a larger one once per run.
constexpr int few_rows = 8;
constexpr int short_run = 64;  // reading a longer one takes longer than its beginnings take to come

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Positions that K and V are read for in one go. Long runs suit the prefetcher, but both halves
/// must stay in the second-level cache until the next tile of rows: 64 KB each in f32.
int run_for(int head_dim) {
  return std::clamp(16384 / head_dim / tiles::group_tokens * tiles::group_tokens, 32, score_stride);
}

std::size_t round_up(int n, int multiple) {
  return static_cast<std::size_t>((n + multiple - 1) / multiple * multiple);
}

/// score_run and mix_run for one number of rows: what is worth twelve copies.
template <class Element>
struct TileLoops {
  decltype(&score_run<1, Element>) score;
  decltype(&mix_run<1, Element>) mix;
};
template <class Element>
constexpr TileLoops<Element> tile_loops[tile_rows] = {
    {score_run<1, Element>, mix_run<1, Element>},
    {score_run<2, Element>, mix_run<2, Element>},
    {score_run<3, Element>, mix_run<3, Element>},
    {score_run<4, Element>, mix_run<4, Element>},
};

/// Turns the n scores of a row into weights (times lift), the rest up to n_padded into zeros.
/// Returns what the weights of earlier runs must be multiplied by. Not inlined: it is
/// called every 256 positions.
[[gnu::noinline]] float softmax_step(float* scores, int n, int n_padded, float lift, float& largest,
                                     float& sum) {
  std::fill(scores + n, scores + n_padded, minus_infinity);
  FloatBatch highest(largest);
  KVSCOPE_ROLLED
  for (int p = 0; p < n_padded; p += float_lanes) {
    highest = xsimd::max(highest, load_batch(scores + p));
  }
  const float before = largest;
  largest = xsimd::reduce_max(highest);
  const FloatBatch maximum(largest), lifts(lift);
  FloatBatch sums(0.0f);
  KVSCOPE_ROLLED
  for (int p = 0; p < n_padded; p += float_lanes) {
    const FloatBatch weight = exp_batch(load_batch(scores + p) - maximum);
    (weight * lifts).store_unaligned(scores + p);
    sums += weight;
  }
  const float rescale = before == largest ? 1.0f : static_cast<float>(exp_of(before - largest));
  sum = sum * rescale + xsimd::reduce_add(sums);
  return rescale;
}

}  // namespace

std::size_t AttentionBlock::scratch_floats(int head_dim) {
  const std::size_t rows = 2 * max_rows;
  const std::size_t panels = 2 * static_cast<std::size_t>(run_for(head_dim));
  return (rows + panels) * round_up(head_dim, kv_slice_dims) + rows + 2 * tile_rows * score_stride;
}

AttentionBlock::AttentionBlock(const AttentionArgs& args, int first_row, int n_rows)
    : args_(args),
      head_dim_(args.kv.head_dim),
      first_row_(first_row),
      n_rows_(n_rows),
      run_tokens_(run_for(head_dim_)),
      mixed_stride_(round_up(head_dim_, kv_slice_dims)) {
  float* scratch = args.scratch;
  const auto take = [&](std::size_t n) { return std::exchange(scratch, scratch + n); };
  q_ = take(max_rows * mixed_stride_);
  mixed_ = take(max_rows * mixed_stride_);
  largest_ = take(max_rows);
  sum_ = take(max_rows);
  scores_ = take(tile_rows * score_stride);
  scaled_scores_ = take(tile_rows * score_stride);
  k_panel_ = take(mixed_stride_ * static_cast<std::size_t>(run_tokens_));
  v_panel_ = take(mixed_stride_ * static_cast<std::size_t>(run_tokens_));
  prepare_queries();
  std::fill_n(mixed_, static_cast<std::size_t>(n_rows) * mixed_stride_, 0.0f);
  std::fill_n(largest_, n_rows, minus_infinity);
  std::fill_n(sum_, n_rows, 0.0f);
}

int AttentionBlock::end_position() const {
  return args_.first_position + (first_row_ + n_rows_ - 1) / args_.group + 1;
}

void AttentionBlock::attend(int begin, int end) {
  switch (args_.kv.type) {
    case KvType::f32: return attend_runs<float>(begin, end);
    case KvType::f16: return attend_runs<std::uint16_t>(begin, end);
    case KvType::q8_0: return attend_runs<std::int8_t>(begin, end);
  }
}

template <class Element>
void AttentionBlock::attend_runs(int begin, int end) {
  for (int position = begin; position < end;) {
    const auto run = KvRun<Element>::of(args_.kv, position, std::min(run_tokens_, end - position));
    if (n_rows_ <= few_rows && run.n_tokens <= short_run) run.touch_v();
    if constexpr (std::is_same_v<Element, float>) {
      attend_run(run);
    } else if (reads_as_stored()) {
      attend_run(run);
    } else {
      attend_run(expand(run, k_panel_, v_panel_, run_tokens_));
    }
    position += run.n_tokens;
  }
}

void AttentionBlock::write_out() const {
  for (int row = 0; row < n_rows_; ++row) {
    const int token = (first_row_ + row) / args_.group;
    const int head = (first_row_ + row) % args_.group;
    float* out = args_.out + token * args_.out_stride + static_cast<std::size_t>(head) * head_dim_;
    const float scale = 1.0f / sum_[row];
    const float* mixed = mixed_ + row * mixed_stride_;
    KVSCOPE_ROLLED
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

bool AttentionBlock::reads_as_stored() const {
  return args_.kv.type == KvType::f32 || n_rows_ <= few_rows;
}

/// Rows are shared out evenly over the tiles: 5 rows are 2 + 3, not 4 + 1.
int AttentionBlock::tile_end(int tile) const {
  const int n_tiles = (n_rows_ + tile_rows - 1) / tile_rows;
  return n_rows_ * (tile + 1) / n_tiles;
}

/// How many of a run's positions a row sees: those up to its own token's.
int AttentionBlock::visible(int row, int first_position, int n_tokens) const {
  const int position = args_.first_position + (first_row_ + row) / args_.group;
  return std::clamp(position + 1 - first_position, 0, n_tokens);
}

void AttentionBlock::prepare_queries() {
  const bool reads_halves = args_.kv.type == KvType::f16 && reads_as_stored();
  const float scale = args_.scale * (reads_halves ? tiles::query_lift<std::uint16_t> : 1.0f);
  float* out = q_;
  for (int tile = 0, row = 0; row < n_rows_; ++tile) {
    const int end = tile_end(tile), rows = end - row;
    for (int r = 0; r < rows; ++r, ++row) {
      const int token = (first_row_ + row) / args_.group;
      const int head = (first_row_ + row) % args_.group;
      const float* q =
          args_.q + token * args_.q_stride + static_cast<std::size_t>(head) * head_dim_;
      KVSCOPE_ROLLED
      for (int d = 0; d < head_dim_; ++d) out[d * rows + r] = q[d] * scale;
    }
    out += rows * head_dim_;
  }
}

template <class Element>
[[gnu::noinline]] void AttentionBlock::attend_run(const KvRun<Element>& run) {
  for (int tile = 0, row = 0; row < n_rows_; ++tile) {
    const int end = tile_end(tile);
    attend_tile(run, row, end - row);
    row = end;
  }
}

template <class Element>
void AttentionBlock::attend_tile(const KvRun<Element>& run, int first, int rows) {
  const auto seen = [&](int row) { return visible(row, run.first_position, run.n_tokens); };
  const int n = seen(first + rows - 1);  // the last row sees most
  if (n == 0) return;
  const TileLoops<Element>& loops = tile_loops<Element>[rows - 1];
  loops.score(run, q_ + static_cast<std::size_t>(first) * head_dim_, n, scores_, score_stride);
  const int n_padded = static_cast<int>(round_up(n, tiles::group_tokens));
  float rescale[tile_rows];
  for (int row = 0; row < rows; ++row) {
    rescale[row] =
        softmax_step(scores_ + row * score_stride, seen(first + row), n_padded,
                     tiles::weight_lift<Element>, largest_[first + row], sum_[first + row]);
  }
  loops.mix(run, scores_, score_stride, n, rescale, mixed_ + first * mixed_stride_, mixed_stride_,
            scaled_scores_);
}

}  // namespace kvscope
