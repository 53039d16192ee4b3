// Session::score(): how likely a text is, token by token.
#include <algorithm>
#include <iterator>

#include "base/elementary.hpp"
#include "base/format.hpp"
#include "kernels/elementwise.hpp"
#include "session/session.hpp"

namespace kvscope {

namespace {

constexpr int score_pass_tokens =
    32;  // rows of logits held at once: 6 MB for a vocabulary of 49152

/// log(softmax(logits)[id])
float log_probability(std::span<const float> logits, TokenId id) {
  const auto [largest, sum] = Normaliser::of(logits);
  return logits[static_cast<std::size_t>(id)] - largest - static_cast<float>(log_of(sum));
}

}  // namespace

Result<std::vector<float>> Session::score(std::span<const TokenId> ids) {
  if (Status begun = begin_prefill(ids); !begun) return begun.error();
  start_computing(0);
  const std::size_t vocab = size_of(model_.vocab_size());
  const int rows = std::min(score_pass_tokens, workspace_.max_tokens);
  AlignedBuffer<float> logits(size_of(rows) * vocab);
  if (!logits.valid())
    return Error{ErrorCode::out_of_memory, concat("no memory for ", rows, " rows of logits")};

  std::vector<float> log_p;
  while (tokens_.size() < ids.size()) {
    const std::size_t begin = tokens_.size();
    const int n = static_cast<int>(std::min(ids.size() - begin, size_of(rows)));
    const std::span<const TokenId> slice = ids.subspan(begin, size_of(n));
    Result<PassCost> cost = run_pass(slice, n, logits.data());
    if (!cost) {
      abort_prefill();
      return cost.error();
    }
    std::copy(slice.begin(), slice.end(), std::back_inserter(tokens_));
    for (std::size_t i = 0; i < slice.size() && begin + i + 1 < ids.size(); ++i) {
      log_p.push_back(log_probability({logits.data() + i * vocab, vocab}, ids[begin + i + 1]));
    }
    std::copy_n(logits.data() + size_of(n - 1) * vocab, vocab, logits_.data());
  }
  logits_end_ = tokens_.size();
  abort_prefill();
  return log_p;
}

}  // namespace kvscope
