#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention.hpp"

namespace kvscope {

/// A block of queries that walks over the positions together, in FlashAttention's order of work
/// (Dao et al. 2022): chunk by chunk, keeping the running maximum and sum of each softmax. A row is
/// one query: one head of one token, row = token * group + head.
class AttentionBlock {
 public:
  static constexpr int max_rows = 48;  // K and V are read once per block
  static std::size_t scratch_floats(int head_dim);

  /// Rows [first_row, first_row + n_rows) of the call that args describes, in args.scratch.
  AttentionBlock(const AttentionArgs& args, int first_row, int n_rows);

  /// One past the last position that any row sees.
  int end_position() const;

  /// Adds positions [begin, end) to what was attended so far; begin is a multiple of 8.
  void attend(int begin, int end);

  /// out = the weighted mean of V.
  void write_out() const;

  /// For each row: the weighted sum of V (head_dim), the largest score, the sum of the weights.
  void write_part(float* part) const;

 private:
  /// A run of positions within one page.
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

  int tile_end(int tile) const;
  int visible(int row, int first_position, int n_tokens) const;
  void prepare_queries();
  bool converts_while_reading() const;

  template <class Element>
  Chunk<Element> chunk_at(int position, int end) const;
  Chunk<float> expand(const Chunk<std::uint16_t>& chunk) const;

  template <class Element>
  void attend_chunk(const Chunk<Element>& chunk);
  template <int Rows, class Element>
  void attend_tile(const Chunk<Element>& chunk, int first);
  template <int Rows, class Element>
  void score_tile(const Chunk<Element>& chunk, int first, int n);
  template <int Rows, class Element>
  void mix_tile(const Chunk<Element>& chunk, int first, int n, const float* rescale);

  const AttentionArgs& args_;
  int head_dim_;
  int first_row_;
  int n_rows_;
  int chunk_tokens_;
  std::size_t mixed_stride_;  // head_dim rounded up to whole slices
  float* q_;                  // tile after tile: (head_dim, rows of the tile), scaled
  float* mixed_;              // (n_rows, mixed_stride): sum of weight * V so far
  float* largest_;            // (n_rows): largest score so far
  float* sum_;                // (n_rows): sum of the weights so far
  float* scores_;             // (rows of a tile, score_stride), of the chunk at hand
  float* k_panel_;            // (chunk_tokens / 8, head_dim, 8)
  float* v_panel_;            // (head_dim / 8, chunk_tokens, 8)
};

}  // namespace kvscope
