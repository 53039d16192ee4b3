#include "kernels/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/attention_tiles.hpp"
#include "kernels/exp.hpp"

// FlashAttention's order of work (Dao et al. 2022): a block of queries walks over the positions in
// chunks that stay in the first-level cache, keeping the running maximum and sum of each softmax.
// A "row" is one query: one head of one token, row = token * group + head.
namespace kvscope {
namespace {

namespace tiles = attention_tiles;

constexpr int tile_rows = 4;  // 4 rows x 8 positions: 8 accumulators of WebAssembly's 16 registers
constexpr int block_rows = 48;     // rows that share one walk; K and V are read once per block
constexpr int chunk_tokens = 256;  // at most; see chunk_for()
constexpr int direct_rows =
    8;  // up to here f16 is converted while it is read, above once per chunk

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Positions that K and V are read for in one go. Long runs suit the prefetcher, but both halves
/// must stay in the second-level cache until the next tile of rows: 64 KB each in f32.
int chunk_for(int head_dim) {
  return std::clamp(16384 / head_dim / tiles::group_tokens * tiles::group_tokens, 32, chunk_tokens);
}

std::size_t round_up(int n, int multiple) {
  return static_cast<std::size_t>((n + multiple - 1) / multiple * multiple);
}

/// The part of a block's state that outlives a chunk, and room for the chunk at hand.
struct Block {
  int first_row;
  int n_rows;
  std::size_t mixed_stride;  // head_dim rounded up to whole batches
  float* q;                  // tile after tile: (head_dim, rows of the tile), scaled
  float* mixed;              // (n_rows, mixed_stride): sum of weight * V so far
  float* largest;            // (n_rows): largest score so far
  float* sum;                // (n_rows): sum of the weights so far
  float* scores;             // (tile_rows, chunk_tokens)
  float* k_panel;            // (chunk_tokens / 8, head_dim, 8)
  float* v_panel;            // (chunk_tokens, head_dim)
};

Block layout(float* scratch, int head_dim) {
  Block block{};
  block.mixed_stride = round_up(head_dim, 8);
  const std::size_t panel = block.mixed_stride * static_cast<std::size_t>(chunk_for(head_dim));
  const auto take = [&](std::size_t n) { return std::exchange(scratch, scratch + n); };
  block.q = take(block_rows * block.mixed_stride);
  block.mixed = take(block_rows * block.mixed_stride);
  block.largest = take(block_rows);
  block.sum = take(block_rows);
  block.scores = take(tile_rows * chunk_tokens);
  block.k_panel = take(panel);
  block.v_panel = take(panel);
  return block;
}

/// One chunk of positions of one head.
template <class Element>
struct Chunk {
  const Element* k;  // whole groups of 8
  const Element* v;  // the V of its page: slices of page_tokens positions …
  int in_page;       // … of which these are the chunk's first
  int page_tokens;
  int first_position;
  int n_tokens;

  const Element* v_slice(int d, int width) const {
    return v + static_cast<std::size_t>(d) * page_tokens +
           static_cast<std::size_t>(in_page) * width;
  }
};

/// Rows are shared out evenly over the tiles: 5 rows are 3 + 2, not 4 + 1.
int tile_end(int n_rows, int tile) {
  const int n_tiles = (n_rows + tile_rows - 1) / tile_rows;
  return n_rows * (tile + 1) / n_tiles;
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

template <int Rows, class Element>
void score_tile(const float* q, const Chunk<Element>& chunk, int n, int head_dim, float* scores) {
  const std::size_t group_size = static_cast<std::size_t>(head_dim) * tiles::group_tokens;
  const Element* k = chunk.k;
  for (int p = 0; p < n; p += tiles::group_tokens, k += group_size) {
    tiles::score<Rows>(q, k, head_dim, scores + p, chunk_tokens);
  }
}

float to_float(float x) { return x; }
float to_float(std::uint16_t x) { return half_to_float(x) / half_lift; }

template <int Rows, class Element>
void mix_tile(const float* weights, const Chunk<Element>& chunk, int n, int head_dim,
              const float* rescale, float* mixed, std::size_t mixed_stride) {
  int d = 0;
  for (; d + kv_slice_dims <= head_dim; d += kv_slice_dims) {
    tiles::mix<Rows>(weights, chunk_tokens, chunk.v_slice(d, kv_slice_dims), n, rescale, mixed + d,
                     mixed_stride);
  }
  const int width = head_dim - d;  // of the last slice, when head_dim is no multiple of 8
  const Element* rest = chunk.v_slice(d, width);
  for (int i = 0; i < width; ++i) {
    for (int row = 0; row < Rows; ++row) {
      float& sum = mixed[row * mixed_stride + d + i];
      sum *= rescale[row];
      for (int p = 0; p < n; ++p) {
        sum += weights[row * chunk_tokens + p] * to_float(rest[p * width + i]);
      }
    }
  }
}

template <int Rows, class Element>
void attend_tile(const AttentionArgs& args, Block& block, const Chunk<Element>& chunk, int first) {
  const int head_dim = args.kv.head_dim;
  // Row r sees positions up to its own token's; the tile's last row sees most.
  const auto visible = [&](int row) {
    const int position = args.first_position + (block.first_row + row) / args.group;
    return std::clamp(position + 1 - chunk.first_position, 0, chunk.n_tokens);
  };
  const int n = visible(first + Rows - 1);
  if (n == 0) return;
  score_tile<Rows>(block.q + first * head_dim, chunk, n, head_dim, block.scores);
  float rescale[Rows];
  for (int row = 0; row < Rows; ++row) {
    rescale[row] = softmax_step(block.scores + row * chunk_tokens, visible(first + row),
                                static_cast<int>(round_up(n, tiles::group_tokens)),
                                tiles::weight_lift<Element>, block.largest[first + row],
                                block.sum[first + row]);
  }
  mix_tile<Rows>(block.scores, chunk, n, head_dim, rescale,
                 block.mixed + first * block.mixed_stride, block.mixed_stride);
}

template <class Element>
void attend_chunk(const AttentionArgs& args, Block& block, const Chunk<Element>& chunk) {
  for (int tile = 0, row = 0; row < block.n_rows; ++tile) {
    const int end = tile_end(block.n_rows, tile);
    switch (end - row) {
      case 1: attend_tile<1>(args, block, chunk, row); break;
      case 2: attend_tile<2>(args, block, chunk, row); break;
      case 3: attend_tile<3>(args, block, chunk, row); break;
      default: attend_tile<4>(args, block, chunk, row); break;
    }
    row = end;
  }
}

void expand(const std::uint16_t* in, std::size_t n, float* out) {
  const FloatBatch lift(half_lift);
  std::size_t i = 0;
  for (; i + float_lanes <= n; i += float_lanes) {
    (load_batch(in + i) * lift).store_unaligned(out + i);
  }
  for (; i < n; ++i) out[i] = half_to_float(in[i]);
}

/// Queries scaled and transposed, tile by tile; mixed, largest and sum as before the first
/// position.
void begin_block(const AttentionArgs& args, Block& block, float lift) {
  const int head_dim = args.kv.head_dim;
  float* out = block.q;
  for (int tile = 0, row = 0; row < block.n_rows; ++tile) {
    const int end = tile_end(block.n_rows, tile), rows = end - row;
    for (int r = 0; r < rows; ++r, ++row) {
      const int token = (block.first_row + row) / args.group;
      const int head = (block.first_row + row) % args.group;
      const float* q = args.q + token * args.q_stride + static_cast<std::size_t>(head) * head_dim;
      for (int d = 0; d < head_dim; ++d) out[d * rows + r] = q[d] * args.scale * lift;
    }
    out += rows * head_dim;
  }
  std::fill_n(block.mixed, block.n_rows * block.mixed_stride, 0.0f);
  std::fill_n(block.largest, block.n_rows, minus_infinity);
  std::fill_n(block.sum, block.n_rows, 0.0f);
}

template <class Element>
Chunk<Element> chunk_at(const KvPages& kv, int position, int end) {
  const int in_page = position % kv.page_tokens;  // a multiple of 8, as all chunks but the last are
  const std::byte* page = kv.pages[position / kv.page_tokens];
  return {.k = reinterpret_cast<const Element*>(page + kv.k_offset) +
               static_cast<std::size_t>(in_page) * kv.head_dim,
          .v = reinterpret_cast<const Element*>(page + kv.v_offset),
          .in_page = in_page,
          .page_tokens = kv.page_tokens,
          .first_position = position,
          .n_tokens = std::min({chunk_for(kv.head_dim), kv.page_tokens - in_page, end - position})};
}

/// The chunk in f32, in the block's panels.
Chunk<float> expand(const Chunk<std::uint16_t>& chunk, int head_dim, const Block& block) {
  expand(chunk.k, round_up(chunk.n_tokens, tiles::group_tokens) * head_dim, block.k_panel);
  Chunk<float> out{.k = block.k_panel,
                   .v = block.v_panel,
                   .in_page = 0,
                   .page_tokens = chunk_for(head_dim),
                   .first_position = chunk.first_position,
                   .n_tokens = chunk.n_tokens};
  for (int d = 0; d < head_dim; d += kv_slice_dims) {
    const int width = std::min(kv_slice_dims, head_dim - d);
    expand(chunk.v_slice(d, width), static_cast<std::size_t>(chunk.n_tokens) * width,
           block.v_panel + (out.v_slice(d, width) - out.v));
  }
  return out;
}

void attend_block(const AttentionArgs& args, Block& block) {
  const KvPages& kv = args.kv;
  const int end = args.first_position + (block.first_row + block.n_rows - 1) / args.group + 1;
  const bool direct = block.n_rows <= direct_rows;
  begin_block(args, block,
              kv.type == KvType::f16 && direct ? tiles::query_lift<std::uint16_t> : 1.0f);
  for (int position = 0; position < end;) {
    if (kv.type == KvType::f32) {
      const auto chunk = chunk_at<float>(kv, position, end);
      attend_chunk(args, block, chunk);
      position += chunk.n_tokens;
    } else {
      const auto chunk = chunk_at<std::uint16_t>(kv, position, end);
      if (direct) {
        attend_chunk(args, block, chunk);
      } else {
        attend_chunk(args, block, expand(chunk, kv.head_dim, block));
      }
      position += chunk.n_tokens;
    }
  }
}

void end_block(const AttentionArgs& args, const Block& block) {
  const int head_dim = args.kv.head_dim;
  for (int row = 0; row < block.n_rows; ++row) {
    const int token = (block.first_row + row) / args.group;
    const int head = (block.first_row + row) % args.group;
    float* out = args.out + token * args.out_stride + static_cast<std::size_t>(head) * head_dim;
    const float scale = 1.0f / block.sum[row];
    for (int d = 0; d < head_dim; ++d) out[d] = block.mixed[row * block.mixed_stride + d] * scale;
  }
}

}  // namespace

std::size_t attention_scratch_floats(int /*group*/, int head_dim, int /*max_context*/) {
  const std::size_t rows = 2 * block_rows,
                    panels = 2 * static_cast<std::size_t>(chunk_for(head_dim));
  return (rows + panels) * round_up(head_dim, 8) + rows + tile_rows * chunk_tokens;
}

void attention(const AttentionArgs& args) {
  Block block = layout(args.scratch, args.kv.head_dim);
  const int n_rows = args.n_tokens * args.group;
  for (int row = 0; row < n_rows; row += block_rows) {
    block.first_row = row;
    block.n_rows = std::min(block_rows, n_rows - row);
    attend_block(args, block);
    end_block(args, block);
  }
}

}  // namespace kvscope
