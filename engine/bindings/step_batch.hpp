#pragma once

#include <string>
#include <vector>

#include "bindings/call.hpp"
#include "session/session.hpp"

namespace kvscope::js {

/// Decode steps on their way to JavaScript, as one array and one string.
class StepBatch {
 public:
  /// Takes what the session's counters say now: call it right after the step was made.
  void add(const Session& session, const Step& step);

  int size() const { return size_; }

  /// count; numbers, of each step in add()'s order, then (id, p) of each candidate; the texts one
  /// after the other.
  void give(Call& call) const;

 private:
  int size_ = 0;
  std::vector<double> numbers_;
  std::string text_;
};

/// (id, p) of the most likely tokens after `logits`, most likely first.
void append_candidates(std::span<const float> logits, std::vector<double>& out);

}  // namespace kvscope::js
