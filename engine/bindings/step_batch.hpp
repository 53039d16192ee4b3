#pragma once

#include <string>
#include <vector>

#include "bindings/js_values.hpp"

namespace kvscope::js {

/// Decode steps on their way to JavaScript, as one array and one string: every property set through
/// Embind would take as long as a layer of a small model.
class StepBatch {
 public:
  /// Takes what the session's counters say now: call it right after the step was made.
  void add(const Session& session, const Step& step);

  int size() const { return size_; }

  /// { count, numbers: Float64Array, text }. Of each step: the numbers in add()'s order, then
  /// (id, p) of each candidate; the texts stand one after the other.
  val value() const;

 private:
  int size_ = 0;
  std::vector<double> numbers_;
  std::string text_;
};

/// (id, p) of the most likely tokens after `logits`, most likely first.
void append_candidates(std::span<const float> logits, const Normaliser& normaliser,
                       std::vector<double>& out);

}  // namespace kvscope::js
