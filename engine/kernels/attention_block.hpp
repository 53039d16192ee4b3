#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention.hpp"
#include "kernels/attention_run.hpp"

namespace kvscope {

/// A block of queries that walks over the positions together, in FlashAttention's order of work
/// (Dao et al. 2022): run by run, keeping the running maximum and sum of each softmax. A row is
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
  int tile_end(int tile) const;
  int visible(int row, int first_position, int n_tokens) const;
  void prepare_queries();
  bool reads_as_stored() const;

  template <class Element>
  void attend_runs(int begin, int end);
  template <class Element>
  void attend_run(const KvRun<Element>& run);
  template <class Element>
  void attend_tile(const KvRun<Element>& run, int first, int rows);

  const AttentionArgs& args_;
  int head_dim_;
  int first_row_;
  int n_rows_;
  int run_tokens_;            // positions that are attended in one go
  std::size_t mixed_stride_;  // head_dim rounded up to whole slices
  float* q_;                  // tile after tile: (head_dim, rows of the tile), scaled
  float* mixed_;              // (n_rows, mixed_stride): sum of weight * V so far
  float* largest_;            // (n_rows): largest score so far
  float* sum_;                // (n_rows): sum of the weights so far
  float* scores_;             // (rows of a tile, max_run_tokens), of the run at hand
  float* scaled_scores_;      // the same, times the scales of V
  float* k_panel_;            // (run_tokens / 8, head_dim, 8)
  float* v_panel_;            // (head_dim / 8, run_tokens, 8)
};

}  // namespace kvscope
