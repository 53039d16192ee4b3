#pragma once

#include <vector>

#include "base/result.hpp"
#include "session/session.hpp"

namespace kvscope {

/// Rows of one projection matrix that make one head's vector.
struct ProjectionRows {
  int rows = 0;  // of the whole matrix
  int cols = 0;
  int first_row = 0;          // of this head
  std::vector<float> values;  // (head_dim, cols)
};

/// What the engine did at one layer, head and position. What was not kept is empty: that K and V
/// can be shown for every position but Q only for the newest is the point of a KV cache.
struct Inspection {
  int layer = 0;
  int head = 0;
  int kv_head = 0;
  int position = 0;
  std::vector<float> k;  // (head_dim) as cached, rotated
  std::vector<float> v;  // (head_dim) as cached
  // Of the newest position only:
  std::vector<float> x;          // (dim) normalised hidden vector that the projections multiply
  std::vector<float> q;          // (head_dim) W_Q x, before rotation
  std::vector<float> q_rotated;  // (head_dim)
  std::vector<float>
      k_projected;  // (head_dim) W_K x, before rotation and rounding to the cache's type
  std::vector<float> v_projected;  // (head_dim) W_V x
  std::vector<float> scores;       // (position + 1) q . k / sqrt(head_dim)
  std::vector<float> weights;      // (position + 1) softmax of the scores
  std::vector<float> mixed;        // (head_dim) sum of weights * v
  ProjectionRows wq, wk, wv;
};

/// Keeps the newest token's projections of each layer as the pass makes them; a copy of a few
/// vectors a layer. Without a probe a session's passes do none of this.
class Probe : public ForwardObserver {
 public:
  explicit Probe(const Model& model);

  /// Drops what is kept: the sequence was replaced without a pass.
  void forget() { position_ = -1; }

  void on_projections(const Projections& made) override;

  /// Errors: bad_argument for a layer, head or position that is not there.
  Result<Inspection> inspect(const Session& session, int layer, int head, int position) const;

 private:
  struct Kept {
    std::vector<float> x, q, k, v;
  };
  std::vector<Kept> layers_;
  int position_ = -1;  // of the token whose projections are kept
};

}  // namespace kvscope
