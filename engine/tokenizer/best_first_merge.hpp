#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tokenizer/tokenizer.hpp"

namespace kvscope {

/// A stretch of text on its way to become a token, in a linked list over an array.
struct Symbol {
  std::uint32_t begin;    // in the text being merged
  std::uint32_t n_bytes;  // 0 once it is merged into its left neighbour
  int previous, next;     // -1 at the ends
  TokenId id;             // no_token: not a token by itself
};

/// What two neighbours would become. Lower priority goes first.
struct Merge {
  double priority;
  TokenId id;
};

/// The loop that both kinds of BPE share: of all neighbours that can merge, merge the pair of
/// lowest priority (the leftmost of equals), until none can. O(n log n) in the number of symbols.
class BestFirstMerger {
 public:
  /// `find(left, right)` gives a Merge, with id no_token when the two do not merge.
  template <class Find>
  void run(std::vector<Symbol>& symbols, const Find& find) {
    heap_.clear();
    for (int i = 1; i < static_cast<int>(symbols.size()); ++i) add(symbols, i - 1, i, find);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), goes_later);
      const Candidate best = heap_.back();
      heap_.pop_back();
      Symbol& left = symbols[static_cast<std::size_t>(best.left)];
      Symbol& right = symbols[static_cast<std::size_t>(best.right)];
      // Either has been merged since, so the pair is not there any more.
      const bool gone = left.n_bytes == 0 || right.n_bytes == 0;
      if (gone || left.n_bytes + right.n_bytes != best.n_bytes) continue;

      left.n_bytes += right.n_bytes;
      left.id = best.id;
      left.next = right.next;
      right.n_bytes = 0;
      if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = best.left;
      add(symbols, left.previous, best.left, find);
      add(symbols, best.left, left.next, find);
    }
  }

 private:
  struct Candidate {
    double priority;
    int left, right;
    std::uint32_t n_bytes;  // of both together, when they were found
    TokenId id;
  };

  static bool goes_later(const Candidate& a, const Candidate& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.left > b.left;
  }

  template <class Find>
  void add(const std::vector<Symbol>& symbols, int left, int right, const Find& find) {
    if (left < 0 || right < 0) return;
    const Symbol& l = symbols[static_cast<std::size_t>(left)];
    const Symbol& r = symbols[static_cast<std::size_t>(right)];
    const Merge merge = find(l, r);
    if (merge.id < 0) return;
    heap_.push_back({merge.priority, left, right, l.n_bytes + r.n_bytes, merge.id});
    std::push_heap(heap_.begin(), heap_.end(), goes_later);
  }

  std::vector<Candidate> heap_;
};

}  // namespace kvscope
