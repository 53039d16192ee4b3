#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// Finds stop strings in text that arrives in pieces. Text is let through as soon as it can no
/// longer be the beginning of a stop string; how the text is cut into pieces makes no difference.
class StopMatcher {
 public:
  StopMatcher() = default;
  /// Empty strings never stop anything.
  explicit StopMatcher(std::vector<std::string> stops);

  /// Takes whole characters; returns what may be shown now. When a stop string is complete that is
  /// the text before it, and from then on nothing. Of several, the one that is complete first
  /// counts, of those the longest.
  std::string push(std::string_view piece);

  bool stopped() const { return stopped_; }

  /// The end of the text: what was held back, unless stopped.
  std::string flush();

 private:
  /// How many bytes at the end of held_ may be the beginning of a stop string.
  std::size_t undecided() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace kvscope
