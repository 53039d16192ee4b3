#include "session/stop_matcher.hpp"

#include <algorithm>
#include <utility>

namespace kvscope {

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string StopMatcher::push(std::string_view piece) {
  if (stopped_) return {};
  held_ += piece;
  std::size_t first = std::string::npos, end = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t found = held_.find(stop);
    if (found == std::string::npos) continue;
    const std::size_t found_end = found + stop.size();
    if (found_end < end || (found_end == end && found < first)) {
      first = found;
      end = found_end;
    }
  }
  stopped_ = first != std::string::npos;
  std::string released = held_.substr(0, stopped_ ? first : held_.size() - undecided());
  held_.erase(0, stopped_ ? std::string::npos : released.size());
  return released;
}

std::size_t StopMatcher::undecided() const {
  std::size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > longest; --n) {
      if (held_.ends_with(std::string_view(stop).substr(0, n))) longest = n;
    }
  }
  return longest;
}

std::string StopMatcher::flush() { return std::exchange(held_, {}); }

}  // namespace kvscope
