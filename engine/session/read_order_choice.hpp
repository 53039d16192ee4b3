#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/matmul.hpp"

namespace kvscope {

/// The order in which decode reads weights, learnt from the passes themselves: which one is faster
/// no property of the machine tells. Now and then some passes take either order by turns, and the
/// order of the fastest pass is kept. A benchmark of its own would time code that is not yet
/// compiled for speed, and reading without the work between the reads.
class ReadOrderChoice {
 public:
  ReadOrder next() const {
    const bool by_turns = is_trial() ? n_passes_ % 2 == 1 : by_turns_;
    return by_turns ? ReadOrder::by_turns : ReadOrder::straight;
  }

  /// What the pass that was just made took, in the order that next() gave.
  void passed(double ms) {
    if (is_trial()) {
      double& best = best_ms_[n_passes_ % 2];
      best = std::min(best, ms);
    }
    if (++n_passes_ < rest_passes_ + trial_passes) return;
    by_turns_ = best_ms_[1] < best_ms_[0];
    n_passes_ = 0;
    rest_passes_ = std::min(2 * rest_passes_, longest_rest_passes);
    best_ms_.fill(never);
  }

 private:
  static constexpr int trial_passes = 8;
  // The first ones may run before their code is compiled for speed.
  static constexpr int first_rest_passes = 8, longest_rest_passes = 1024;
  static constexpr double never = std::numeric_limits<double>::infinity();

  bool is_trial() const { return n_passes_ >= rest_passes_; }

  bool by_turns_ = false;
  int n_passes_ = 0;  // since the last trial
  int rest_passes_ = first_rest_passes;
  std::array<double, 2> best_ms_{never, never};
};

}  // namespace kvscope
