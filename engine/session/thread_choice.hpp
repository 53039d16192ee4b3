#pragma once

#include <algorithm>
#include <utility>

namespace kvscope {

/// Whether passes of one kind run on all threads or on one, learnt from the passes themselves.
/// Threads lose when another process holds one of their cores: then each operator waits for the
/// thread without one. Passes that stood stalled for long are followed by some on one thread, and
/// whichever way was faster is kept; the other is tried again later, and ever more rarely while it
/// goes on losing.
class ThreadChoice {
 public:
  bool parallel() const { return parallel_; }

  /// What the pass that was just made did: multiply-accumulates, and how much of its time the
  /// caller slept for want of another thread.
  void passed(double macs, double ms, double stalled_ms) {
    stretch_.macs += macs;
    stretch_.ms += ms;
    stretch_.stalled_ms += stalled_ms;
    if (stretch_.ms < (is_trial_ ? trial_ms : rest_ms_)) return;
    const Stretch made = std::exchange(stretch_, {});
    const double rate = made.macs / made.ms;
    if (is_trial_) {
      end_trial(rate, made.ms);
    } else if (parallel_ && made.stalled_ms < stall_worth_a_trial * made.ms) {
      rest_ms_ = first_rest_ms;
    } else {
      settled_rate_ = rate;
      is_trial_ = true;
      parallel_ = !parallel_;
    }
  }

 private:
  /// Passes one after the other, made alike.
  struct Stretch {
    double macs = 0, ms = 0, stalled_ms = 0;
  };

  static constexpr double trial_ms = 25;  // some decode steps, or one piece of a prompt
  static constexpr double first_rest_ms = 100, longest_rest_ms = 3200;
  static constexpr double rests_per_trial = 8;
  static constexpr double stall_worth_a_trial = 0.15;
  static constexpr double clearly = 1.05;  // faster

  void end_trial(double rate, double ms) {
    is_trial_ = false;
    if (rate > clearly * settled_rate_) {
      rest_ms_ = first_rest_ms;
    } else {
      parallel_ = !parallel_;
      // A trial by one long pass must not come again right away.
      rest_ms_ = std::max(std::min(2 * rest_ms_, longest_rest_ms), rests_per_trial * ms);
    }
  }

  bool parallel_ = true;
  bool is_trial_ = false;
  Stretch stretch_;
  double settled_rate_ = 0;         // multiply-accumulates a millisecond, before the trial
  double rest_ms_ = first_rest_ms;  // between trials
};

}  // namespace kvscope
